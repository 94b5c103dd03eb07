// Programs of tests/programs about which the truth is known.
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/cycles.h"
#include "find/search/find_testing.h"
#include "heddle/constraints.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

FindOptions known_at(IsolationLevel level) {
  FindOptions options;
  options.level = level;
  return options;
}

FindOptions pairs_at(IsolationLevel level) {
  FindOptions options = known_at(level);
  options.max_instances = 2;
  options.max_length = 4;
  return options;
}

// Alomari, Cahill, Fekete and Röhm (2008): the only dangerous structure of SmallBank.
TEST(KnownPrograms, smallbank_is_not_serializable_under_snapshot_isolation) {
  const Program program = known_program("smallbank", {"balance", "transactSavings", "writeCheck"});
  const Result<FindReport> report = find_anomalies(program, known_at(IsolationLevel::snapshot));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->max_length, 6U);
  ASSERT_FALSE(report->causes.empty());
  for (const FoundCause& cause : report->causes) {
    std::set<std::string> names;
    for (const FoundNode& node : cause.cores.front().nodes) {
      names.insert(program.functionalities[node.functionality].name);
    }
    EXPECT_EQ(names, (std::set<std::string>{"balance", "transactSavings", "writeCheck"}));
    EXPECT_EQ(cause.cores.front().nodes.size(), 5U);
  }
  EXPECT_THAT(causes(known_program("smallbank"), pairs_at(IsolationLevel::snapshot)), IsEmpty());
}

// The dangerous structure alone. `in_savings`: what TransactSavings does besides; `in_check`: what
// WriteCheck does.
std::string small_bank(const std::string& in_savings, const std::string& in_check) {
  return "CREATE TABLE savings (id int PRIMARY KEY, bal int NOT NULL);\n"
         "CREATE TABLE checking (id int PRIMARY KEY, bal int NOT NULL);\n"
         "CREATE TABLE conflict (id int PRIMARY KEY, value int NOT NULL);\n" +
         routine("balance(c int)",
                 "DECLARE s int; k int;\nBEGIN\n"
                 "SELECT bal INTO s FROM savings WHERE id = c;\n"
                 "SELECT bal INTO k FROM checking WHERE id = c;\nEND") +
         routine("transact_savings(c int, v int)",
                 "DECLARE s int;\nBEGIN\n"
                 "SELECT bal INTO s FROM savings WHERE id = c;\n"
                 "UPDATE savings SET bal = s + v WHERE id = c;\n" +
                     in_savings + "END") +
         routine("write_check(c int, v int)",
                 "DECLARE s int; k int;\nBEGIN\n"
                 "SELECT bal INTO s FROM savings WHERE id = c;\n"
                 "SELECT bal INTO k FROM checking WHERE id = c;\n"
                 "IF s + k < v THEN v := v + 1; END IF;\n"
                 "UPDATE checking SET bal = k - v WHERE id = c;\n" +
                     in_check + "END");
}

// The two ways to take a vulnerable edge out of it: write what is only read, or write one row of a
// table made for it.
TEST(KnownPrograms, promotion_and_materialization_repair_smallbank) {
  const char* const anomaly =
      "write skew: balance transact_savings write_check on checking savings";
  const std::string promoted = "UPDATE savings SET bal = bal WHERE id = c;\n";
  const std::string materialized =
      "INSERT INTO conflict (id, value) VALUES (c, 0) ON CONFLICT (id) DO UPDATE SET value = 1;\n";
  const std::string perhaps = "UPDATE conflict SET value = value + 1 WHERE id = c;\n";
  for (const char* level : {"snapshot", "postgres:repeatable-read"}) {
    EXPECT_THAT(causes(small_bank("", ""), level), testing::ElementsAre(anomaly)) << level;
    EXPECT_THAT(causes(small_bank("", promoted), level), IsEmpty()) << level;
    EXPECT_THAT(causes(small_bank(materialized, materialized), level), IsEmpty()) << level;
    // Nobody says that there is a row to write; and half of it is nothing.
    EXPECT_THAT(causes(small_bank(perhaps, perhaps), level), testing::ElementsAre(anomaly))
        << level;
    EXPECT_THAT(causes(small_bank(materialized, ""), level), testing::ElementsAre(anomaly))
        << level;
  }
}

