// search_cuts() and compare_cuts(): what several cuts of one program cost.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "find/terms/search_input.h"
#include "heddle/cut_search.h"
#include "split/cycles/uncut_cycles.h"
#include "split/search/best_cluster.h"
#include "split/search/cut_costs.h"
#include "split/search/explore_cuts.h"
#include "split/services.h"

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

// Of tables that the options name, and which of these are apart because of that.
Result<ServiceLevels> levels_of_tables(const SplitOptions& options, const Schema& schema,
                                       CutRules& rules) {
  ServiceLevels levels{.within = options.within};
  for (const auto& [name, level] : options.levels) {
    const Table* table = table_named(name, schema);
    if (table == nullptr) {
      std::vector<std::string> names;
      for (const Table& one : schema.tables) names.push_back(one.name);
      return Diagnostic{
          .what = fmt::format("there is no table \"{}\", whose service is to run at {}", name,
                              definition(level).name),
          .what_to_do = "with --search name a table of the service: " +
                        advise_names(name, names, "its tables are " + join(names, ", ")),
          .trouble = Trouble::bad_input};
    }
    const auto number = static_cast<std::size_t>(table - schema.tables.data());
    for (const auto& [other, own] : levels.of_tables) {
      if (own != level) rules.apart.push_back({schema.tables[other].name, table->name});
    }
    levels.of_tables.emplace(number, level);
  }
  return levels;
}

// Of the services of a cut that the options name.
ServiceLevels levels_of_services(const Cut& cut, const SplitOptions& options,
                                 const Schema& schema) {
  ServiceLevels levels{.within = options.within};
  for (const Service& service : cut.services) {
    const auto own = options.levels.find(service.name);
    if (own == options.levels.end()) continue;
    for (const CutTable& table : service.tables) {
      const auto place = std::ranges::find(schema.tables, table.name, &Table::name);
      levels.of_tables.emplace(static_cast<std::size_t>(place - schema.tables.begin()),
                               own->second);
    }
  }
  return levels;
}

Result<void> check_services(const std::vector<Cut>& cuts, const SplitOptions& options) {
  std::set<std::string> names;
  for (const Cut& cut : cuts) {
    for (const Service& service : cut.services) names.insert(service.name);
  }
  const std::vector<std::string> all(names.begin(), names.end());
  for (const auto& [name, level] : options.levels) {
    if (names.contains(name)) continue;
    return Diagnostic{
        .what = fmt::format("no cut has a service \"{}\", which is to run at {}", name,
                            definition(level).name),
        .what_to_do = advise_names(name, all, "their services are " + join(all, ", ")),
        .trouble = Trouble::bad_input};
  }
  return {};
}

// The searches of cuts, one for all of those whose tables run at the same levels.
class ComparedCuts {
 public:
  ComparedCuts(const Program& program, const FindOptions& find, const SplitOptions& options,
               std::set<std::string> uncut)
      : program_(program), find_(find), options_(options), uncut_(std::move(uncut)) {}

  ScoredCut score(Cut cut) {
    const ServiceLevels levels = levels_of_services(cut, options_, program_.schema);
    std::unique_ptr<Search>& search = searches_[levels.of_tables];
    if (!search) search = std::make_unique<Search>(*this, levels);
    ScoredCut scored{.cut = std::move(cut), .score = {}};
    scored.score = search->costs.search(partition_of(scored.cut, program_.schema));
    for (const Service& service : scored.cut.services) {
      const auto own = options_.levels.find(service.name);
      if (own != options_.levels.end()) scored.levels.insert(*own);
    }
    return scored;
  }

  void finish(CutComparison& comparison) const {
    for (const auto& [levels, search] : searches_) {
      comparison.max_length = search->groups.max_length();
      comparison.max_prefix = search->groups.max_prefix();
      if (search->groups.is_complete()) continue;
      comparison.bound = interrupt_signal() != 0 ? "interrupted"
                         : search->groups.is_late()
                             ? find::reason_to_stop() + ": not everything was searched"
                             : "the solver's bound: not everything was searched";
    }
  }

 private:
  struct Search {
    Search(const ComparedCuts& of, const ServiceLevels& levels)
        : groups(of.program_, of.find_, levels, of.uncut_, of.options_.counts_all),
          costs(of.program_, groups, of.find_.max_instances, of.find_.jobs) {}

    GroupCauseSearch groups;
    CutCosts costs;
  };

  const Program& program_;
  const FindOptions& find_;
  const SplitOptions& options_;
  std::set<std::string> uncut_;
  std::map<std::map<std::size_t, IsolationLevel>, std::unique_ptr<Search>> searches_;
};

}  // namespace
}  // namespace chopping

Result<CutSearchReport> search_cuts(const Program& program, const CutSearchOptions& options) {
  CutRules rules = options.rules;
  Result<chopping::ServiceLevels> levels =
      chopping::levels_of_tables(options.split, program.schema, rules);
  if (!levels) return levels.error();
  Result<chopping::Units> units = chopping::make_units(rules, program.schema);
  if (!units) return units.error();
  const FindOptions find = chopping::find_options(options.split);
  Result<chopping::UncutCycles> uncut = chopping::find_uncut_cycles(program, find);
  if (!uncut) return uncut.error();
  chopping::GroupCauseSearch search(program, find, *std::move(levels), std::move(uncut->keys),
                                    options.split.counts_all);
  chopping::CutCosts costs(program, search, find.max_instances, find.jobs);
  const auto look = options.measure == CutMeasure::silhouette ? chopping::find_best_cluster
                                                              : chopping::explore_cuts;
  return look(program, options, *units, search, costs);
}

Result<CutComparison> compare_cuts(const Program& program, const std::vector<Cut>& cuts,
                                   const SplitOptions& options) {
  const FindOptions find = chopping::find_options(options);
  std::vector<Cut> matched;
  for (const Cut& cut : cuts) {
    Result<Cut> own = match_cut(cut, program.schema);
    if (!own) return own.error();
    matched.push_back(std::move(*own));
  }
  if (Result<void> checked = chopping::check_services(matched, options); !checked) {
    return checked.error();
  }
  Result<chopping::UncutCycles> uncut = chopping::find_uncut_cycles(program, find);
  if (!uncut) return uncut.error();
  CutComparison comparison;
  comparison.bound = uncut->bound;
  comparison.across = find.across;
  chopping::ComparedCuts compared(program, find, options, std::move(uncut->keys));
  for (Cut& cut : matched) comparison.cuts.push_back(compared.score(std::move(cut)));
  comparison.max_instances = find.max_instances;
  compared.finish(comparison);
  return comparison;
}

}  // namespace heddle
