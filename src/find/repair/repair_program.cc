// heddle::repair_program: the cheapest set of changes under which no set of functionalities closes
// a cycle.
//
// Whether a set of functionalities closes a cycle depends on the changes of its own members alone,
// so that each answer is kept. Where a set closes one under some changes, more of its members'
// changes are made as long as it still does; at least one of those that are left out then must be
// in every repair, as changes only take cycles away. A repair is a cheapest set that has something
// of each of these (implicit hitting sets: Ignatiev et al., "Smallest MUS extraction with minimal
// hitting set dualization", CP 2015); it is searched, and either no cycle is left or there is
// another such condition.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "find/repair/changes.h"
#include "find/repair/hitting_set.h"
#include "find/search/cycles.h"
#include "find/search/group_search.h"
#include "find/search/search_groups.h"
#include "find/terms/search_input.h"
#include "heddle/program_repair.h"

namespace heddle {

namespace find {
namespace {

using ChangeSet = std::vector<std::size_t>;  // numbers of changes, sorted

// Sets of changes that running has refused, until nothing more is tried.
constexpr std::size_t kMostRefused = 8;

class ProgramRepairSearch {
 public:
  ProgramRepairSearch(const Program& program, const FindOptions& options, const FindReport& report,
                      const RepairTrial& trial)
      : program_(program),
        trial_(trial),
        options_(search_options(options, report)),
        levels_(report.levels),
        whole_(prepare_search(program, options_, report.levels)),
        changes_(possible_changes(program, report.levels)),
        groups_(groups_up_to(options_.max_instances, program.functionalities.size())) {
    for (const ProgramChange& change : changes_) costs_.push_back(cost_of(change));
    find_refuted(report);
  }

  ProgramRepairReport run() {
    report_.candidates = changes_.size();
    const auto any = [](const ProgramChange& /*change*/) { return true; };
    const auto of_statement = [](const ProgramChange& change) {
      return change.statement.has_value();
    };
    const auto of_level = [](const ProgramChange& change) { return !change.statement; };
    find_left();
    repair_with(any);
    if (!report_.repairs.empty()) repair_with(of_statement);
    if (!report_.repairs.empty()) repair_with(of_level);
    report_.searches = answers_.size();
    if (is_late()) report_.bound = late_text();
    return std::move(report_);
  }

 private:
  using Allowed = std::function<bool(const ProgramChange&)>;

  // As far as something was found.
  static FindOptions search_options(FindOptions options, const FindReport& report) {
    options.progress = {};
    options.widens = false;
    const auto is_wider = [&](const FoundCycle& cycle) {
      return cycle.nodes.size() > report.all_within->length ||
             cycle.edges.size() > report.all_within->instances;
    };
    const bool needs_more =
        report.all_within && std::ranges::any_of(report.causes, [&](const FoundCause& cause) {
          return std::ranges::any_of(cause.cores, is_wider);
        });
    if (needs_more) {
      options.max_length = report.max_length;
      options.max_instances = report.max_instances;
    }
    return options;
  }

  bool is_late() const { return whole_.is_late(); }
  static std::string late_text() { return reason_to_stop() + " while looking for repairs"; }

  ChangeSet changes_of(const std::vector<std::size_t>& group, const ChangeSet& chosen) const {
    ChangeSet own;
    for (const std::size_t change : chosen) {
      if (std::ranges::find(group, changes_[change].functionality) != group.end()) {
        own.push_back(change);
      }
    }
    return own;
  }

  ChangeSet allowed_changes(const Allowed& allows) const {
    ChangeSet all;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (allows(changes_[i])) all.push_back(i);
    }
    return all;
  }

  std::vector<ProgramChange> changes_at(const ChangeSet& chosen, std::size_t functionality) const {
    std::vector<ProgramChange> changes;
    for (const std::size_t i : chosen) {
      if (changes_[i].functionality == functionality) changes.push_back(changes_[i]);
    }
    return changes;
  }

  // Returns for each statement that the functionality has then its number before; empty: they are
  // the same.
  std::vector<std::size_t> change(const ChangeSet& chosen, std::size_t functionality,
                                  Program& program, std::vector<FunctionalityLevel>& levels) const {
    const std::vector<ProgramChange> own = changes_at(chosen, functionality);
    if (own.empty()) return {};
    std::vector<std::size_t> origins =
        apply_changes(program.functionalities[functionality], own, program.schema);
    const IsolationLevel level = changed_level(levels[functionality].level, own);
    if (level != levels[functionality].level) {
      levels[functionality] = {.level = level, .origin = LevelOrigin::given};
    }
    return origins;
  }

