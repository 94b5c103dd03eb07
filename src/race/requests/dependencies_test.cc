// What requests need, from traces that say only what matters.
#include "race/requests/dependencies.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "race/requests/pair_plan.h"
#include "race/requests/requests_testing.h"

namespace heddle {
namespace {

// "5<3 value: ..." for each dependency.
std::string needs(const std::string& text, const RaceSettings& settings = {}) {
  const Trace trace = TraceText::read(text);
  std::string all;
  for (const RequestDependency& each : find_dependencies(trace, settings).each) {
    const char* const kinds[] = {"value", "row", "memory"};
    all += fmt::format("{}<{} {}: {}\n", each.unit, each.on, kinds[static_cast<int>(each.kind)],
                       each.what);
  }
  return all;
}

// "2 /path/2 [7] < 1 /body/id" for each link.
std::string links(const std::string& text) {
  const Trace trace = TraceText::read(text);
  const auto requests = read_requests(trace);
  std::string all;
  for (const ValueLink& each : find_dependencies(trace, {}).links) {
    const MessageValue& value = requests.at(each.unit).values[each.value];
    all += fmt::format("{} {} [{}] < {} {}\n", each.unit, value.path,
                       value.text().substr(each.begin, each.size), each.from, each.path);
  }
  return all;
}

TEST(Dependencies, a_number_is_that_of_the_answer_whose_field_is_called_so) {
  EXPECT_EQ(links("POST shop/orders {\"price\": 3} -> 201 {\"id\": 7}\n"
                  "POST shop/trains {\"seats\": 3} -> 201 {\"id\": 7}\n"
                  "GET shop/trains/7 -> 200\n"
                  "POST till/payments {\"order\": 7} -> 201\n"
                  "GET till/payments?order_id=7 -> 200\n"),
            "3 /path/2 [7] < 2 /body/id\n4 /body/order [7] < 1 /body/id\n"
            "5 /query/order_id [7] < 1 /body/id\n");
}

TEST(Dependencies, what_the_client_said_first_is_its_own) {
  EXPECT_EQ(
      links(
          "POST shop/users {\"name\": \"ann-1742\", \"age\": 41} -> 201 {\"name\": \"ann-1742\"}\n"
          "GET shop/users/ann-1742?age=41 -> 200 {\"name\": \"ann-1742\"}\n"
          "PUT shop/users/ann-1742 {\"name\": \"ann-1742\", \"age\": 42} -> 204\n"),
      "");
}

TEST(Dependencies, what_everybody_writes_comes_from_nowhere) {
  EXPECT_EQ(
      links("GET shop/limits -> 200 {\"limit\": 1, \"open\": true, \"count\": 2, \"day\": "
            "\"2026-01-31\", "
            "\"state\": \"open\", \"sum\": 12.50}\n"
            "POST shop/orders {\"pieces\": 1, \"gift\": true, \"page\": 2, \"on\": \"2026-01-31\", "
            "\"as\": \"open\", \"price\": 12.50} -> 201\n"),
      "");
}

TEST(Dependencies, a_version_is_that_of_the_last_answer) {
  EXPECT_EQ(links("GET shop/profiles/5 -> 200 {\"version\": 3, \"motto\": \"a\"}\n"
                  "GET shop/profiles/6 -> 200 {\"version\": 3, \"motto\": \"b\"}\n"
                  "PUT shop/profiles/6 {\"version\": 3} -> 200\n"),
            "3 /body/version [3] < 2 /body/version\n");
}

TEST(Dependencies, a_key_of_rows_that_both_used_is_that_of_the_row) {
  EXPECT_EQ(links("POST shop/purses {\"points\": 70} -> 201 {\"id\": 3}\n"
                  "  db: INSERT INTO purses (points) VALUES ($1) RETURNING id ; 70 => purses.id=3\n"
                  "POST shop/things {\"points\": 3} -> 201 {\"id\": 3}\n"
                  "  db: INSERT INTO things (points) VALUES ($1) RETURNING id ; 3 => things.id=3\n"
                  "POST shop/transfers {\"from\": 3, \"points\": 20} -> 204\n"
                  "  db: UPDATE purses SET points = points - $1 WHERE id = $2 ; 20, 3\n"),
            "5 /body/from [3] < 1 /body/id\n");
}

// In a new run the two may differ.
TEST(Dependencies, equal_keys_of_different_things_and_services_are_told_apart) {
  EXPECT_EQ(links("POST shop/trains {} -> 201 {\"id\": 1}\n"
                  "  db: INSERT INTO trains DEFAULT VALUES RETURNING id => trains.id=1\n"
                  "POST shop/holds {\"train\": 1} -> 201 {\"id\": 1}\n"
                  "  db: INSERT INTO holds (train) VALUES ($1) RETURNING id ; 1 => holds.id=1\n"
                  "POST till/holds {} -> 201 {\"id\": 1}\n"
                  "POST shop/holds/1/confirm -> 201\n"
                  "  db: UPDATE holds SET ended = true WHERE id = 1\n"
                  "  db: INSERT INTO bookings (train) VALUES (1)\n"
                  "DELETE till/holds/1 -> 204\n"),
            "3 /body/train [1] < 1 /body/id\n6 /path/2 [1] < 3 /body/id\n"
            "9 /path/2 [1] < 5 /body/id\n");
}

TEST(Dependencies, tokens_come_from_the_answer_that_had_them_first) {
  const std::string secret = "<secret:0123456789abcdef>";
  EXPECT_EQ(links("POST shop/login {\"user\": \"a\"} -> 200 {\"token\": \"" + secret +
                  "\"}\n"
                  "GET shop/me -> 200 {\"again\": \"" +
                  secret +
                  "\"}\n"
                  "  > Authorization: Bearer " +
                  secret +
                  "\n"
                  "GET shop/me?auth=" +
                  secret +
                  "&x=1 -> 200\n"
                  "  > Cookie: a=b; sid=" +
                  secret + "\n"),
            "2 /header/authorization [" + secret +
                "] < 1 /body/token\n"
                "3 /query/auth [" +
                secret +
                "] < 1 /body/token\n"
                "3 /cookie/sid [" +
                secret + "] < 1 /body/token\n");
}

TEST(Dependencies, values_within_longer_texts) {
  EXPECT_EQ(links("POST shop/orders {} -> 201 {\"message\": \"Order ORD-2026-001742 was made\"}\n"
                  "  < Location: http://h:1/orders/8/state\n"
                  "POST shop/notes {\"text\": \"Where is ORD-2026-001742?\"} -> 204\n"
                  "GET shop/orders/8/state -> 200\n"),
            "2 /body/text [ORD-2026-001742] < 1 /body/message\n"
            "3 /path/2 [8] < 1 /header/location/url/path/2\n");
}

TEST(Dependencies, values_in_cookies_forms_and_texts) {
  EXPECT_EQ(links("GET shop/form -> 200 <input name=\"csrf\" value=\"k17xx93b\">\n"
                  "  < Set-Cookie: sid=s0m3th1ng; Path=/\n"
                  "POST shop/form csrf=k17xx93b&a=b -> 204\n"
                  "  > Content-Type: application/x-www-form-urlencoded\n"
                  "  > Cookie: sid=s0m3th1ng\n"),
            "2 /cookie/sid [s0m3th1ng] < 1 /cookie/sid\n"
            "2 /body/csrf [k17xx93b] < 1 /body/word/nput name=\"csrf\" value=\"\n");
}

TEST(Dependencies, an_answer_that_comes_later_is_no_source) {
  const std::string text =
      "POST shop/a {} -> 200 {\"key\": \"k17xx93b\"}\n"
      "POST shop/b {\"key\": \"k17xx93b\"} -> 200\n";
  EXPECT_NE(links(text), "");
  Trace trace = TraceText::read(text);
  trace.requests[0].answered = trace.requests[1].arrived + 1;
  EXPECT_TRUE(find_dependencies(trace, {}).links.empty());
}

TEST(Dependencies, a_row_that_was_written_and_then_read) {
  EXPECT_EQ(needs("PUT shop/a -> 204\n"
                  "  db: INSERT INTO items (id, n) VALUES (1, 5)\n"
                  "PUT shop/b -> 204\n"
                  "  db: INSERT INTO items (id, n) VALUES (2, 5)\n"
                  "GET shop/c -> 200\n"
                  "  db: SELECT n FROM items WHERE id = $1 ; 2\n"
                  "POST shop/d -> 204\n"
                  "  db: UPDATE items SET n = 6 WHERE id = 2\n"
                  "GET shop/e -> 200\n"
                  "  db: SELECT n FROM items WHERE id = ANY($1) ; {2}\n"
                  "GET shop/f -> 200\n"
                  "  db: SELECT count(*) FROM items WHERE n = 5\n"),
            "5<3 row: items(id=2) of db\n7<3 row: items(id=2) of db\n"
            "9<3 row: items(id=2) of db\n9<7 row: items(id=2) of db\n"
            "11<1 row: items(id=1) of db\n11<3 row: items(id=2) of db\n"
            "11<7 row: items(id=2) of db\n");
}

TEST(Dependencies, what_an_update_sets_may_have_been_anything) {
  const std::string open = "PUT shop/a -> 204\n  db: UPDATE t SET state = 'open' WHERE id = 1\n";
  const std::string was =
      "PUT shop/a -> 204\n"
      "  db: UPDATE t SET state = 'open' WHERE id = 1 AND state = 'new'\n";
  const std::string count =
      "GET shop/b -> 200\n  db: SELECT count(*) FROM t WHERE state = 'paid'\n";
  EXPECT_EQ(needs(open + count), "3<1 row: t(id=1) of db\n");
  EXPECT_EQ(needs(was + count), "");
}

TEST(Dependencies, inserts_meet_only_where_their_keys_are_the_same) {
  const auto inserts = [](const std::string& table, const std::string& first,
                          const std::string& second) {
    return needs(table + "PUT shop/a -> 204\n  db: INSERT INTO users (name, n) VALUES ('" + first +
                 "', 1)\n"
                 "PUT shop/b -> 204\n  db: INSERT INTO users (name, n) VALUES ('" +
                 second + "', 1)\n");
  };
  EXPECT_EQ(inserts("table db users name\n", "a", "a"), "3<1 row: users(n=1) of db\n");
  EXPECT_EQ(inserts("table db users name\n", "a", "b"), "");
  EXPECT_EQ(inserts("table db users id\n", "a", "a"), "");
  EXPECT_EQ(inserts("", "a", "a"), "");
}

TEST(Dependencies, a_row_needs_the_row_that_it_names) {
  EXPECT_EQ(needs("PUT shop/a -> 204\n"
                  "  db: INSERT INTO trains (id) VALUES (7) => trains.id=7\n"
                  "PUT shop/b -> 204\n"
                  "  db: INSERT INTO reservations (train_id, guest) VALUES (7, 'a')\n"
                  "PUT shop/c -> 204\n"
                  "  db: INSERT INTO reservations (train_id, guest) VALUES (8, 'a')\n"),
            "3<1 row: train_id=7 of db\n");
}

TEST(Dependencies, what_cannot_be_read_may_be_anything) {
  EXPECT_EQ(needs("PUT shop/a -> 204\n  db: SELECT do_something()\n"
                  "GET shop/b -> 200\n  db: SELECT n FROM t WHERE id = 1\n"
                  "GET shop/c -> 200\n  db: SELECT now()\n"),
            "3<1 row: anything of db\n");
}

TEST(Dependencies, stores_are_one_under_all_their_names) {
  const std::string text =
      "PUT shop/a -> 204\n  db: UPDATE t SET n = 1 WHERE id = 1\n"
      "GET till/b -> 200\n  db2: SELECT n FROM t WHERE id = 1\n";
  EXPECT_EQ(needs(text), "");
  EXPECT_EQ(needs(text, {.aliases = {{"db2", "db"}}}), "3<1 row: t(id=1) of db\n");
}

TEST(Dependencies, what_is_done_after_the_read_is_not_needed) {
  Trace trace = TraceText::read(
      "PUT shop/a -> 204\n  db: UPDATE t SET n = 1 WHERE id = 1\n"
      "GET shop/b -> 200\n  db: SELECT n FROM t WHERE id = 1\n");
  EXPECT_EQ(find_dependencies(trace, {}).each.size(), 1U);
  trace.statements[0].arrived = trace.statements[1].arrived + 1;
  EXPECT_EQ(find_dependencies(trace, {}).each.size(), 0U);
}

TEST(Dependencies, statements_that_are_unsure_count_for_all_they_may_belong_to) {
  Trace trace = TraceText::read(
      "PUT shop/a -> 204\n  db: UPDATE t SET n = 1 WHERE id = 1\n"
      "GET shop/b -> 200\n  db: SELECT n FROM t WHERE id = 1\n");
  trace.statements[0].flow = {.number = 0, .candidates = {1, 3}};
  EXPECT_EQ(find_dependencies(trace, {}).each.size(), 1U);
  trace.statements[0].flow = {.number = 0, .evidence = FlowEvidence::background};
  EXPECT_EQ(find_dependencies(trace, {}).each.size(), 0U);
}

TEST(Dependencies, what_a_service_keeps_in_memory) {
  EXPECT_EQ(needs("POST bank/accounts/main-1742/entries {\"amount\": 5} -> 201\n"
                  "  db: INSERT INTO ledger (account, amount) VALUES ('main-1742', 5)\n"
                  "POST bank/accounts/other-1742/entries {\"amount\": 5} -> 201\n"
                  "  db: INSERT INTO ledger (account, amount) VALUES ('other-1742', 5)\n"
                  "POST till/payments {\"account\": \"main-1742\"} -> 201\n"
                  "  till>bank GET /balances/main-1742\n"),
            "5<1 memory: main-1742 in the memory of bank\n");
  // An idempotency key: the second one is answered without a store.
  EXPECT_EQ(needs("POST till/payments {\"order\": 1} -> 201\n"
                  "  > Idempotency-Key: first-1742\n"
                  "  db: INSERT INTO payments (order_id) VALUES (1)\n"
                  "POST till/payments {\"order\": 1} -> 201\n"
                  "  > Idempotency-Key: first-1742\n"),
            "3<1 memory: first-1742 in the memory of till\n");
  // A cache, and who only reads fills none that matters.
  EXPECT_EQ(needs("PUT shop/trains/7/departure {\"at\": \"x\"} -> 204\n"
                  "  db: UPDATE trains SET at = 'x' WHERE id = 7\n"
                  "GET shop/trains/7/departure -> 200\n"
                  "GET shop/trains/7/departure -> 200\n"
                  "GET shop/trains/8/departure -> 200\n"),
            "3<1 memory: train 7 in the memory of shop\n"
            "4<1 memory: train 7 in the memory of shop\n");
}

// The plan of two units.
std::string plan(const std::string& text, std::uint64_t first, std::uint64_t second) {
  const Trace trace = TraceText::read(text);
  const PairPlan made = plan_pair(trace, find_dependencies(trace, {}), first, second);
  EXPECT_EQ(made.first, first);
  EXPECT_EQ(made.second, second);
  return fmt::format("{}", fmt::join(made.before, " ")) +
         (made.obstacle.empty() ? "" : ": " + made.obstacle);
}

const std::string kUsersAndOrders =
    "POST shop/users {\"name\": \"ann-1742\"} -> 201 {\"id\": 4}\n"    // 1
    "POST shop/orders {\"user_id\": 4} -> 201 {\"id\": 7}\n"           // 2
    "POST shop/other {} -> 201 {\"key\": \"zzz-17429\"}\n"             // 3
    "POST shop/orders {\"user_id\": 4} -> 201 {\"id\": 8}\n"           // 4
    "POST shop/orders/7/pay -> 204\n"                                  // 5
    "POST shop/vouchers {} -> 201 {\"code\": \"voucher-993\"}\n"       // 6
    "POST shop/orders/7/pay {\"voucher\": \"voucher-993\"} -> 204\n";  // 7

TEST(PairPlan, has_what_the_two_need_in_recorded_order) {
  EXPECT_EQ(plan(kUsersAndOrders, 4, 5), "1 2");
  EXPECT_EQ(plan(kUsersAndOrders, 2, 4), "1");
  EXPECT_EQ(plan(kUsersAndOrders, 3, 3), "");
}

TEST(PairPlan, what_only_the_second_needs_goes_before_both) {
  EXPECT_EQ(plan(kUsersAndOrders, 5, 7), "1 2 6");
}

TEST(PairPlan, a_value_of_the_first_answer_lets_nothing_overlap) {
  EXPECT_EQ(
      plan(kUsersAndOrders, 2, 5),
      "1: POST /orders/7/pay (unit 5) needs /body/id (7) of the answer of POST /orders (unit 2)");
}

TEST(PairPlan, what_needs_the_first_and_is_needed_by_the_second_lies_between) {
  EXPECT_EQ(
      plan("POST shop/a {} -> 200 {\"key\": \"aaa-1742\"}\n"
           "POST shop/b {\"key\": \"aaa-1742\"} -> 200 {\"key\": \"bbb-1742\"}\n"
           "POST shop/c {\"key\": \"bbb-1742\"} -> 200\n",
           1, 3),
      "2: POST /b (unit 2) lies between: POST /c (unit 3) needs it, and it needs POST /a (unit 1)");
}

TEST(PairPlan, a_row_of_the_first_is_what_they_race_for) {
  EXPECT_EQ(plan("PUT shop/a -> 204\n  db: UPDATE t SET n = 1 WHERE id = 1\n"
                 "PUT shop/b -> 204\n  db: UPDATE t SET n = 2 WHERE id = 1\n",
                 1, 3),
            "");
}

TEST(PairPlan, a_row_that_the_first_only_changed_is_there_for_those_between_anyway) {
  const auto form = [](const std::string& of_first) {
    return "POST shop/accounts {} -> 201\n  db: INSERT INTO accounts (id) VALUES (1)\n"  // 1, 2
           "POST shop/first {} -> 201\n  db: " +
           of_first +
           "\n"  // 3, 4
           "GET shop/form -> 200 {\"token\": \"<secret:0123456789abcdef>\"}\n"
           "  db: SELECT balance FROM accounts WHERE id = 1\n"                     // 5, 6
           "POST shop/second {\"token\": \"<secret:0123456789abcdef>\"} -> 201\n"  // 7
           "  db: UPDATE accounts SET balance = 5 WHERE id = 1\n";                 // 8
  };
  EXPECT_EQ(plan(form("UPDATE accounts SET balance = 6 WHERE id = 1"), 3, 7), "1 5");
  EXPECT_EQ(
      plan(form("INSERT INTO accounts (id) VALUES (1)"), 3, 7),
      "1 5: GET /form (unit 5) lies between: POST /second (unit 7) needs it, and it needs POST "
      "/first (unit 3)");
  // What only came of the first is not sent where nothing sure needs it.
  EXPECT_EQ(plan("PUT shop/a -> 204\n  db: UPDATE t SET n = 1 WHERE id = 1\n"
                 "PUT shop/b -> 204\n  db: UPDATE t SET n = 2 WHERE id = 1\n"
                 "PUT shop/c -> 204\n  db: UPDATE t SET n = 3 WHERE id = 1\n",
                 1, 5),
            "");
}

TEST(PairPlan, everything_before_is_everything_from_outside) {
  const Trace trace = TraceText::read(kUsersAndOrders);
  const PairPlan made = plan_everything_before(trace, find_dependencies(trace, {}), 5, 7);
  EXPECT_EQ(made.before, (std::vector<std::uint64_t>{1, 2, 3, 4, 6}));
}

TEST(PairPlan, names_the_requests_that_renew_tokens) {
  const std::string one = "<secret:0000000000000001>";
  const std::string two = "<secret:0000000000000002>";
  const Trace trace = TraceText::read("POST shop/login {} -> 200 {\"token\": \"" + one +
                                      "\"}\n"  // 1
                                      "POST shop/sessions {} -> 200 {\"token\": \"" +
                                      two +
                                      "\"}\n"                                         // 2
                                      "  db: INSERT INTO sessions (id) VALUES (1)\n"  // 3
                                      "POST shop/a {\"token\": \"" +
                                      one + "\", \"and\": \"" + two +
                                      "\"} -> 200\n"  // 4
                                      "POST shop/b {\"token\": \"" +
                                      one + "\"} -> 200\n");  // 5
  const RequestDependencies dependencies = find_dependencies(trace, {});
  const PairPlan made = plan_pair(trace, dependencies, 4, 5);
  EXPECT_EQ(made.before, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(requests_with_tokens(dependencies, made), std::vector<std::uint64_t>{1});
}

}  // namespace
}  // namespace heddle
