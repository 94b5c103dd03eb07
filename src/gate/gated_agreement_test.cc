// A driver of PostgreSQL is told the same of the same statements whether they are held on their way
// to a PostgreSQL or to the replicated store, for which heddle answers: the real one is the oracle.
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "gate/gate_testing.h"
#include "store/open/open.h"
#include "wire/postgres/type_names.h"

namespace heddle {
namespace {

struct TypedValue {
  std::optional<std::string> text;
  std::string type;
};

struct AskedStatement {
  std::string text;
  std::vector<TypedValue> values;
};

std::string number_bytes(std::uint32_t number, int bytes) {
  std::string written;
  for (int i = bytes - 1; i >= 0; --i) written += static_cast<char>(number >> (8 * i) & 0xffU);
  return written;
}

// As PostgreSQL's driver for Java sends it: with types, values in text.
std::string bytes_of(const AskedStatement& asked) {
  const std::string none(1, '\0');
  const auto count = number_bytes(static_cast<std::uint32_t>(asked.values.size()), 2);
  std::string types = count;
  std::string bound = none + none + number_bytes(0, 2) + count;
  for (const TypedValue& value : asked.values) {
    types += number_bytes(postgres::numbered_type(value.type).number, 4);
    const auto size = value.text ? static_cast<std::uint32_t>(value.text->size()) : 0xffffffffU;
    bound += number_bytes(size, 4) + value.text.value_or("");
  }
  return postgres::to_bytes({'P', none + asked.text + none + types}) +
         postgres::to_bytes({'B', bound + number_bytes(0, 2)}) +
         postgres::to_bytes({'D', "P" + none}) +
         postgres::to_bytes({'E', none + number_bytes(0, 4)}) + postgres::sync_bytes();
}

std::string said(const postgres::WireMessage& message) {
  std::string all;
  if (message.type == 'T') {
    const auto fields = postgres::read_row_description(message.body);
    for (const auto& field : *fields) {
      all += fmt::format("{} {}/{}; ", field.name, field.type, field.modifier);
    }
  } else if (message.type == 'D') {
    const auto values = postgres::read_data_row(message.body);
    for (const auto& value : *values) all += value.value_or("NULL") + ", ";
  } else if (message.type == 'E') {
    all = postgres::read_fields(message.body).at('C') + " ";
  } else {
    all = message.type + postgres::read_text(message.body) + " ";
  }
  return all;
}

// But for what a server says before it knows of an error.
std::string said(const std::vector<postgres::WireMessage>& messages) {
  std::string all;
  for (const postgres::WireMessage& message : messages) {
    const bool is_bare = message.type == '1' || message.type == '2' || message.type == 'n';
    if (message.type == 'E') all.clear();
    if (!is_bare) all += said(message);
  }
  return all;
}

// A store, and a program that speaks to it.
class AskedStore {
 public:
  explicit AskedStore(const std::string& address)
      : server_(must(open_server({address}))), database_(must(server_->create_database(""))) {
    const auto made = must(database_->execute(
        "CREATE TABLE owner (id int PRIMARY KEY); INSERT INTO owner VALUES (1), (2); "
        "CREATE TABLE thing (id int PRIMARY KEY, big bigint CHECK (big < 1000), "
        "price numeric(10,2) NOT NULL, name varchar(20) UNIQUE, open boolean, since timestamp, "
        "day date, rate double precision, note text, owner int REFERENCES owner (id))",
        30'000));
    for (const Reply& reply : made) EXPECT_FALSE(reply.error) << reply.error->message;
    must(database_->read_catalogue());
    must(database_->learn_types());
    gate_ = std::make_unique<Gate>(*database_);
  }

  std::string ask(const AskedStatement& asked) {
    if (!is_called_) gate_->program->first = bytes_of(asked);
    if (is_called_) gate_->program->send(bytes_of(asked));
    must(gate_->session->send_called(called("BEGIN")));
    must(gate_->answer());
    if (!std::exchange(is_called_, true)) gate_->program->messages();
    CalledStatement expected{.text = asked.text, .statement = asked.text, .values = {}};
    for (const TypedValue& value : asked.values) {
      expected.values.push_back({.text = value.text, .type = value.type});
    }
    must(gate_->ask(expected));
    const std::string answer = said(gate_->program->messages());
    must(gate_->ask(called("COMMIT")));
    return answer;
  }

 private:
  std::shared_ptr<StoreServer> server_;
  std::unique_ptr<StoreDatabase> database_;
  std::unique_ptr<Gate> gate_;
  bool is_called_ = false;
};

class AskedStatements {
 public:
  explicit AskedStatements(std::uint64_t seed) : random_(seed) {}

  AskedStatement next() {
    const TypedValue id{std::to_string(below(6)), "integer"};
    switch (below(8)) {
      case 0:
      case 1:
        return {"INSERT INTO thing VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING *",
                whole_thing(id)};
      case 2:
        return {"INSERT INTO thing VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                whole_thing(id)};
      case 3:
        return {"SELECT * FROM thing WHERE id = $1", {id}};
      case 4:
        return {"SELECT id, price, name FROM thing WHERE open = $1 OR since < $2 ORDER BY id",
                {truth(), moment()}};
      case 5:
        return {"UPDATE thing SET price = price + $1, name = $2, big = big - $3 WHERE id = $4",
                {price(), name(), {number(), "bigint"}, id}};
      case 6:
        return {"DELETE FROM thing WHERE id = $1 RETURNING name, day", {id}};
      default:
        return {"SELECT count(*) FROM thing WHERE note = $1", {note()}};
    }
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::string number() { return std::to_string(static_cast<int>(below(1'400)) - 300); }
  // Exact in floating point, which the replicated store computes with.
  TypedValue price() {
    constexpr const char* kQuarters[] = {"", ".5", ".25", ".00", ".75"};
    return maybe(number() + kQuarters[below(5)], "numeric", 12);
  }
  TypedValue maybe(std::string text, std::string type, std::uint64_t one_in) {
    if (below(one_in) == 0) return {std::nullopt, std::move(type)};
    return {std::move(text), std::move(type)};
  }
  TypedValue truth() { return maybe(below(2) == 0 ? "true" : "false", "boolean", 6); }
  TypedValue moment() {
    return maybe(fmt::format("2026-0{}-1{} 10:20:3{}{}", 1 + below(9), below(9), below(9),
                             below(2) == 0 ? "" : ".5"),
                 "timestamp", 6);
  }
  TypedValue name() {
    constexpr const char* kNames[] = {"it's", "\"é\"", "a", "b\\", "$1", "c -- d", "E'x'"};
    return maybe(kNames[below(7)], "varchar", 4);
  }
  TypedValue note() {
    constexpr const char* kNotes[] = {"", "7", "true", "x;y", "2026-01-01"};
    return maybe(kNotes[below(5)], "text", 5);
  }
  std::vector<TypedValue> whole_thing(const TypedValue& id) {
    constexpr const char* kRates[] = {"0", "1.5", "-0.25", "1000000"};
    return {id,
            maybe(number(), "bigint", 6),
            price(),
            name(),
            truth(),
            moment(),
            maybe(fmt::format("1999-1{}-0{}", below(3), 1 + below(9)), "date", 6),
            maybe(kRates[below(4)], "double precision", 6),
            note(),
            maybe(std::to_string(1 + below(3)), "integer", 3)};
  }

  std::mt19937_64 random_;
};

TEST(GatesAgree, about_what_a_driver_is_told) {
  AskedStore postgres("postgres");
  AskedStore replicated("replicated");
  AskedStatements statements(1);
  int errors = 0;
  for (int i = 0; i < 2000; ++i) {
    const AskedStatement asked = statements.next();
    const std::string expected = postgres.ask(asked);
    ASSERT_EQ(replicated.ask(asked), expected) << asked.text << " (" << i << ")";
    errors += expected.starts_with("23") ? 1 : 0;
  }
  EXPECT_GT(errors, 50);
}

// The canary: another value, another type and another error show.
TEST(GatesAgree, unless_something_differs) {
  AskedStore postgres("postgres");
  AskedStore replicated("replicated");
  const AskedStatement insert{"INSERT INTO thing (id, price) VALUES ($1, 0) RETURNING id",
                              {{"1", "integer"}}};
  AskedStatement other = insert;
  other.values.front().text = "2";
  EXPECT_NE(replicated.ask(other), postgres.ask(insert));
  other.text = "INSERT INTO thing (id, price) VALUES ($1, 0) RETURNING big AS id";
  EXPECT_NE(replicated.ask(insert), postgres.ask(other));
  other.text = "INSERT INTO thing (id, price) VALUES ($1, NULL)";
  EXPECT_NE(replicated.ask(insert), postgres.ask(other));
}

}  // namespace
}  // namespace heddle
