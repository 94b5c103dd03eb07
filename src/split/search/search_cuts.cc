// search_cuts() and compare_cuts(): what several cuts of one program cost.
#include <utility>

#include "base/interrupt.h"
#include "find/terms/search_input.h"
#include "heddle/cut_search.h"
#include "split/cycles/uncut_cycles.h"
#include "split/search/cut_costs.h"
#include "split/search/explore_cuts.h"

namespace heddle {

namespace chopping {
namespace {

// The options of the search of one program after another.
FindOptions find_options(const SplitOptions& options) {
  FindOptions find = options.find;
  find.level = options.within;
  find.levels.clear();
  find.progress = {};
  if (!find.max_length) find.max_length = SplitReport{}.max_length;
  return find;
}

}  // namespace
}  // namespace chopping

Result<CutSearchReport> search_cuts(const Program& program, const CutSearchOptions& options) {
  Result<chopping::Units> units = chopping::make_units(options.rules, program.schema);
  if (!units) return units.error();
  const FindOptions find = chopping::find_options(options.split);
  Result<chopping::UncutCycles> uncut = chopping::find_uncut_cycles(program, find);
  if (!uncut) return uncut.error();
  chopping::GroupCauseSearch search(program, find, options.split.within, std::move(uncut->keys),
                                    options.split.counts_all);
  chopping::CutCosts costs(program, search, find.max_instances, find.jobs);
  return chopping::explore_cuts(program, options, *units, search, costs);
}

Result<CutComparison> compare_cuts(const Program& program, const std::vector<Cut>& cuts,
                                   const SplitOptions& options) {
  const FindOptions find = chopping::find_options(options);
  Result<chopping::UncutCycles> uncut = chopping::find_uncut_cycles(program, find);
  if (!uncut) return uncut.error();
  CutComparison comparison;
  comparison.bound = uncut->bound;
  std::vector<Cut> matched;
  for (const Cut& cut : cuts) {
    Result<Cut> own = match_cut(cut, program.schema);
    if (!own) return own.error();
    matched.push_back(std::move(*own));
  }
  chopping::GroupCauseSearch search(program, find, options.within, std::move(uncut->keys),
                                    options.counts_all);
  chopping::CutCosts costs(program, search, find.max_instances, find.jobs);
  for (Cut& cut : matched) {
    const CutScore score = costs.search(chopping::partition_of(cut, program.schema));
    comparison.cuts.push_back({.cut = std::move(cut), .score = score});
  }
  comparison.max_length = search.max_length();
  comparison.max_instances = find.max_instances;
  comparison.max_prefix = search.max_prefix();
  if (!search.is_complete()) {
    comparison.bound = interrupt_signal() != 0 ? "interrupted"
                       : search.is_late() ? find::reason_to_stop() + ": not everything was searched"
                                          : "the solver's bound: not everything was searched";
  }
  return comparison;
}

}  // namespace heddle
