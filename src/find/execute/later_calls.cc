#include "find/execute/later_calls.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "find/execute/broken_in.h"
#include "heddle/scenario.h"

namespace heddle::find {

namespace {

// An invariant that is still to be broken, and the first cause that does.
struct Unbroken {
  std::string name;
  std::set<std::string> tables;
  std::size_t cause = std::numeric_limits<std::size_t>::max();
  std::size_t finding = 0;  // where a cause does
};

std::set<std::string> tables_of(const Program& program, const Invariant& invariant) {
  std::set<std::string> tables;
  const auto statements = parse_statements(invariant.sql.text, program.schema.dialect);
  if (!statements) return tables;
  for (const Statement& statement : *statements) {
    for (const TableUse& use : statement.tables) tables.insert(use.table);
  }
  return tables;
}

bool writes_any(const Functionality& functionality, const std::set<std::string>& tables) {
  return std::ranges::any_of(list_statements(functionality), [&](const ListedStatement& listed) {
    return std::ranges::any_of(listed.statement->statement.tables, [&](const TableUse& use) {
      return use.written && tables.contains(use.table);
    });
  });
}

class LaterCallSearch {
 public:
  LaterCallSearch(const LaterCalls& calls, const std::vector<std::vector<DamagingRun>>& damage)
      : calls_(calls), damage_(damage) {}

  void search(FindReport& report) {
    find_unbroken(report);
    if (unbroken_.empty()) return;
    run_parallel(damage_.size(), calls_.options.jobs, [&](std::size_t cause) { look_at(cause); });
    add_to(report);
  }

 private:
  void find_unbroken(const FindReport& report) {
    for (const Invariant& invariant : calls_.options.invariants) {
      const bool is_broken = std::ranges::any_of(report.causes, [&](const FoundCause& cause) {
        return cause.execution &&
               std::ranges::find(cause.execution->broken_invariants, invariant.name) !=
                   cause.execution->broken_invariants.end();
      });
      if (is_broken) continue;
      unbroken_.push_back({.name = invariant.name, .tables = tables_of(calls_.program, invariant)});
    }
  }

  // Those that a call of the functionality may break and no earlier cause does.
  std::vector<std::string> wanted(std::size_t cause, std::size_t functionality) {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> names;
    for (const Unbroken& one : unbroken_) {
      const bool is_open = one.cause > cause;
      if (is_open && writes_any(calls_.program.functionalities[functionality], one.tables)) {
        names.push_back(one.name);
      }
    }
    return names;
  }

  void look_at(std::size_t cause) {
    for (const DamagingRun& damaging : damage_[cause]) {
      const Realization& run = damaging.run;
      for (std::size_t again = 0; again < run.members.size(); ++again) {
        if (calls_.is_over()) return;
        if (is_repeated(run, again)) continue;
        const std::vector<std::string> names = wanted(cause, run.members[again]);
        if (!names.empty()) try_call(cause, *damaging.cycle, with_later_call(run, again), names);
      }
    }
  }

  // The same call as that of an earlier transaction.
  static bool is_repeated(const Realization& run, std::size_t transaction) {
    for (std::size_t i = 0; i < transaction; ++i) {
      if (run.members[i] == run.members[transaction] &&
          run.arguments[i] == run.arguments[transaction]) {
        return true;
      }
    }
    return false;
  }

  void try_call(std::size_t cause, const FoundCycle& cycle, const Realization& run,
                const std::vector<std::string>& names) {
    const auto is_wanted = [&](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    const Result<Scenario> scenario = calls_.scenario_of(run);
    if (!scenario) return;
    const auto broken = broken_in(*scenario, calls_.options);
    if (broken && std::ranges::none_of(*broken, is_wanted)) return;
    const FoundExecution executed = calls_.execute(cycle, run);
    if (!executed.finding) return;
    const std::scoped_lock lock(mutex_);
    for (const std::string& name : executed.broken_invariants) {
      const auto one = std::ranges::find(unbroken_, name, &Unbroken::name);
      if (one == unbroken_.end() || one->cause <= cause) continue;
      one->cause = cause;
      one->finding = findings_.size();
    }
    findings_.push_back(*executed.finding);
  }

  void add_to(FindReport& report) {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>> broken;
    for (const Unbroken& one : unbroken_) {
      if (one.cause < damage_.size()) broken[{one.cause, one.finding}].push_back(one.name);
    }
    for (auto& [where, names] : broken) {
      const auto& [cause, finding] = where;
      FoundExecution& execution = *report.causes[cause].execution;
      execution.broken_invariants.insert(execution.broken_invariants.end(), names.begin(),
                                         names.end());
      execution.further.push_back(
          {.finding = std::move(findings_[finding]), .invariants = std::move(names)});
      if (calls_.options.executed) calls_.options.executed(report.causes[cause]);
    }
  }

  const LaterCalls& calls_;
  const std::vector<std::vector<DamagingRun>>& damage_;
  std::mutex mutex_;
  std::vector<Unbroken> unbroken_;
  std::vector<Finding> findings_;
};

}  // namespace

Realization with_later_call(const Realization& run, std::size_t again) {
  Realization longer = run;
  longer.members.push_back(run.members[again]);
  longer.arguments.push_back(run.arguments[again]);
  longer.steps.push_back({.transaction = run.members.size(), .number = 1, .sees_all = true});
  return longer;
}

void execute_later_calls(const LaterCalls& calls,
                         const std::vector<std::vector<DamagingRun>>& damage, FindReport& report) {
  LaterCallSearch(calls, damage).search(report);
}

}  // namespace heddle::find
