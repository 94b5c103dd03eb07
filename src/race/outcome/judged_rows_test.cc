// Outcomes of statements that ran on PostgreSQL, with its sequences, defaults and errors.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "race/outcome/race_runs_testing.h"
#include "race/outcome/verdict.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/state.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

// What a service does for one request, statement by statement on a connection of its own.
class ServedRequest {
 public:
  ServedRequest(const std::string& conninfo, std::uint64_t unit)
      : connection_(conninfo), unit_(unit) {}

  // The first value of the first row; once a statement has failed, nothing more is done.
  std::string ask(const std::string& sql) {
    if (status_ >= 400) return "";
    std::string value = connection_.ask(sql);
    if (connection_.error_code().empty()) return value;
    answer(409, fmt::format("{{\"error\": \"{}\"}}", connection_.error_code()));
    connection_.ask("ROLLBACK");
    return "";
  }

  void answer(int status, std::string body) {
    if (status_ >= 400) return;
    status_ = status;
    body_ = std::move(body);
  }
  ObservedResponse response() const {
    return {.request = unit_, .status = status_, .headers = {}, .body = body_};
  }

  std::string seen;  // what a statement returned, for a later one

 private:
  OpenConnection connection_;
  std::uint64_t unit_;
  int status_ = 0;
  std::string body_;
};

using Statement = std::function<void(ServedRequest&)>;
using Statements = std::vector<Statement>;

class JudgedRows : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = must(ThrowawayPostgres::start({})).release(); }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }

  void use(const std::string& schema) {
    ask(server_->conninfo(),
        "SET client_min_messages = warning; DROP SCHEMA public CASCADE;"
        "CREATE SCHEMA public;" +
            schema);
    state_ = std::make_unique<PostgresState>(must(PostgresState::open(server_->conninfo())));
    must(state_->remember());
  }

  // The order says whose statement is next; a party that is not named does nothing.
  RacedRun run(const Statements& a, const Statements& b, const std::string& order) {
    EXPECT_TRUE(must(state_->put_back()));
    ServedRequest requests[] = {{server_->conninfo(), kUnitA}, {server_->conninfo(), kUnitB}};
    std::size_t done[] = {0, 0};
    for (const char party : order) {
      const std::size_t index = party == 'a' ? 0 : 1;
      (index == 0 ? a : b).at(done[index]++)(requests[index]);
    }
    RacedRun run;
    for (std::size_t i = 0; i < 2; ++i) {
      if (done[i] > 0) run.responses.push_back(requests[i].response());
    }
    run.stores = {{"shop", must(state_->read()).tables}};
    return run;
  }

  std::string judge(const Statements& a, const Statements& b, const std::string& order) {
    const std::string only_a(a.size(), 'a');
    const std::string only_b(b.size(), 'b');
    SerialRaceRuns serial;
    serial.requests = {{kUnitA, "A"}, {kUnitB, "B"}};
    EXPECT_TRUE(must(state_->put_back()));
    serial.before = {{"shop", must(state_->read()).tables}};
    for (int i = 0; i < 2; ++i) serial.first_then_second.push_back(run(a, b, only_a + only_b));
    for (int i = 0; i < 2; ++i) serial.second_then_first.push_back(run(a, b, only_b + only_a));
    serial.first_alone = run(a, b, only_a);
    serial.second_alone = run(a, b, only_b);
    const auto baseline = learn_baseline(serial, {});
    const RaceVerdict verdict = judge_run(*baseline, run(a, b, order));
    return std::string(to_string(verdict.kind)) +
           (verdict.kind == RaceVerdictKind::inconclusive ? ": " + verdict.why : "");
  }

  static ThrowawayPostgres* server_;
  std::unique_ptr<PostgresState> state_;
};

ThrowawayPostgres* JudgedRows::server_ = nullptr;

// The last seat of a train: counted, then taken; the ticket has a number, a key and a time.
Statements take_seat(const std::string& customer) {
  return {[](ServedRequest& request) {
            request.seen = request.ask("SELECT count(*) FROM tickets WHERE train = 7");
          },
          [customer](ServedRequest& request) {
            if (request.seen == "1") return request.answer(409, "{\"error\": \"sold out\"}");
            const std::string id = request.ask(fmt::format(
                "INSERT INTO tickets (train, customer) VALUES (7, '{}') RETURNING id", customer));
            request.answer(201, fmt::format("{{\"ticket\": {}}}", id));
          }};
}

constexpr const char* kTickets =
    "CREATE TABLE tickets (id serial PRIMARY KEY, train int, customer text, "
    "code uuid DEFAULT gen_random_uuid(), sold_at timestamptz DEFAULT now())";