  Program without_notes() const {
    return {.schema = program_.schema, .functionalities = program_.functionalities, .notes = {}};
  }

  // The statements that a cycle goes through: functionalities and numbers.
  using Statements = std::set<std::pair<std::size_t, std::size_t>>;
  // Of changed functionalities the numbers before.
  using Origins = std::map<std::size_t, std::vector<std::size_t>>;

  static Statements statements_of(const std::vector<std::size_t>& members, const Skeleton& skeleton,
                                  const Origins& origins) {
    Statements statements;
    const auto add = [&](std::size_t member, std::size_t statement) {
      const auto changed = origins.find(members[member]);
      const bool is_renumbered = changed != origins.end() && !changed->second.empty();
      statements.emplace(members[member], is_renumbered ? changed->second[statement] : statement);
    };
    for (const SkeletonEdge& edge : skeleton.edges) {
      add(edge.from, edge.conflict->from);
      add(edge.to, edge.conflict->to);
    }
    return statements;
  }

  // Nothing has to be done about what is proved to be none. The statements of another cause count
  // all the same.
  void find_refuted(const FindReport& report) {
    std::set<Statements> open;
    for (const FoundCause& cause : report.causes) {
      const bool is_refuted = cause.execution && cause.execution->status == FindingStatus::refuted;
      for (const auto* cycles : {&cause.cores, &cause.extensions}) {
        for (const FoundCycle& cycle : *cycles) {
          Statements statements;
          for (const FoundNode& node : cycle.nodes) {
            statements.emplace(node.functionality, node.statement);
          }
          (is_refuted ? refuted_ : open).insert(std::move(statements));
        }
      }
    }
    for (const Statements& statements : open) refuted_.erase(statements);
  }

  // Whether the group closes a cycle under these of the changes. Where time is up: yes.
  bool closes_cycle(std::size_t group, const ChangeSet& chosen) {
    const std::vector<std::size_t>& members = groups_[group];
    const auto key = std::pair(group, changes_of(members, chosen));
    {
      const std::scoped_lock lock(mutex_);
      const auto known = answers_.find(key);
      if (known != answers_.end()) return known->second;
    }
    if (is_late()) return true;
    Program program = without_notes();
    std::vector<FunctionalityLevel> levels = levels_;
    Origins origins;
    for (const std::size_t member : std::set(members.begin(), members.end())) {
      origins[member] = change(key.second, member, program, levels);
    }
    SearchInput input = prepare_search_of(members, program, whole_, std::move(levels));
    input.stops_at_first = true;
    if (!refuted_.empty()) {
      input.admits = [&](const std::vector<std::size_t>& of, const Skeleton& skeleton) {
        return !refuted_.contains(statements_of(of, skeleton, origins));
      };
    }
    Shapes shapes;
    const GroupResult result = search_group(input, shapes, members);
    if (!result.is_complete) return true;
    const std::scoped_lock lock(mutex_);
    return answers_[key] = !result.cycles.empty();
  }

  std::vector<std::size_t> open_groups(const ChangeSet& chosen) {
    std::vector<char> is_open(groups_.size(), 0);
    run_parallel(groups_.size(), options_.jobs, [&](std::size_t i) {
      const bool is_ignored = ignored_.contains(i);
      is_open[i] = !is_ignored && closes_cycle(i, chosen) ? 1 : 0;
    });
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (is_open[i] != 0) open.push_back(i);
    }
    return open;
  }

  // Groups that close a cycle whatever is changed.
  void find_left() {
    const ChangeSet all = allowed_changes([](const ProgramChange&) { return true; });
    for (const std::size_t group : open_groups(all)) {
      if (is_late()) return;
      const bool is_known = std::ranges::any_of(ignored_, [&](std::size_t other) {
        return std::ranges::includes(groups_[group], groups_[other]);
      });
      ignored_.insert(group);
      if (is_known) continue;
      std::vector<std::string> names;
      for (const std::size_t member : groups_[group]) {
        names.push_back(program_.functionalities[member].name);
      }
      report_.left.push_back(std::move(names));
    }
  }

