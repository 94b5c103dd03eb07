// heddle::explain_removed: which axioms of the levels keep a cycle from happening.
//
// A cycle that is possible where nothing is promised, and impossible at the levels, is removed by
// some of their axioms. With all of these set aside it comes back; one after the other is put back
// as long as the cycle stays. What is left is a smallest set: putting back any of it removes the
// cycle again (deletion-based minimal correction, as for minimal unsatisfiable cores: Bakker et al.
// 1993).
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "find/search/placed_cycle.h"
#include "find/terms/applied_level.h"
#include "find/terms/formula.h"
#include "find/terms/group.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"
#include "smt/solver.h"

namespace heddle {

namespace find {
namespace {

constexpr std::uint32_t kMaxStepsOfRemoval = 2'000'000;

// A cycle at its levels, with axioms set aside.
class CycleAtLevels {
 public:
  CycleAtLevels(const SearchInput& input, const FoundCycle& cycle)
      : end_(input.deadline),
        group_(input, members_of(cycle), while_in_time(input), nullptr, cycle.prefix),
        placed_(place_cycle(input, group_, cycle)) {}

  bool is_possible(const std::set<Axiom>& dropped) {
    std::vector<Instance> instances = group_.instances();
    for (Instance& instance : instances) {
      for (const Axiom axiom : dropped) instance.drop(axiom);
    }
    CycleFormula formula(group_.evaluator(), group_.rows(), instances, group_.constraints());
    if (placed_.edges.empty() || formula.is_ruled_out(placed_.edges)) return false;
    smt::Solver solver(group_.terms(), kMaxStepsOfRemoval, end_);
    solver.add(formula.order_alone(placed_.edges));
    if (solver.check() == smt::Satisfiable::no) return false;
    smt::Solver whole(group_.terms(), kMaxStepsOfRemoval, end_);
    const CycleFormula::Parts parts =
        formula.build(placed_.edges, CycleFormula::Scope::whole_transactions);
    for (const Term edge : parts.edges) whole.add(edge);
    whole.add(parts.common);
    whole.add(parts.whole);
    group_.add_facts(whole);
    return whole.check() != smt::Satisfiable::no;
  }

  std::vector<Axiom> axioms() const {
    std::vector<Axiom> all;
    for (const Instance& instance : group_.instances()) {
      std::vector<AppliedLevel> levels = instance.levels;
      if (instance.across) levels.push_back(*instance.across);
      for (const AppliedLevel& level : levels) {
        for (const Axiom axiom : axioms_of(level)) {
          if (std::ranges::find(all, axiom) == all.end()) all.push_back(axiom);
        }
      }
    }
    // That products lock rows says how all else is told: it is put back first.
    std::ranges::stable_partition(all, [](Axiom axiom) { return axiom == Axiom::row_write_locks; });
    return all;
  }

 private:
  std::optional<Clock::time_point> end_;
  Group group_;
  PlacedCycle placed_;
};

// A smallest set of axioms that have to be set aside for one of the cause's smallest cycles; empty:
// even without all of them it is impossible.
std::vector<Axiom> removing_axioms(const SearchInput& input, const FoundCause& cause) {
  std::vector<std::unique_ptr<CycleAtLevels>> cycles;
  for (const FoundCycle& cycle : cause.cores) {
    cycles.push_back(std::make_unique<CycleAtLevels>(input, cycle));
  }
  const auto is_possible = [&](const std::set<Axiom>& dropped) {
    return std::ranges::any_of(cycles,
                               [&](const auto& cycle) { return cycle->is_possible(dropped); });
  };
  const std::vector<Axiom> axioms = cycles.front()->axioms();
  std::set<Axiom> dropped(axioms.begin(), axioms.end());
  if (!is_possible(dropped)) return {};
  for (const Axiom axiom : axioms) {
    dropped.erase(axiom);
    if (!is_possible(dropped)) dropped.insert(axiom);
  }
  return {dropped.begin(), dropped.end()};
}

// The same; none: there was no time for an answer, and what was answered in a hurry is none.
std::optional<std::vector<Axiom>> axioms_in_time(const SearchInput& input,
                                                 const FoundCause& cause) {
  if (input.is_late()) return std::nullopt;
  try {
    std::vector<Axiom> axioms = removing_axioms(input, cause);
    return input.is_late() ? std::nullopt : std::optional(std::move(axioms));
  } catch (const smt::Abandoned&) {
    return std::nullopt;
  }
}

using CauseKey = std::pair<AnomalyKind, std::set<std::tuple<std::size_t, std::size_t>>>;

CauseKey key_of(const FoundCause& cause) {
  CauseKey key{cause.kind, {}};
  for (const FoundNode& node : cause.cores.front().nodes) {
    key.second.emplace(node.functionality, node.statement);
  }
  return key;
}

}  // namespace
}  // namespace find

Result<RemovedReport> explain_removed(const Program& program, const FindOptions& options) {
  const std::optional<find::Clock::time_point> end = find::end_of(options.timeout_ms);
  RemovedReport report;
  FindOptions own = options;
  own.widens = false;
  Result<FindReport> left = find_anomalies(program, own);
  if (!left) return left.error();
  FindOptions weakest = own;
  weakest.level = IsolationLevel::eventual;
  weakest.levels.clear();
  weakest.across.reset();
  weakest.levels_of_statements.clear();
  weakest.max_length = left->max_length;
  weakest.timeout_ms = find::left_ms(end);
  Result<FindReport> all = find_anomalies(program, weakest);
  if (!all) return all.error();
  report.levels = left->levels;
  report.max_length = left->max_length;
  report.max_instances = left->max_instances;
  report.bound = left->bound.empty() ? all->bound : left->bound;
  std::set<find::CauseKey> stays;
  for (const FoundCause& cause : left->causes) stays.insert(find::key_of(cause));
  for (FoundCause& cause : all->causes) {
    if (stays.contains(find::key_of(cause))) {
      ++report.left;
    } else {
      report.causes.push_back({std::move(cause), {}});
    }
  }
  FindOptions rest = own;
  rest.timeout_ms = find::left_ms(end);
  const find::SearchInput input = find::prepare_search(program, rest, report.levels);
  std::atomic<std::size_t> unasked = 0;
  run_parallel(report.causes.size(), options.jobs, [&](std::size_t i) {
    if (auto axioms = find::axioms_in_time(input, report.causes[i].cause)) {
      report.causes[i].axioms = *std::move(axioms);
    } else {
      ++unasked;
    }
  });
  if (unasked > 0 && report.bound.empty()) {
    report.bound = fmt::format("{}: of {} of {} causes nobody asked which axioms remove them",
                               find::reason_to_stop(), unasked.load(), report.causes.size());
  }
  return report;
}

}  // namespace heddle