TEST_F(JudgedRows, the_last_seat_is_sold_twice) {
  use(kTickets);
  EXPECT_EQ(judge(take_seat("ann"), take_seat("bob"), "abab"), "confirmed");
  EXPECT_EQ(judge(take_seat("ann"), take_seat("bob"), "abba"), "confirmed");
  EXPECT_EQ(judge(take_seat("ann"), take_seat("bob"), "bbaa"), "nothing");
}

TEST_F(JudgedRows, the_last_seat_is_refused_by_a_key) {
  use(std::string(kTickets) + "; CREATE UNIQUE INDEX ON tickets (train)");
  EXPECT_EQ(judge(take_seat("ann"), take_seat("bob"), "abab"), "refused");
}

// Numbers of a sequence go to whoever asks first, and some are lost with what was rolled back.
Statements make_order(const std::string& customer) {
  return {[](ServedRequest& request) {
            request.ask("BEGIN");
            request.seen = request.ask("SELECT nextval('orders_id_seq')");
          },
          [customer](ServedRequest& request) {
            request.ask(fmt::format("INSERT INTO orders (id, customer) VALUES ({}, '{}')",
                                    request.seen, customer));
            request.ask(fmt::format("INSERT INTO lines (order_id, text) VALUES ({}, 'first')",
                                    request.seen));
            request.ask("COMMIT");
            request.answer(201, fmt::format("{{\"id\": {}, \"link\": \"/orders/{}\"}}",
                                            request.seen, request.seen));
          }};
}

TEST_F(JudgedRows, numbers_of_orders_are_renamed) {
  use("CREATE TABLE orders (id serial PRIMARY KEY, customer text);"
      "CREATE TABLE lines (order_id int REFERENCES orders, text text);"
      "INSERT INTO orders (customer) VALUES ('eve'); INSERT INTO lines VALUES (1, 'old')");
  EXPECT_EQ(judge(make_order("ann"), make_order("bob"), "abba"), "nothing");
  EXPECT_EQ(judge(make_order("ann"), make_order("bob"), "abab"), "nothing");
  EXPECT_EQ(judge(make_order("ann"), make_order("ann"), "baab"), "nothing");
}

Statements add_points(const std::string& lock) {
  return {[lock](ServedRequest& request) {
            request.ask("BEGIN");
            request.seen = request.ask("SELECT points FROM customers WHERE name = 'ann'" + lock);
          },
          [](ServedRequest& request) {
            request.ask(
                fmt::format("UPDATE customers SET points = {} + 10, seen_at = now() "
                            "WHERE name = 'ann'",
                            request.seen));
            request.ask("COMMIT");
            request.answer(200, "{}");
          }};
}

TEST_F(JudgedRows, points_are_lost) {
  use("CREATE TABLE customers (name text PRIMARY KEY, points int, seen_at timestamptz);"
      "INSERT INTO customers VALUES ('ann', 5, now())");
  EXPECT_EQ(judge(add_points(""), add_points(""), "abab"), "confirmed");
  EXPECT_EQ(judge(add_points(""), add_points(""), "aabb"), "nothing");
}

// The second is the victim of a serialization failure, and nothing of it is there.
TEST_F(JudgedRows, points_are_refused_to_the_second) {
  use("CREATE TABLE customers (name text PRIMARY KEY, points int, seen_at timestamptz);"
      "INSERT INTO customers VALUES ('ann', 5, now())");
  const auto serializable = [](Statements statements) {
    statements[0] = [first = statements[0]](ServedRequest& request) {
      request.ask("SET default_transaction_isolation = 'serializable'");
      first(request);
    };
    return statements;
  };
  EXPECT_EQ(judge(serializable(add_points("")), serializable(add_points("")), "abab"), "refused");
}

// A refusal that has told somebody before it was refused.
TEST_F(JudgedRows, a_refusal_leaves_a_message) {
  use("CREATE TABLE names (name text PRIMARY KEY);"
      "CREATE TABLE outbox (id serial PRIMARY KEY, text text)");
  const auto sign_up = [](const std::string& mail) -> Statements {
    return {[](ServedRequest& request) {
              request.seen = request.ask("SELECT count(*) FROM names WHERE name = 'ann'");
            },
            [mail](ServedRequest& request) {
              if (request.seen != "0") return request.answer(409, "{\"error\": \"taken\"}");
              request.ask(fmt::format("INSERT INTO outbox (text) VALUES ('welcome {}')", mail));
              request.ask("INSERT INTO names VALUES ('ann')");
              request.answer(201, "{}");
            }};
  };
  EXPECT_EQ(judge(sign_up("a@x"), sign_up("b@x"), "abab"), "confirmed");
  EXPECT_EQ(judge(sign_up("a@x"), sign_up("b@x"), "aabb"), "nothing");
}

}  // namespace
}  // namespace heddle