  // Of the allowed changes those of which a repair needs one: with all others of the group's the
  // cycle stays. Empty: it stays with all.
  ChangeSet needed_one_of(std::size_t group, ChangeSet chosen, const ChangeSet& allowed) {
    ChangeSet needed;
    // What is cheap is kept for the repair as long as that is possible. Levels come last: a
    // snapshot that is taken before a lock is waited for undoes what the lock is good for.
    ChangeSet others = changes_of(groups_[group], allowed);
    std::ranges::stable_sort(others, std::greater<>{}, [&](std::size_t i) {
      return std::pair(changes_[i].statement.has_value(), costs_[i]);
    });
    for (const std::size_t change : others) {
      if (std::ranges::binary_search(chosen, change)) continue;
      ChangeSet more = chosen;
      more.insert(std::ranges::lower_bound(more, change), change);
      if (closes_cycle(group, more)) {
        chosen = std::move(more);
      } else {
        needed.push_back(change);
      }
    }
    std::ranges::sort(needed);
    return needed;
  }

  void repair_with(const Allowed& allows) {
    const ChangeSet allowed = allowed_changes(allows);
    std::vector<ChangeSet> conditions;
    HittingSet chosen;
    for (;;) {
      const std::vector<std::size_t> open = open_groups(chosen.elements);
      if (is_late()) return;
      if (open.empty()) {
        if (add_repair(without_idle(chosen.elements), chosen.is_cheapest)) return;
        conditions.push_back(others_of_refused(allowed));
        if (conditions.back().empty() || report_.refused.size() >= kMostRefused) return;
        chosen = hitting_set(conditions, costs_);
        continue;
      }
      std::vector<ChangeSet> found(open.size());
      run_parallel(open.size(), options_.jobs, [&](std::size_t i) {
        found[i] = needed_one_of(open[i], changes_of(groups_[open[i]], chosen.elements), allowed);
      });
      if (is_late()) return;
      for (ChangeSet& condition : found) {
        // Changes of this kind alone are not enough.
        if (condition.empty()) return;
        conditions.push_back(std::move(condition));
      }
      std::ranges::sort(conditions);
      conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
      chosen = hitting_set(conditions, costs_);
    }
  }

  // What has been refused last is no repair unless something more of the same code is changed.
  ChangeSet others_of_refused(const ChangeSet& allowed) const {
    const ChangeSet& refused = refused_.back();
    ChangeSet others = changes_of(report_.refused.back().execution->wrong, allowed);
    std::erase_if(others,
                  [&](std::size_t change) { return std::ranges::binary_search(refused, change); });
    return others;
  }

  // Should a change after all have made room for a cycle that another takes away, some may be idle.
  ChangeSet without_idle(ChangeSet chosen) {
    for (std::size_t i = 0; i < chosen.size();) {
      ChangeSet fewer = chosen;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const bool is_refused = std::ranges::find(refused_, fewer) != refused_.end();
      if (!is_refused && open_groups(fewer).empty()) {
        chosen = std::move(fewer);
      } else {
        ++i;
      }
    }
    return chosen;
  }

  // False: running it shows that it is none.
  bool add_repair(const ChangeSet& chosen, bool is_cheapest) {
    if (chosen.empty() || known_.contains(chosen)) return true;
    ProgramRepair repair{
        .changes = {}, .program = without_notes(), .levels = levels_, .is_cheapest = is_cheapest};
    for (std::size_t i = 0; i < program_.functionalities.size(); ++i) {
      change(chosen, i, repair.program, repair.levels);
    }
    for (const std::size_t i : chosen) repair.changes.push_back(changes_[i]);
    if (trial_) repair.execution = trial_(repair, report_.left);
    known_.insert(chosen);
    const bool is_right = !repair.execution || repair.execution->goes_wrong.empty();
    if (!is_right) refused_.push_back(chosen);
    (is_right ? report_.repairs : report_.refused).push_back(std::move(repair));
    return is_right;
  }

  const Program& program_;
  const RepairTrial& trial_;  // empty: nothing is run
  const FindOptions options_;
  std::vector<FunctionalityLevel> levels_;
  SearchInput whole_;
  std::vector<ProgramChange> changes_;
  std::vector<std::vector<std::size_t>> groups_;
  std::vector<std::size_t> costs_;
  std::set<std::size_t> ignored_;
  std::mutex mutex_;
  std::map<std::pair<std::size_t, ChangeSet>, bool> answers_;  // guarded by mutex_
  std::set<ChangeSet> known_;
  std::vector<ChangeSet> refused_;  // of report_.refused
  std::set<Statements> refuted_;
  ProgramRepairReport report_;
};

}  // namespace
}  // namespace find

Result<ProgramRepairReport> repair_program(const Program& program, const FindOptions& options,
                                           const FindReport& report, const RepairTrial& trial) {
  return find::ProgramRepairSearch(program, options, report, trial).run();
}

}  // namespace heddle
