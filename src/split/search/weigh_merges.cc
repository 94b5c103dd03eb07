// weigh_merges(): where a table moves to the service of another one, a cycle is left if what is
// left of the borders still lets a functionality be entered in one transaction and left in an
// earlier one. Fewer borders make no new cycles, so that nothing has to be searched again.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "find/terms/conflicts.h"
#include "find/terms/search_input.h"
#include "heddle/cut_search.h"
#include "split/search/forms.h"
#include "split/services.h"

namespace heddle {

namespace chopping {
namespace {

// A statement of the uncut functionality where it uses this table: of a join that a cut divides,
// each part uses others.
using Place = std::pair<std::optional<std::size_t>, std::string>;
// Where a functionality is entered, and where it is left.
using Passing = std::pair<Place, Place>;

class MergeScale {
 public:
  MergeScale(const Program& program, const find::SearchInput& whole, const SplitReport& report)
      : program_(program),
        report_(report),
        forms_(program, whole, levels_of(report)),
        cut_(partition_of(report.cut, program.schema)) {}

  std::vector<TableMerge> run() {
    std::vector<TableMerge> merges;
    const std::vector<Table>& tables = program_.schema.tables;
    for (std::size_t table = 0; table < tables.size(); ++table) {
      for (std::size_t service = 0; service < report_.cut.services.size(); ++service) {
        const std::vector<CutTable>& there = report_.cut.services[service].tables;
        if (there.empty() || has(there, tables[table].name)) continue;
        if (interrupted()) return merges;
        const std::size_t other = number_of(there.front().name);
        if (size_of(cut_[table]) == 1 && there.size() == 1 && other < table) continue;
        TableMerge merge = moved(table, other);
        if (merge.causes == 0) continue;
        merge.table = tables[table].name;
        merge.service = service;
        merges.push_back(std::move(merge));
      }
    }
    std::ranges::stable_sort(merges, [](const TableMerge& left, const TableMerge& right) {
      return is_worth_less(right, left);
    });
    return merges;
  }

 private:
  // All that matters is whether one of them is weaker than serializable.
  static ServiceLevels levels_of(const SplitReport& report) {
    const auto weaker = std::ranges::find_if(
        report.levels, [](IsolationLevel level) { return level != IsolationLevel::serializable; });
    return {.within = weaker == report.levels.end() ? IsolationLevel::serializable : *weaker};
  }

  static bool is_worth_less(const TableMerge& left, const TableMerge& right) {
    return std::pair(left.cores, left.causes) < std::pair(right.cores, right.causes);
  }

  static bool has(const std::vector<CutTable>& tables, const std::string& name) {
    return std::ranges::find(tables, name, &CutTable::name) != tables.end();
  }

  std::size_t number_of(const std::string& name) const {
    const std::vector<Table>& tables = program_.schema.tables;
    return static_cast<std::size_t>(std::ranges::find(tables, name, &Table::name) - tables.begin());
  }

  std::size_t size_of(std::size_t service) const {
    return static_cast<std::size_t>(std::ranges::count(cut_, service));
  }

  TableMerge moved(std::size_t table, std::size_t to) {
    Partition partition = cut_;
    partition[table] = cut_[to];
    partition = in_order(partition);
    TableMerge merge;
    for (const SplitCause& cause : report_.causes) {
      const bool stays = std::ranges::any_of(cause.cycles, [&](const FoundCycle& cycle) {
        return passes(cycle, partition) || !passes(cycle, cut_);
      });
      if (stays) continue;
      ++merge.causes;
      merge.cores += cause.is_core ? 1 : 0;
    }
    return merge;
  }

  bool passes(const FoundCycle& cycle, const Partition& partition) {
    for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
      const FoundEdge& in = cycle.edges[i];
      const FoundEdge& out = cycle.edges[(i + 1) % cycle.edges.size()];
      const FoundNode& entry = cycle.nodes[in.to];
      const FoundNode& exit = cycle.nodes[out.from];
      // A session is left in a later call than it is entered in, whatever is where.
      if (entry.functionality >= report_.chopped.single_calls()) continue;
      const auto& origins = report_.chopped.origins[entry.functionality];
      const Passing passing = {{origins[entry.statement], in.table},
                               {origins[exit.statement], out.table}};
      if (passings(entry.functionality, partition).contains(passing)) return true;
    }
    return false;
  }

  const std::set<Passing>& passings(std::size_t functionality, const Partition& partition) {
    const Form& form = forms_.of(functionality, partition);
    const auto [known, is_new] = passings_.try_emplace(std::pair(functionality, form.number));
    if (!is_new) return known->second;
    std::vector<std::vector<Place>> places(form.plain.size());
    const std::vector<ListedStatement> statements = list_statements(form.functionality);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Statement& statement = statements[i].statement->statement;
      for (const TableUse& use : statement.tables) {
        places[i].emplace_back(form.origins[i], name_of(use));
      }
      if (!may_use_any_table(statement)) continue;
      // Two of which nobody knows what they do meet on whichever.
      places[i].emplace_back(form.origins[i], find::kAnyTable);
      for (const Table& table : program_.schema.tables) {
        places[i].emplace_back(form.origins[i], table.name);
      }
    }
    for (std::size_t entry = 0; entry < places.size(); ++entry) {
      for (std::size_t exit = 0; exit < places.size(); ++exit) {
        if (!form.plain[entry] || !form.plain[exit]) continue;
        if (!form.crosses[*form.plain[entry]][*form.plain[exit]]) continue;
        for (const Place& from : places[entry]) {
          for (const Place& to : places[exit]) known->second.emplace(from, to);
        }
      }
    }
    return known->second;
  }

  // As the edges of cycles call the table.
  std::string name_of(const TableUse& use) const {
    const Schema& schema = program_.schema;
    const Table* table = find_table(schema, use.table, schema.dialect, use.schema);
    return table == nullptr ? use.table : table->name;
  }

  const Program& program_;
  const SplitReport& report_;
  Forms forms_;
  Partition cut_;
  // By functionality and form: where it may be entered and left so that a cycle passes.
  std::map<std::pair<std::size_t, std::size_t>, std::set<Passing>> passings_;
};

}  // namespace
}  // namespace chopping

void weigh_merges(const Program& program, const SplitOptions& options, SplitReport& report) {
  FindOptions find = options.find;
  find.max_length = report.max_length;
  find.timeout_ms = {};
  if (interrupted()) return;
  const find::SearchInput whole = find::prepare_search(
      program, find,
      std::vector<FunctionalityLevel>(program.functionalities.size(),
                                      {.level = report.within, .origin = LevelOrigin::given}));
  std::vector<TableMerge> merges = chopping::MergeScale(program, whole, report).run();
  // What was weighed in part is left out.
  if (!interrupted()) report.merges = std::move(merges);
}

}  // namespace heddle
