// What check calls the cycle that it tells of a recorded history is what explore calls that cycle
// of the same history, whose versions it knows.
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/dependencies/classify.h"
#include "heddle/check.h"
#include "heddle/dependency.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNameSeeds = 6000;

// One execution, seen by the store and by its clients.
struct Both {
  History known;
  TransactionHistory recorded;
};

// Transactions of up to three operations, each on another row; versions in any order.
class Sample {
 public:
  explicit Sample(std::uint32_t seed) : random_(seed) {}

  Both make() {
    const std::size_t transactions = 2 + below(3);
    rows_ = 1 + below(3);
    for (std::size_t txn = 0; txn < transactions; ++txn) plan(txn);
    for (std::vector<std::size_t>& writers : writers_) std::ranges::shuffle(writers, random_);
    for (std::size_t txn = 0; txn < transactions; ++txn) add_transaction(txn);
    add_last_reader(transactions);
    return std::move(both_);
  }

 private:
  struct Access {
    std::size_t row = 0;
    bool reads = false;
    bool writes = false;
  };

  std::size_t below(std::size_t bound) { return random_() % bound; }

  void plan(std::size_t txn) {
    writers_.resize(rows_);
    std::vector<Access>& accesses = plans_.emplace_back();
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::size_t what = below(4);
      if (what == 3) continue;
      accesses.push_back({.row = row, .reads = what != 1, .writes = what != 0});
      if (accesses.back().writes) writers_[row].push_back(txn);
    }
    std::ranges::shuffle(accesses, random_);
  }

  void add_transaction(std::size_t txn) {
    if (txn == 0) add_initial_versions();
    HistoryTransaction& known = both_.known.transactions.emplace_back();
    known.session = static_cast<std::uint32_t>(txn);
    known.name = fmt::format("s{}", txn + 1);
    RecordedTransaction recorded;
    recorded.session = static_cast<std::uint32_t>(txn);
    recorded.first = static_cast<std::uint32_t>(both_.recorded.operations.size());
    for (const Access& access : plans_[txn]) {
      const std::vector<std::size_t>& writers = writers_[access.row];
      const auto own = static_cast<std::size_t>(std::ranges::find(writers, txn) - writers.begin());
      // Nobody reads what they write themselves, or later versions of it.
      if (access.reads) read(txn, access.row, below(std::min(own, writers.size()) + 1));
      if (access.writes) write(txn, access.row, own);
    }
    recorded.count = static_cast<std::uint32_t>(both_.recorded.operations.size()) - recorded.first;
    both_.recorded.transactions.push_back(recorded);
  }

  void add_initial_versions() {
    both_.known.versions_of.resize(rows_);
    for (std::size_t row = 0; row < rows_; ++row) {
      both_.known.rows.push_back({"t", fmt::format("{}", row)});
      for (std::size_t place = 0; place <= writers_[row].size(); ++place) {
        both_.known.versions_of[row].emplace_back(both_.known.versions.size());
        RowVersion version{.row = RowId(row), .writer = {}, .value = fmt::format("{}", place)};
        if (place > 0) version.writer = TransactionId(writers_[row][place - 1]);
        both_.known.versions.push_back(version);
      }
    }
  }

  void add(OperationKind kind, std::size_t txn, std::size_t row, std::size_t version) {
    both_.known.transactions[txn].operations.emplace_back(both_.known.operations.size());
    Operation& operation = both_.known.operations.emplace_back();
    operation.kind = kind;
    operation.transaction = TransactionId(txn);
    operation.version = both_.known.versions_of[row][version];
  }

  KeyId key(std::size_t row) {
    return both_.recorded.keys.of(both_.recorded.texts.text(fmt::format("k{}", row)));
  }

  void record_list(std::size_t row, std::size_t versions) {
    std::vector<Value> list;
    for (std::size_t i = 0; i < versions; ++i) {
      list.push_back(Value::number(static_cast<std::int64_t>(writers_[row][i])));
    }
    const ListId id = both_.recorded.lists.add(list);
    both_.recorded.operations.push_back(
        {key(row), KeyAction::read_list, {static_cast<std::int64_t>(id.index())}});
  }

  void read(std::size_t txn, std::size_t row, std::size_t version) {
    add(OperationKind::read, txn, row, version);
    record_list(row, version);
  }

  void write(std::size_t txn, std::size_t row, std::size_t place) {
    add(OperationKind::write, txn, row, place + 1);
    both_.recorded.operations.push_back(
        {key(row), KeyAction::append, Value::number(static_cast<std::int64_t>(txn))});
  }

  // Whose lists show the order of all versions, and who comes after everybody.
  void add_last_reader(std::size_t txn) {
    RecordedTransaction recorded;
    recorded.session = static_cast<std::uint32_t>(txn);
    recorded.first = static_cast<std::uint32_t>(both_.recorded.operations.size());
    for (std::size_t row = 0; row < rows_; ++row) record_list(row, writers_[row].size());
    recorded.count = static_cast<std::uint32_t>(rows_);
    both_.recorded.transactions.push_back(recorded);
  }

  std::mt19937 random_;
  std::size_t rows_ = 0;
  std::vector<std::vector<Access>> plans_;
  std::vector<std::vector<std::size_t>> writers_;  // per row, in version order
  Both both_;
};