// Fekete, Liarokapis, O'Neil, O'Neil and Shasha (2005), who argue with the numbers of orders, too.
TEST(KnownPrograms, tpcc_is_serializable_under_snapshot_isolation) {
  const Program program = known_program("tpcc");
  FindOptions options = known_at(IsolationLevel::snapshot);
  const SourceText facts = read_file(programs() / "tpcc" / "constraints.txt");
  Result<Constraints> constraints = parse_constraints(facts.text, facts.file);
  ASSERT_TRUE(constraints);
  options.constraints = *std::move(constraints);
  const Result<FindReport> report = find_anomalies(program, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->max_length, 6U);
  EXPECT_EQ(report->bound, "");
  EXPECT_TRUE(report->causes.empty());
  // Without the numbers an order may be open before it is made.
  options.constraints = {};
  EXPECT_THAT(causes(program, options), Contains(HasSubstr("delivery newOrder orderStatus")));
}

// Whether some cycle is of these functionalities and on this table, among others.
bool has_cycle(const FindReport& report, const Program& program,
               const std::multiset<std::string>& names, const std::string& table) {
  const auto is_meant = [&](const FoundCycle& cycle) {
    std::map<std::size_t, std::string> instances;
    for (const FoundNode& node : cycle.nodes) {
      instances[node.instance] = program.functionalities[node.functionality].name;
    }
    std::multiset<std::string> members;
    for (const auto& [instance, name] : instances) members.insert(name);
    return members == names &&
           std::ranges::find(cycle.edges, table, &FoundEdge::table) != cycle.edges.end();
  };
  return std::ranges::any_of(report.causes, [&](const FoundCause& cause) {
    return std::ranges::any_of(cause.cores, is_meant) ||
           std::ranges::any_of(cause.extensions, is_meant);
  });
}

// Rahmani, Nagar, Delaware and Jagannathan (2019): what CLOTHO found in TPC-C. Its tables
// all have keys; the one of payments' history is made up, because the specification has none.
TEST(KnownPrograms, all_that_was_published_of_tpcc_is_found) {
  const Program pairs = known_program("tpcc", {"payment", "delivery", "newOrder"},
                                      {{"h_data varchar(24) NOT NULL,",
                                        "h_data varchar(24) NOT NULL,\n"
                                        "PRIMARY KEY (h_c_id, h_c_d_id, h_c_w_id, h_date),"}});
  const Result<FindReport> of_two = find_anomalies(pairs, pairs_at(IsolationLevel::eventual));
  ASSERT_TRUE(of_two);
  for (const char* table : {"warehouse", "district", "customer", "history"}) {
    EXPECT_TRUE(has_cycle(*of_two, pairs, {"payment", "payment"}, table)) << table;
  }
  for (const char* table : {"district", "stock"}) {
    EXPECT_TRUE(has_cycle(*of_two, pairs, {"newOrder", "newOrder"}, table)) << table;
  }
  for (const char* table : {"customer", "new_order"}) {
    EXPECT_TRUE(has_cycle(*of_two, pairs, {"delivery", "delivery"}, table)) << table;
  }
  EXPECT_TRUE(has_cycle(*of_two, pairs, {"delivery", "payment"}, "customer"));
  const Program triples = known_program("tpcc", {"delivery", "orderStatus", "newOrder"});
  FindOptions options = known_at(IsolationLevel::eventual);
  options.max_length = 4;
  const Result<FindReport> of_three = find_anomalies(triples, options);
  ASSERT_TRUE(of_three);
  EXPECT_TRUE(has_cycle(*of_three, triples, {"delivery", "orderStatus", "newOrder"}, "order_line"));
  EXPECT_TRUE(has_cycle(*of_three, triples, {"newOrder", "newOrder", "newOrder"}, "stock"));
}

// What each level leaves of the one before it.
TEST(KnownPrograms, levels_leave_less_and_less_of_tpcc) {
  const Program program = known_program("tpcc");
  const auto eventual = causes(program, pairs_at(IsolationLevel::eventual));
  const auto committed = causes(program, pairs_at(IsolationLevel::postgres_read_committed));
  EXPECT_GT(eventual.size(), committed.size());
  EXPECT_THAT(committed, Contains("lost update: newOrder newOrder on district"));
  EXPECT_THAT(committed, Contains("lost update: newOrder newOrder on stock"));
  EXPECT_THAT(committed, Contains("lost update: payment payment on customer"));
  EXPECT_THAT(causes(program, pairs_at(IsolationLevel::postgres_repeatable_read)), IsEmpty());
  EXPECT_THAT(causes(program, known_at(IsolationLevel::serializable)), IsEmpty());
}

TEST(KnownPrograms, voters_may_outvote_the_limit) {
  const Program program = known_program("voter");
  for (const IsolationLevel level :
       {IsolationLevel::eventual, IsolationLevel::postgres_read_committed, IsolationLevel::snapshot,
        IsolationLevel::mariadb_repeatable_read}) {
    EXPECT_THAT(causes(program, known_at(level)), Contains("phantom: vote vote on votes"));
  }
  EXPECT_THAT(causes(program, known_at(IsolationLevel::serializable)), IsEmpty());
}

