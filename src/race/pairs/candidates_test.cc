// Candidates of traces that are written as texts: one test for each case that the search tells
// apart. The figures are those of MicroRacer's paper.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "heddle/race.h"
#include "race/flows/race_testing.h"
#include "race/pairs/candidates_testing.h"

namespace heddle::race {
namespace {

// "flow: the second request uses ...", a line for each pair that was left out.
std::string left_out(const std::string& text, const RaceSettings& settings = {}) {
  std::string all;
  for (const LeftOutPair& each : found_in(text, settings).left_out) {
    all += std::string(to_string(each.step)) + ": " + each.why + "\n";
  }
  return all;
}

void expect_sum(const RaceTable& table) {
  EXPECT_EQ(table.random_pairs, table.by_instance + table.by_flow + table.by_locks +
                                    table.early_validated + table.to_test);
}

TEST(Candidates, OfALostUpdate) {
  const std::string update =
      "  orders-db: SELECT price FROM orders WHERE id = $1 [7] -> orders.price=1\n"
      "  orders-db: UPDATE orders SET price = $2 WHERE id = $1 [7, 2]\n";
  EXPECT_EQ(
      shown("POST orders/orders/7/price\n" + update + "POST orders/orders/7/price\n" + update),
      "lost update: POST orders/orders/*/price and POST orders/orders/*/price\n"
      "  orders(id=7) price rw\n  orders(id=7) price wr\n  orders(id=7) price ww\n");
}

// Figure 3: a payment and a cancellation of one order, through several services.
const std::string kPayment =
    "POST payments/payments {\"order\": 7}\n"
    "  GET orders/orders/7\n"
    "    orders-db: SELECT status FROM orders WHERE id = $1 [7] -> orders.status=open\n"
    "  payments-db: INSERT INTO payments (id, order_id, amount) VALUES ($1, $2, $3) [p1, 7, 40]\n"
    "  PUT orders/orders/7/status\n"
    "    orders-db: UPDATE orders SET status = $2 WHERE id = $1 [7, paid]\n";
const std::string kCancellation =
    "POST cancellations/cancellations {\"order\": 7}\n"
    "  GET orders/orders/7\n"
    "    orders-db: SELECT status FROM orders WHERE id = $1 [7] -> orders.status=paid\n"
    "  GET payments/payments?order=7\n"
    "    payments-db: SELECT id FROM payments WHERE order_id = $1 [7] -> payments.id=p1\n"
    "  PUT orders/orders/7/status\n"
    "    orders-db: UPDATE orders SET status = $2 WHERE id = $1 [7, cancelled]\n";

TEST(Figure3, ThePaymentMeetsReadsAndWritesOfTheCancellation) {
  EXPECT_EQ(shown(kPayment + kCancellation),
            "lost update: POST payments/payments and POST cancellations/cancellations\n"
            "  orders(id=7) status rw\n"
            "  payments(order_id=7) * wr\n"
            "  orders(id=7) status wr\n"
            "  orders(id=7) status ww\n");
}

TEST(Figure4, SpansOfOneFlowAreOrdered) {
  const RaceCandidates found = found_in(kPayment + kCancellation);
  expect_sum(found.table);
  // Of each flow, the read of the order and its update.
  EXPECT_EQ(found.table.by_flow, 2U);
  EXPECT_EQ(found.table.to_test, 4U);
  ASSERT_EQ(found.left_out.size(), 2U);
  EXPECT_EQ(found.left_out[0].why,
            "in one flow the second begins when the first is over; seen once in this order");
}

TEST(Figure5, AllIdLikeFieldsOfAnUpdateCount) {
  const std::string update =
      "POST payments/a\n  payments-db: UPDATE payments SET refunded = true, order_id = 9 WHERE id "
      "= "
      "'p1'\n";
  const std::string read =
      "POST payments/b\n  payments-db: SELECT amount FROM payments WHERE order_id = 9\n"
      "  payments-db: SELECT amount FROM payments WHERE order_id = 9\n";
  EXPECT_EQ(shown(update + read),
            "read and write: POST payments/a and POST payments/b\n"
            "  payments(order_id=9) order_id wr\n  payments(order_id=9) order_id wr\n");
}

TEST(Candidates, AreByWhatTheStoreDidNotByTheMethod) {
  const std::string count =
      "  seats-db: SELECT capacity FROM trains WHERE id = 7 -> trains.capacity=3\n"
      "  seats-db: UPDATE trains SET capacity = 4 WHERE id = 7\n";
  EXPECT_EQ(shown("GET seats/trains/7\n" + count + "GET seats/trains/7\n" + count),
            "lost update: GET seats/trains/* and GET seats/trains/*\n"
            "  trains(id=7) capacity rw\n  trains(id=7) capacity wr\n  trains(id=7) capacity ww\n");
  EXPECT_EQ(shown("POST seats/a\n  seats-db: SELECT * FROM trains WHERE id = 7\n"
                  "POST seats/b\n  seats-db: SELECT * FROM trains WHERE id = 7\n"),
            "");
}

std::string twice_at(const std::string& first, const std::string& second) {
  const auto request = [](const std::string& store) {
    return "POST shop/x\n  " + store + ": SELECT v FROM labels WHERE id = 1\n  " + store +
           ": UPDATE labels SET v = 2 WHERE id = 1\n";
  };
  return request(first) + request(second);
}

TEST(Instances, OneStoreUnderTwoAddressesIsFoundWithItsAlias) {
  EXPECT_EQ(shown(twice_at("db", "db-replica")), "");
  EXPECT_EQ(shown(twice_at("db", "db-replica"), {.aliases = {{"db-replica", "db"}}}),
            "lost update: POST shop/x and POST shop/x\n"
            "  labels(id=1) v rw\n  labels(id=1) v wr\n  labels(id=1) v ww\n");
}

TEST(Instances, EqualIdsInTwoDatabasesAreTwoThings) {
  EXPECT_EQ(left_out("PUT a/x\n  db-a: UPDATE labels SET v = 1 WHERE id = 7\n"
                     "PUT b/x\n  db-b: UPDATE labels SET v = 2 WHERE id = 7\n"),
            "instance: labels of db-a is not that of db-b\n");
}

TEST(Instances, DisjointColumnsAreTwoThings) {
  EXPECT_EQ(left_out("PUT a/x\n  orders-db: UPDATE orders SET price = 1 WHERE id = 7\n"
                     "PUT a/y\n  orders-db: UPDATE orders SET customer = 'x' WHERE id = 7\n"),
            "instance: of orders they use different columns: price; customer\n");
}

TEST(Instances, OneValueMayBeOfTwoRows) {
  EXPECT_EQ(left_out("PUT a/x\n  payments-db: UPDATE payments SET amount = 1 WHERE id = 7\n"
                     "PUT a/y\n  payments-db: INSERT INTO payments (id, order_id) VALUES (8, 7)\n"),
            "instance: they are about different rows of payments\n");
}

TEST(Creations, OfARowThatIsLookedForByName) {
  const std::string again =
      "POST seats/guests\n  seats-db: SELECT 1 FROM trains WHERE name = 'x'\n"
      "  seats-db: INSERT INTO trains (name) VALUES ('x')\n";
  const RaceCandidates found = found_in(again + again);
  EXPECT_EQ(shown(found),
            "creation: POST seats/guests and POST seats/guests\n"
            "  trains(name=x) * rw\n  trains(name=x) * wr\n");
  EXPECT_EQ(found.table.early_validated, 1U);
  expect_sum(found.table);
}

TEST(Creations, OfARowThatIsCounted) {
  const std::string reserve =
      "POST seats/guests\n  seats-db: SELECT count(*) FROM guests WHERE train = 7 -> count=0\n"
      "  seats-db: INSERT INTO guests (train, name) VALUES (7, 'ann')\n";
  EXPECT_EQ(shown(reserve + reserve),
            "creation: POST seats/guests and POST seats/guests\n"
            "  guests(train=7) * rw\n  guests(train=7) * wr\n");
}

TEST(Creations, AreKnownWhereTheSecondWasRefused) {
  EXPECT_EQ(shown("POST seats/guests -> 201\n  seats-db: SELECT 1 FROM trains WHERE name = 'x'\n"
                  "  seats-db: INSERT INTO trains (name) VALUES ('x')\n"
                  "POST seats/guests -> 409\n"
                  "  seats-db: SELECT 1 FROM trains WHERE name = 'x' -> 1=1\n"),
            "creation: POST seats/guests and POST seats/guests\n  trains(name=x) * wr\n");
}

TEST(Creations, AreNoneWithOnConflict) {
  const std::string upsert =
      "POST seats/x\n  seats-db: SELECT name FROM trains WHERE id = 1\n"
      "  seats-db: INSERT INTO trains (id, name) VALUES (1, 'x') ON CONFLICT DO NOTHING\n";
  const RaceCandidates found = found_in(upsert + upsert);
  EXPECT_EQ(found.table.early_validated, 0U);
  ASSERT_EQ(found.candidates.size(), 1U);
  EXPECT_EQ(found.candidates[0].pattern, RacePattern::check_then_act);
}

TEST(Creations, OfRowsOfTheirOwnAreNone) {
  const std::string add =
      "POST seats/x\n  seats-db: INSERT INTO guests (train, name) VALUES (7, 'x')\n";
  EXPECT_EQ(shown(add + add), "");
  const std::string drawn =
      "POST seats/x\n  seats-db: INSERT INTO trains (name) VALUES ('x') RETURNING id -> trains.id=";
  EXPECT_EQ(shown(drawn + "1\n" + drawn + "2\n"), "");
}

// What puts a row into a predicate, or takes it out, meets whoever looks by it.
TEST(Predicates, MeetRowsThatAreMovedIntoThemOrOut) {
  const auto met = [](const std::string& write) {
    const std::string text = shown(
        "POST a/x\n  orders-db: SELECT count(*) FROM orders WHERE status = 'open' -> count=1\n"
        "  orders-db: SELECT count(*) FROM orders WHERE status = 'open' -> count=1\n"
        "POST a/y\n  orders-db: " +
        write + "\n");
    return !text.empty();
  };
  EXPECT_TRUE(met("INSERT INTO orders (status) VALUES ('open')"));
  EXPECT_FALSE(met("INSERT INTO orders (status) VALUES ('paid')"));
  EXPECT_TRUE(
      met("INSERT INTO orders (customer) VALUES ('ann')"));  // a default, nobody knows which
  EXPECT_TRUE(met("UPDATE orders SET status = 'open' WHERE status = 'held'"));
  EXPECT_TRUE(met("UPDATE orders SET status = 'paid' WHERE id = 7"));
  EXPECT_FALSE(met("UPDATE orders SET status = 'paid' WHERE status = 'held'"));
  EXPECT_TRUE(met("UPDATE orders SET status = lower(customer) WHERE status = 'held'"));
  EXPECT_FALSE(met("UPDATE orders SET price = 1 WHERE status = 'open'"));
  EXPECT_TRUE(met("DELETE FROM orders WHERE id = 7"));
  EXPECT_FALSE(met("DELETE FROM orders WHERE status = 'held'"));
}

TEST(Predicates, OfAnUpdateAreRead) {
  const std::string open =
      "POST a/x\n  orders-db: UPDATE orders SET price = price + 1 WHERE status = 'open'\n"
      "  orders-db: UPDATE orders SET price = price + 1 WHERE status = 'open'\n";
  EXPECT_EQ(shown(open + "POST a/y\n  orders-db: UPDATE orders SET status = 'paid' WHERE id = 7\n"),
            "two writes: POST a/x and POST a/y\n"
            "  orders status rw coarse\n  orders status rw coarse\n");
}

TEST(Rows, AreCoarseWhereTheWireDoesNotTell) {
  const std::string all =
      "POST a/x\n  orders-db: SELECT sum(price) FROM orders\n"
      "  orders-db: UPDATE orders SET price = 0 -> 3\n";
  EXPECT_EQ(shown(all + all),
            "lost update: POST a/x and POST a/x\n  orders price rw coarse\n"
            "  orders price wr coarse\n  orders price ww coarse\n");
}

TEST(Rows, AreKnownByAnotherKeyFromElsewhere) {
  const std::string made =
      "POST a/m\n  payments-db: INSERT INTO payments (id, order_id) VALUES ('p1', 7)\n";
  const auto reads = [](const std::string& order) {
    return "POST a/x\n  payments-db: SELECT refunded FROM payments WHERE order_id = " + order +
           "\n  payments-db: SELECT refunded FROM payments WHERE order_id = " + order + "\n" +
           "POST a/y\n  payments-db: UPDATE payments SET refunded = true WHERE id = 'p1'\n";
  };
  EXPECT_NE(shown(made + reads("7")).find("POST a/x and POST a/y"), std::string::npos);
  EXPECT_EQ(shown(made + reads("8")).find("POST a/x and POST a/y"), std::string::npos);
}

TEST(Functions, ThatNobodyKnowsReadAndWriteAnything) {
  EXPECT_EQ(shown("POST a/x\n  orders-db: SELECT settle(7)\n"
                  "POST a/y\n  orders-db: SELECT price FROM orders WHERE id = 7\n"),
            "read and write: POST a/x and POST a/y\n  orders id,price wr coarse\n");
  EXPECT_EQ(shown("POST a/x\n  orders-db: SELECT lower(customer) FROM orders WHERE id = 7\n"
                  "POST a/y\n  orders-db: SELECT price FROM orders WHERE id = 7\n"),
            "");
}

// --- Locks -------------------------------------------------------------------------------------

std::string bump(const std::string& before, const std::string& after = "",
                 const std::string& begin = "BEGIN") {
  return "POST orders/x\n  orders-db: " + begin + "\n" + before +
         "  orders-db: SELECT price FROM orders WHERE id = 7 -> orders.price=1\n"
         "  orders-db: UPDATE orders SET price = 2 WHERE id = 7\n" +
         after + "  orders-db: COMMIT\n";
}

TEST(Locks, KeepApartWhoHoldThemAllTheWhile) {
  const std::string advisory = bump("  orders-db: SELECT pg_advisory_xact_lock(42, 7)\n");
  EXPECT_EQ(left_out(advisory + advisory),
            "locks: both hold the lock orders-db advisory 42,7, all the while\n");
  const std::string row =
      bump("  orders-db: SELECT id FROM orders WHERE id = 7 FOR UPDATE -> orders.id=7\n");
  EXPECT_EQ(left_out(row + row), "locks: both hold the lock orders(id=7) all the while\n");
  const std::string table = bump("  orders-db: LOCK TABLE orders IN EXCLUSIVE MODE\n");
  EXPECT_EQ(left_out(table + table),
            "locks: both hold the lock orders-db table orders all the while\n");
}

TEST(Locks, OfTheReadItselfCount) {
  const std::string locked =
      "POST orders/x\n  orders-db: BEGIN\n"
      "  orders-db: SELECT price FROM orders WHERE id = 7 FOR UPDATE -> orders.price=1\n"
      "  orders-db: UPDATE orders SET price = 2 WHERE id = 7\n  orders-db: COMMIT\n";
  EXPECT_EQ(left_out(locked + locked), "locks: both hold the lock orders(id=7) all the while\n");
}

TEST(Locks, AfterAPlainReadExcludeNothing) {
  const std::string late =
      "POST orders/x\n  orders-db: BEGIN\n"
      "  orders-db: SELECT price FROM orders WHERE id = 7 -> orders.price=1\n"
      "  orders-db: SELECT pg_advisory_xact_lock(42)\n"
      "  orders-db: UPDATE orders SET price = 2 WHERE id = 7\n  orders-db: COMMIT\n";
  EXPECT_EQ(found_in(late + late).candidates.size(), 1U);
}

TEST(Locks, ReleasedEarlyExcludeNothing) {
  const std::string early = bump("  orders-db: SELECT pg_advisory_lock(42)\n",
                                 "  orders-db: SELECT pg_advisory_unlock(42)\n");
  EXPECT_EQ(found_in(early + early).candidates.size(), 1U);
  const std::string late = bump("  orders-db: SELECT pg_advisory_lock(42)\n") +
                           "  orders-db: SELECT pg_advisory_unlock(42)\n";
  EXPECT_EQ(found_in(late + late).table.by_locks, 1U);
}

TEST(Locks, ForUpdateInAutocommitExcludesNothing) {
  const std::string single =
      "POST orders/x\n"
      "  orders-db: SELECT price FROM orders WHERE id = 7 FOR UPDATE -> orders.price=1\n"
      "  orders-db: UPDATE orders SET price = 2 WHERE id = 7\n";
  EXPECT_EQ(found_in(single + single).candidates.size(), 1U);
}

TEST(Locks, ThatAreSharedOrOfOtherThingsExcludeNothing) {
  const std::string shared = bump("  orders-db: SELECT pg_advisory_xact_lock_shared(42)\n");
  EXPECT_EQ(found_in(shared + shared).candidates.size(), 1U);
  EXPECT_EQ(found_in(bump("  orders-db: SELECT pg_advisory_xact_lock(1)\n") +
                     bump("  orders-db: SELECT pg_advisory_xact_lock(2)\n"))
                .candidates.size(),
            1U);
  const std::string missing = bump("  orders-db: SELECT id FROM orders WHERE id = 8 FOR UPDATE\n");
  EXPECT_EQ(found_in(missing + missing).candidates.size(), 1U);
}

// The snapshot is older than the wait for the lock.
TEST(Locks, AtRepeatableReadExcludeNothing) {
  const std::string old = bump("  orders-db: SELECT pg_advisory_xact_lock(42)\n", "",
                               "BEGIN ISOLATION LEVEL REPEATABLE READ");
  EXPECT_EQ(found_in(old + old).candidates.size(), 1U);
}

TEST(Locks, OfTheTeamAreTakenAndGivenBackByItsStatements) {
  const RaceSettings settings{
      .locks = {{.acquire = "insert into locks*", .release = "delete from locks*"}}};
  const std::string own = bump("  orders-db: INSERT INTO locks VALUES (7)\n") +
                          "  orders-db: DELETE FROM locks WHERE n = 7\n";
  EXPECT_EQ(found_in(own + own, settings).table.by_locks, 1U);
  EXPECT_EQ(found_in(own + own).table.by_locks, 0U);
}

TEST(Locks, SerializableLeavesCandidates) {
  const std::string serial = bump("", "", "BEGIN ISOLATION LEVEL SERIALIZABLE");
  EXPECT_EQ(found_in(serial + serial).candidates.size(), 1U);
}

// --- Order -------------------------------------------------------------------------------------

TEST(ClientOrder, IsOfValuesThatTheFirstAnswerHasTold) {
  const std::string made =
      "POST orders/orders {\"price\": 7} -> 201 {\"id\": 7}\n"
      "  orders-db: INSERT INTO orders (price) VALUES (7) RETURNING id -> orders.id=7\n";
  EXPECT_EQ(left_out(made + "POST orders/orders/7/pay\n"
                            "  orders-db: SELECT price FROM orders WHERE id = 7\n"
                            "  orders-db: UPDATE orders SET status = 'paid' WHERE id = 7\n"),
            "flow: the second request uses what the first one's response told\n");
  // Whoever did not need to be told may come at any time.
  EXPECT_EQ(shown(made + "POST orders/pay\n"
                         "  orders-db: SELECT price FROM orders WHERE price = 7\n"
                         "  orders-db: UPDATE orders SET status = 'paid' WHERE id = 7\n"),
            "check-then-act: POST orders/orders and POST orders/pay\n"
            "  orders(price=7) * wr\n  orders(id=7) * ww\n");
}

TEST(ClientOrder, FollowsTokens) {
  const std::string change =
      "  orders-db: SELECT price FROM orders WHERE id = 7\n"
      "  orders-db: UPDATE orders SET price = 1 WHERE id = 7\n";
  EXPECT_EQ(left_out("POST orders/login -> 200 {\"token\": \"a1b2c3d4e5\"}\n" + change +
                     "POST orders/x {\"token\": \"a1b2c3d4e5\"}\n" + change),
            "flow: the second request uses what the first one's response told\n");
}

TEST(ClientOrder, DoesNotHoldForWhatGoesOnAfterTheAnswer) {
  EXPECT_EQ(shown("1-10 POST orders/orders -> 201 {\"token\": \"a1b2c3d4e5\"}\n"
                  "  2-3 orders-db: SELECT price FROM orders WHERE id = 7\n"
                  "  12-13 orders-db: UPDATE orders SET price = 1 WHERE id = 7\n"
                  "20-30 POST orders/x {\"token\": \"a1b2c3d4e5\"}\n"
                  "  21-22 orders-db: SELECT price FROM orders WHERE id = 7\n"
                  "  23-24 orders-db: UPDATE orders SET price = 1 WHERE id = 7\n"),
            "lost update: POST orders/orders and POST orders/x\n"
            "  orders(id=7) price wr\n  orders(id=7) price ww\n");
}

TEST(SinglePoint, OfAReadOfOneTransactionIsNoRace) {
  const std::string write =
      "POST orders/x\n  orders-db: BEGIN\n"
      "  orders-db: UPDATE orders SET price = 1 WHERE id = 7\n"
      "  orders-db: UPDATE orders SET price = 1 WHERE id = 8\n  orders-db: COMMIT\n";
  const std::string once =
      "GET orders/sum\n  orders-db: SELECT sum(price) FROM orders WHERE id IN (7, 8)\n";
  EXPECT_EQ(shown(write + once), "");
  const std::string twice =
      "GET orders/sum\n  orders-db: SELECT price FROM orders WHERE id = 7\n"
      "  orders-db: SELECT price FROM orders WHERE id = 8\n";
  EXPECT_EQ(found_in(write + twice).candidates.size(), 1U);
  const std::string snapshot =
      "GET orders/sum\n  orders-db: BEGIN ISOLATION LEVEL REPEATABLE READ\n"
      "  orders-db: SELECT price FROM orders WHERE id = 7\n"
      "  orders-db: SELECT price FROM orders WHERE id = 8\n  orders-db: COMMIT\n";
  EXPECT_EQ(shown(write + snapshot), "");
}

TEST(SinglePoint, IsNoneForWhoeverWasAlwaysRefused) {
  const std::string end = "  orders-db: SELECT status FROM orders WHERE id = 7\n";
  EXPECT_EQ(found_in("POST orders/a -> 201\n" + end +
                     "  orders-db: UPDATE orders SET status = 'x' WHERE id = 7\n"
                     "POST orders/b -> 409\n" +
                     end)
                .candidates.size(),
            1U);
}

// --- The whole ---------------------------------------------------------------------------------

TEST(Candidates, OfOneShapeAreOne) {
  std::string text;
  for (const char* id : {"7", "8"}) {
    const std::string update =
        std::string("POST orders/x\n  orders-db: SELECT price FROM orders WHERE id = ") + id +
        "\n  orders-db: UPDATE orders SET price = 2 WHERE id = " + id + "\n";
    text += update + update;
  }
  const RaceCandidates found = found_in(text);
  ASSERT_EQ(found.candidates.size(), 1U);
  EXPECT_EQ(found.candidates[0].pairs.size(), 2U);
}

TEST(Candidates, ReadATestThatDiedHalfWay) {
  Trace trace = trace_of(std::string(kTables) + kPayment + kCancellation);
  trace.requests.back().answered.reset();
  trace.requests.back().status = 0;
  trace.end.reset();
  const RaceCandidates found = find_race_candidates(trace, {});
  EXPECT_EQ(found.candidates.size(), 1U);
  ASSERT_FALSE(found.remarks.empty());
  EXPECT_EQ(found.remarks.back(),
            "the recording did not come to its end: the trace is what was written until then");
}

TEST(Candidates, AreEqualForEachNumberOfJobs) {
  const Trace trace = trace_of(std::string(kTables) + kPayment + kCancellation + kPayment);
  const std::string once = shown(find_race_candidates(trace, {}, 1));
  for (const std::size_t jobs : {2U, 5U}) {
    EXPECT_EQ(shown(find_race_candidates(trace, {}, jobs)), once);
  }
}

TEST(Candidates, TakeUnsureStatementsForEachOfTheirFlows) {
  Trace trace = trace_of(
      "1-50 POST orders/a\n  2-3 orders-db: SELECT price FROM orders WHERE id = 7\n"
      "5-60 POST orders/b\n  10-11 orders-db: SELECT price FROM orders WHERE id = 7\n"
      "  12-13 orders-db: UPDATE orders SET price = 2 WHERE id = 7\n");
  EXPECT_EQ(shown(find_race_candidates(trace, {})), "");  // it reads at a single point
  trace.statements.back().flow = {
      .number = 0, .evidence = FlowEvidence::unsure, .candidates = {1, 2}};
  const RaceCandidates found = find_race_candidates(trace, {});
  EXPECT_EQ(shown(found),
            "lost update: POST orders/a and POST orders/b\n"
            "  orders(id=7) price rw\n  orders(id=7) price wr\n");
  ASSERT_FALSE(found.remarks.empty());
  EXPECT_NE(found.remarks.front().find("1 unit"), std::string::npos);
}

TEST(Candidates, FindReadsFromAMemoryThatPolls) {
  Trace trace = trace_of(
      "table db ledger(id, account, amount) key(id)\n"
      "GET bank/setup\n  db: SELECT id, account, amount FROM ledger WHERE id > 0\n"
      "POST bank/pay\n  GET bank/balances/ann1\n"
      "  db: INSERT INTO ledger (account, amount) VALUES ('ann1', 3) RETURNING id -> ledger.id=1\n"
      "POST bank/pay\n  GET bank/balances/ann1\n"
      "  db: INSERT INTO ledger (account, amount) VALUES ('ann1', 4) RETURNING id -> "
      "ledger.id=2\n");
  trace.statements.front().flow = {.number = 0, .evidence = FlowEvidence::background};
  EXPECT_EQ(shown(find_race_candidates(trace, {})),
            "creation: POST bank/pay and POST bank/pay\n"
            "  ledger(id=2) * rw\n  ledger(id=1) * wr\n");
}

}  // namespace
}  // namespace heddle::race
