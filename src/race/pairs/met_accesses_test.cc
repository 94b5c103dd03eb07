// The search by values against one that looks at every pair, and that against rows one by one.
#include "race/pairs/met_accesses.h"

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "race/flows/race_testing.h"

namespace heddle::race {
namespace {

// Statements on one table of three columns with few values, so that rows meet often.
class RandomTraces {
 public:
  explicit RandomTraces(unsigned seed) : random_(seed) {}

  std::string draw() {
    std::string text =
        "table db a(id, x, y) key(id)\ntable db b(id, x, y)\ntable db2 a(id, x, y) key(id)\n";
    for (int i = 0; i < 8; ++i) text += "POST s/r\n" + statement() + statement();
    return text;
  }

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  std::string value() { return std::to_string(below(3)); }
  std::string column() { return std::vector<std::string>{"id", "x", "y"}[below(3)]; }
  std::string table() { return below(4) == 0 ? "b" : "a"; }

  std::string condition() {
    std::string text = column() + " = " + value();
    if (below(3) == 0) text = column() + " IN (" + value() + ", " + value() + ")";
    if (below(4) == 0) text = column() + " < " + value();
    if (below(5) == 0) text = "NOT " + column() + " = " + value();
    if (below(3) == 0) text += (below(2) == 0 ? " AND " : " OR ") + column() + " = " + value();
    return text;
  }

  std::string statement() {
    const std::string store = below(5) == 0 ? "  db2: " : "  db: ";
    const std::string where = " WHERE " + condition() + "\n";
    switch (below(5)) {
      case 0:
        return store + "UPDATE " + table() + " SET " + column() + " = " + value() + where;
      case 1:
        return store + "DELETE FROM " + table() + where;
      case 2:
        return store + "INSERT INTO " + table() + " (id, x) VALUES (" + value() + ", " + value() +
               ")\n";
      default:
        return store + "SELECT " + column() + " FROM " + table() + where;
    }
  }

  std::mt19937 random_;
};

FlowAccesses accesses_of(const Trace& trace) {
  return read_flow_accesses(trace, read_flows(trace), {}, 1);
}

std::string shown_met(const std::vector<MetAccesses>& all) {
  std::string text;
  for (const MetAccesses& each : all) {
    text += std::to_string(each.accesses.first) + "-" + std::to_string(each.accesses.second) +
            (each.meeting.is_met ? " met" : "") + (each.is_one_store ? "" : " apart") + "\n";
  }
  return text;
}

TEST(MetAccesses, AreThoseOfEveryPair) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Trace trace = trace_of(RandomTraces(seed).draw());
    const FlowAccesses all = accesses_of(trace);
    EXPECT_EQ(shown_met(find_met_accesses(all, {}, 2)),
              shown_met(find_met_accesses_slowly(all, {})))
        << "seed " << seed;
  }
}

// A row as numbers.
using Row = std::vector<int>;

KnownRow known(const Row& row) {
  return {{"id", text_value(std::to_string(row[0]))},
          {"x", text_value(std::to_string(row[1]))},
          {"y", text_value(std::to_string(row[2]))}};
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (int id = 0; id < 4; ++id) {
    for (int x = 0; x < 4; ++x) {
      for (int y = 0; y < 4; ++y) rows.push_back({id, x, y});
    }
  }
  return rows;
}

bool finds(const Access& access, const KnownRow& row) {
  return access.reads && evaluate(access.looks, row) == Truth::yes;
}

// Whether the query answers otherwise when the write comes before it, for some single row.
bool sees_write(const Access& query, const Access& write) {
  for (const Row& each : all_rows()) {
    const KnownRow row = known(each);
    if (write.inserts) {
      bool is_new = true;
      for (const auto& [column, value] : write.new_rows.front()) {
        is_new = is_new && row.at(column) == value;
      }
      if (is_new && finds(query, row)) return true;
      continue;
    }
    if (!finds(write, row)) continue;
    if (write.deletes && finds(query, row)) return true;
    KnownRow after = row;
    for (const auto& [column, value] : write.assigned) after[column] = value;
    if (!write.updates || after == row) continue;
    if (finds(query, row) != finds(query, after)) return true;
    for (const std::string& column : query.columns_read) {
      if (finds(query, row) && after.at(column) != row.at(column)) return true;
    }
  }
  return false;
}

// Pairs that differ for some row and are not among those found.
std::size_t missed(const FlowAccesses& all, const std::vector<MetAccesses>& found) {
  std::set<std::pair<std::size_t, std::size_t>> met;
  for (const MetAccesses& each : found) {
    if (each.meeting.is_met && !each.meeting.columns.empty()) {
      met.emplace(each.accesses.first, each.accesses.second);
    }
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < all.accesses.size(); ++i) {
    for (std::size_t j = i + 1; j < all.accesses.size(); ++j) {
      const FlowAccess& one = all.accesses[i];
      const FlowAccess& other = all.accesses[j];
      const bool is_one_table = one.store == other.store && one.access.table == other.access.table;
      if (!is_one_table) continue;
      const bool differs =
          (!one.access.writes() && other.access.writes() && sees_write(one.access, other.access)) ||
          (!other.access.writes() && one.access.writes() && sees_write(other.access, one.access));
      if (differs && !met.contains({i, j})) ++count;
    }
  }
  return count;
}

TEST(MetAccesses, MissNoRow) {
  for (unsigned seed = 100; seed < 130; ++seed) {
    const Trace trace = trace_of(RandomTraces(seed).draw());
    const FlowAccesses all = accesses_of(trace);
    EXPECT_EQ(missed(all, find_met_accesses(all, {}, 1)), 0U) << "seed " << seed;
  }
}

// The canary: an engine that forgets what an update makes of a row has to be noticed.
TEST(MetAccesses, AreComparedByATestThatNotices) {
  std::size_t noticed = 0;
  for (unsigned seed = 100; seed < 130; ++seed) {
    const Trace trace = trace_of(RandomTraces(seed).draw());
    const FlowAccesses all = accesses_of(trace);
    FlowAccesses broken = all;
    for (FlowAccess& each : broken.accesses) {
      each.access.deciding_columns.clear();
      each.access.columns_read.clear();
    }
    noticed += missed(all, find_met_accesses(broken, {}, 1));
  }
  EXPECT_GT(noticed, 0U);
}

}  // namespace
}  // namespace heddle::race
