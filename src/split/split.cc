// split_program(): the search of `find`, on the program as the services run it.
//
// Each service runs its sub-transactions at its level; what may happen between those of one
// functionality happens at every level, so that the same search finds what the cut adds. Cycles
// through the same sub-transactions are one cause. What the uncut program allows at that level is
// found by the same search of it, and does not count.
#include "heddle/split.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "find/containment.h"
#include "split/cycle_key.h"
#include "split/torn_keys.h"
#include "split/uncut_cycles.h"

namespace heddle {

namespace chopping {
namespace {

class CauseList {
 public:
  CauseList(const ChoppedProgram& chopped, const std::set<std::string>& known)
      : chopped_(chopped), known_(known) {
    for (const std::vector<SubTransaction>& subs : chopped.sub_transactions) {
      std::map<std::size_t, std::size_t>& of = sub_of_.emplace_back();
      for (std::size_t i = 0; i < subs.size(); ++i) {
        for (const std::size_t statement : subs[i].statements) of[statement] = i;
      }
    }
  }

  void add(const FoundCycle& cycle) {
    const auto origin = [&](std::size_t functionality, std::size_t statement) {
      return chopped_.origins[functionality][statement];
    };
    if (known_.contains(cycle_key(cycle, origin))) {
      ++in_uncut;
      return;
    }
    const Parts parts = parts_of(cycle);
    std::set<std::string> tables;
    for (const FoundEdge& edge : cycle.edges) tables.insert(edge.table);
    const auto [place, is_new] = places_.try_emplace(parts, causes.size());
    if (is_new) causes.push_back({.kind = cycle.kind, .parts = parts, .tables = {}, .cycles = {}});
    SplitCause& cause = causes[place->second];
    tables.insert(cause.tables.begin(), cause.tables.end());
    cause.tables.assign(tables.begin(), tables.end());
    cause.kind = std::min(cause.kind, cycle.kind);
    cause.cycles.push_back(cycle);
  }

  // What is in no other cause is a core.
  void finish() {
    for (SplitCause& cause : causes) {
      cause.is_core = std::ranges::none_of(causes, [&](const SplitCause& other) {
        return other.parts != cause.parts && find::contains(cause.parts, other.parts);
      });
      std::ranges::stable_sort(cause.cycles, {}, &FoundCycle::kind);
    }
    std::ranges::stable_sort(causes, {}, &SplitCause::kind);
    std::ranges::stable_partition(causes, &SplitCause::is_core);
  }

  std::vector<SplitCause> causes;
  std::size_t in_uncut = 0;

 private:
  using Parts = std::vector<std::vector<SplitPart>>;

  // Sub-transactions by the functionalities that run them, sorted.
  Parts parts_of(const FoundCycle& cycle) const {
    std::map<std::size_t, std::set<SplitPart>> by_instance;
    for (const FoundNode& node : cycle.nodes) {
      const auto sub = sub_of_[node.functionality].find(node.statement);
      if (sub == sub_of_[node.functionality].end()) continue;
      by_instance[node.instance].insert({node.functionality, sub->second});
    }
    Parts parts;
    for (const auto& [instance, of] : by_instance) parts.emplace_back(of.begin(), of.end());
    std::ranges::sort(parts);
    return parts;
  }

  const ChoppedProgram& chopped_;
  const std::set<std::string>& known_;
  std::vector<std::map<std::size_t, std::size_t>> sub_of_;  // by functionality and statement
  std::map<Parts, std::size_t> places_;
};

}  // namespace
}  // namespace chopping

Result<SplitReport> split_program(const Program& program, const Cut& cut,
                                  const SplitOptions& options) {
  Result<Cut> matched = match_cut(cut, program.schema);
  if (!matched) return matched.error();
  Result<ChoppedProgram> chopped = chop_program(program, *matched);
  if (!chopped) return chopped.error();
  SplitReport report;
  report.chopped = std::move(*chopped);
  report.cut = std::move(*matched);
  report.torn_keys = chopping::find_torn_keys(report.cut, program.schema);
  report.within = options.within;
  FindOptions find = options.find;
  find.level = options.within;
  find.levels.clear();
  if (!find.max_length) find.max_length = report.max_length;
  std::set<std::string> known;
  if (!options.counts_all) {
    Result<chopping::UncutCycles> uncut = chopping::find_uncut_cycles(program, find);
    if (!uncut) return uncut.error();
    known = std::move(uncut->keys);
    report.bound = uncut->bound;
  }
  const Result<FindReport> found = find_anomalies(report.chopped.program, find);
  if (!found) return found.error();
  chopping::CauseList causes(report.chopped, known);
  chopping::for_each_cycle(*found, [&](const FoundCycle& cycle) { causes.add(cycle); });
  causes.finish();
  report.causes = std::move(causes.causes);
  report.in_uncut = causes.in_uncut;
  report.max_length = found->max_length;
  report.counts = found->counts;
  if (!found->bound.empty()) report.bound = found->bound;
  return report;
}

}  // namespace heddle