// Two blind writes; and two calls that both report to have deleted the one row there was, where
// they do not see each other, or where it was put back for the second one.
TEST(KnownPrograms, tatp_mixes_writes_only_where_transactions_are_not_kept_together) {
  const Program program = known_program("tatp");
  EXPECT_THAT(
      causes(program, known_at(IsolationLevel::eventual)),
      UnorderedElementsAre(
          "dirty write: updateSubscriberData updateSubscriberData on special_facility subscriber",
          "serialization cycle: deleteCallForwarding deleteCallForwarding on call_forwarding",
          "lost update: deleteCallForwarding deleteCallForwarding insertCallForwarding on "
          "call_forwarding"));
  EXPECT_THAT(causes(program, known_at(IsolationLevel::read_committed)),
              UnorderedElementsAre(
                  "serialization cycle: deleteCallForwarding deleteCallForwarding on "
                  "call_forwarding",
                  "lost update: deleteCallForwarding deleteCallForwarding insertCallForwarding on "
                  "call_forwarding"));
  EXPECT_THAT(causes(program, known_at(IsolationLevel::postgres_read_committed)), IsEmpty());
}

// Two reservations that do not see each other count the seats of the flight once, and leave one of
// them where both have been seen.
TEST(KnownPrograms, seats_are_sold_twice) {
  const Program program = known_program("seats", {"newReservation", "findOpenSeats"});
  const auto eventual = causes(program, pairs_at(IsolationLevel::eventual));
  for (const char* cause : {"lost update: newReservation newReservation on flight",
                            "lost update: newReservation newReservation on customer",
                            "read skew: findOpenSeats newReservation on flight reservation"}) {
    EXPECT_THAT(eventual, Contains(cause));
  }
  EXPECT_THAT(causes(program, known_at(IsolationLevel::serializable)), IsEmpty());
}

// A reader sees the new revision's number and not its text; two writers count one edit.
TEST(KnownPrograms, pages_of_wikipedia_are_seen_half_written) {
  const Program program = known_program("wikipedia", {"getPageAnonymous", "updatePage"});
  const auto eventual = causes(program, pairs_at(IsolationLevel::eventual));
  for (const char* cause : {"lost update: updatePage updatePage on useracct",
                            "read skew: getPageAnonymous updatePage on page text",
                            "non-repeatable read: getPageAnonymous updatePage on page"}) {
    EXPECT_THAT(eventual, Contains(cause));
  }
  EXPECT_THAT(causes(program, known_at(IsolationLevel::serializable)), IsEmpty());
}

// Nobody reads what it writes.
TEST(KnownPrograms, twitter_has_none) {
  EXPECT_THAT(causes(known_program("twitter"), known_at(IsolationLevel::eventual)), IsEmpty());
}

// An UPDATE meets another one on its row and on the key that it gives the row.
TEST(KnownPrograms, operations_that_meet_in_several_ways_are_one_cycle) {
  const std::string seat =
      "CREATE TABLE seat (id int PRIMARY KEY, flight int NOT NULL, place int NOT NULL,\n"
      "                   UNIQUE (flight, place));\n";
  const std::string body =
      "BEGIN\n"
      "  IF EXISTS (SELECT 1 FROM seat WHERE flight = f AND place = p) THEN RETURN; END IF;\n"
      "  UPDATE seat SET place = p WHERE id = i AND flight = f;\n"
      "END";
  FindOptions options;
  options.level = IsolationLevel::eventual;
  options.max_instances = 2;
  const std::string leave = routine("leave(i int)", "BEGIN DELETE FROM seat WHERE id = i; END");
  const Result<FindReport> report =
      find_anomalies(parse(seat + routine("move(i int, f int, p int)", body) + leave), options);
  ASSERT_TRUE(report);
  std::map<std::string, std::size_t> seen;
  for (const FoundCause& cause : report->causes) {
    std::vector<FoundCycle> cycles = cause.cores;
    cycles.insert(cycles.end(), cause.extensions.begin(), cause.extensions.end());
    for (const FoundCycle& cycle : cycles) {
      std::vector<std::string> parts;
      for (const FoundEdge& edge : cycle.edges) {
        const FoundNode& from = cycle.nodes[edge.from];
        const FoundNode& to = cycle.nodes[edge.to];
        parts.push_back(fmt::format("{} {} {} {} {};", from.functionality, from.statement,
                                    to_string(edge.kind), to.functionality, to.statement));
      }
      ++seen[least_rotation(parts)];
    }
  }
  EXPECT_GT(seen.size(), 3U);
  for (const auto& [cycle, times] : seen) EXPECT_EQ(times, 1U) << cycle;
}

}  // namespace
}  // namespace heddle::find