// The cycle that check tells, as explore would have found it: operations have the same numbers in
// both histories.
std::vector<DependencyEdge> known_form(const std::vector<RecordedEdge>& cycle) {
  std::vector<DependencyEdge> edges;
  for (const RecordedEdge& recorded : cycle) {
    DependencyEdge& edge = edges.emplace_back();
    edge.kind = recorded.kind;
    edge.from = *recorded.from;
    edge.to = recorded.to;
    edge.from_operation = OperationId(*recorded.from_operation);
    edge.to_operation = OperationId(*recorded.to_operation);
    edge.row = RowId(recorded.key.index());
  }
  return edges;
}

// Two that read and overwrite one row: check says no more than that neither can be first.
bool is_about_two_writers(const std::vector<DependencyEdge>& cycle) {
  return cycle.size() == 2 && cycle[0].row == cycle[1].row && cycle[0].kind == DependencyKind::rw &&
         cycle[1].kind == DependencyKind::rw;
}

// An order of writes that no list shows is one that explore would know.
bool has_unseen_order(const Counterexample& example) {
  return std::ranges::any_of(example.cycle, [](const RecordedEdge& edge) {
    return edge.kind == DependencyKind::ww && !edge.because.empty();
  });
}

using Namer = std::function<AnomalyKind(const Counterexample&)>;

std::string text(const Counterexample& example) {
  std::string text;
  for (const RecordedEdge& edge : example.cycle) {
    text += fmt::format("{} -{} {}{}-> {}, ", edge.from->index() + 1, to_string(edge.kind),
                        edge.key.index(), edge.because.empty() ? "" : "*", edge.to.index() + 1);
  }
  return text;
}

struct Comparison {
  std::string difference;
  std::map<AnomalyKind, std::size_t> names;
};

// `said` against what explore calls the cycle, or finds among the same transactions.
bool agree_on_names(const Both& both, const std::vector<RecordedEdge>& told, AnomalyKind said) {
  const std::vector<DependencyEdge> cycle = known_form(told);
  if (!is_about_two_writers(cycle)) return classify(cycle, both.known) == said;
  const auto found = find_anomalies(both.known, dependency_graph(both.known), Unit::transaction);
  return said == AnomalyKind::lost_update && !found.empty() && found.front().kind <= said;
}

Comparison compare_names(const Namer& name) {
  Comparison comparison;
  for (std::uint32_t seed = 0; seed < kNameSeeds && comparison.difference.empty(); ++seed) {
    const Both both = Sample(seed).make();
    const CheckReport report =
        *check_history(both.recorded, {.levels = {IsolationLevel::serializable}});
    for (const Counterexample& example : report.answers.front().counterexamples) {
      if (example.cycle.empty() || has_unseen_order(example)) continue;
      ++comparison.names[name(example)];
      if (agree_on_names(both, example.cycle, name(example))) continue;
      comparison.difference = fmt::format("seed {}: {} in check, {}", seed,
                                          definition(name(example)).name, text(example));
    }
  }
  return comparison;
}

AnomalyKind name_in_check(const Counterexample& example) { return example.kind; }

TEST(SameName, OfACycleForWhoeverKnowsVersionsAndWhoeverReadLists) {
  const Comparison comparison = compare_names(name_in_check);
  EXPECT_EQ("", comparison.difference);
  for (const AnomalyKind kind :
       {AnomalyKind::dirty_write, AnomalyKind::circular_flow, AnomalyKind::lost_update,
        AnomalyKind::read_skew, AnomalyKind::write_skew}) {
    const auto known = comparison.names.find(kind);
    EXPECT_TRUE(known != comparison.names.end() && known->second > 20) << definition(kind).name;
  }
}

TEST(SameName, CanaryTheRuleThatNamedCyclesByTheirLengthIsNoticed) {
  const Comparison comparison = compare_names([](const Counterexample& example) {
    const bool is_long = example.kind == AnomalyKind::write_skew && example.cycle.size() > 2;
    return is_long ? AnomalyKind::serialization_cycle : example.kind;
  });
  EXPECT_NE("", comparison.difference);
}

}  // namespace
}  // namespace heddle
