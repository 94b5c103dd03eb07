// split_program(): the search of `find`, on the program as the services run it.
//
// Each service runs its sub-transactions at its level; what may happen between those of one
// functionality happens at every level, unless something is guaranteed across services, so that the
// same search finds what the cut adds. Cycles through the same sub-transactions are one cause. What
// the uncut program allows at that level is found by the same search of it, and does not count.
#include "heddle/split.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "find/search/cause_id.h"
#include "find/search/containment.h"
#include "find/search/search.h"
#include "find/terms/search_input.h"
#include "program/visit.h"
#include "split/chop.h"
#include "split/cycles/cycle_key.h"
#include "split/cycles/cycle_parts.h"
#include "split/cycles/needs.h"
#include "split/cycles/smaller_causes.h"
#include "split/cycles/torn_keys.h"
#include "split/cycles/uncut_cycles.h"
#include "split/reference_checks.h"
#include "split/reorder.h"
#include "split/session_chops.h"

namespace heddle {

namespace chopping {
namespace {

class CauseList {
 public:
  CauseList(const ChoppedProgram& chopped, const std::set<std::string>& known)
      : chopped_(chopped), known_(known), parts_(chopped) {}

  void add(const FoundCycle& cycle) {
    const auto origin = [&](std::size_t functionality, std::size_t statement) {
      return chopped_.origins[functionality][statement];
    };
    if (known_.contains(cycle_key(cycle, origin))) {
      ++in_uncut;
      return;
    }
    const Parts parts = parts_.of(cycle);
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
  const ChoppedProgram& chopped_;
  const std::set<std::string>& known_;
  CycleParts parts_;
  std::map<Parts, std::size_t> places_;
};

std::vector<ProposedOrder> propose_orders(const Program& program, const Cut& cut) {
  const TableServices services(cut, program.schema);
  std::vector<ProposedOrder> orders;
  for (std::size_t i = 0; i < program.functionalities.size(); ++i) {
    const Functionality& functionality = program.functionalities[i];
    std::optional<Reordered> other = reorder_statements(functionality, program.schema, services);
    if (!other) continue;
    const auto count = [&](const Functionality& of) {
      return chop_functionality(of, program.schema, services).sub_transactions.size();
    };
    const std::size_t before = count(functionality);
    const std::size_t after = count(other->functionality);
    if (after >= before) continue;
    orders.push_back({.functionality = i,
                      .statements = std::move(other->order),
                      .before = before,
                      .after = after});
  }
  return orders;
}

// The level of each service. Errors: bad_input for one that the cut does not have.
Result<std::vector<IsolationLevel>> levels_of(const Cut& cut, const SplitOptions& options) {
  std::vector<IsolationLevel> levels(cut.services.size(), options.within);
  std::vector<std::string> names;
  for (const Service& service : cut.services) names.push_back(service.name);
  for (const auto& [name, level] : options.levels) {
    const auto place = std::ranges::find(names, name);
    if (place == names.end()) {
      const std::string closest = closest_word(name, names);
      return Diagnostic{.what = fmt::format("{} has no service \"{}\", which is to run at {}",
                                            cut.file, name, definition(level).name),
                        .what_to_do = closest.empty()
                                          ? "its services are " + join(names, ", ")
                                          : fmt::format("did you mean \"{}\"?", closest),
                        .trouble = Trouble::bad_input};
    }
    levels[static_cast<std::size_t>(place - names.begin())] = level;
  }
  return levels;
}

// Of each functionality's statements.
std::vector<std::vector<std::optional<IsolationLevel>>> levels_of_statements(
    const SplitReport& report) {
  std::vector<std::vector<std::optional<IsolationLevel>>> all;
  const ChoppedProgram& chopped = report.chopped;
  for (std::size_t i = 0; i < chopped.sub_transactions.size(); ++i) {
    all.emplace_back(list_statements(chopped.program.functionalities[i]).size());
    for (const SubTransaction& sub : chopped.sub_transactions[i]) {
      for (const std::size_t statement : sub.statements) {
        all.back()[statement] = report.levels[sub.service];
      }
    }
  }
  return all;
}

// The cycles of the chopped program; `uncut`: keys of those that do not count.
Result<FindReport> find_cycles(const ChoppedProgram& chopped, const FindOptions& find,
                               const std::set<std::string>& uncut, bool only_cores) {
  if (!only_cores) return find_anomalies(chopped.program, find);
  SmallerCauses smaller(chopped, uncut);
  return find::find_selected(
      chopped.program, find,
      {.found = [&](const std::vector<FoundCycle>& cycles) { smaller.add(cycles); },
       .admits =
           [&](const std::vector<std::size_t>& members, const find::Skeleton& skeleton) {
             return !smaller.is_extension(skeleton, members);
           }});
}

void name_causes(SplitReport& report) {
  std::vector<FoundCause> found;
  for (const SplitCause& cause : report.causes) {
    found.push_back({.kind = cause.kind, .cores = cause.cycles, .extensions = {}});
  }
  find::name_causes(report.chopped.program, found);
  for (std::size_t i = 0; i < found.size(); ++i) report.causes[i].id = found[i].id;
}

// As the statements of the program without its COMMITs are numbered.
void renumber_origins(const Program& program, ChoppedProgram& chopped) {
  for (std::size_t i = 0; i < program.functionalities.size(); ++i) {
    std::vector<std::optional<std::size_t>> numbers;
    std::size_t next = 0;
    for (const ListedStatement& listed : list_statements(program.functionalities[i])) {
      const bool is_commit = listed.statement->statement.kind == StatementKind::commit;
      numbers.push_back(is_commit ? std::nullopt : std::optional(next++));
    }
    for (std::optional<std::size_t>& origin : chopped.origins[i]) {
      if (origin) origin = numbers[*origin];
    }
  }
}

// Which service's sub-transaction is next to a statement, in the direction; empty: none is.
std::string service_beside(std::size_t statement, bool before, std::size_t functionality,
                           const ChoppedProgram& chopped, const Cut& cut) {
  std::optional<std::size_t> nearest;
  std::string name;
  for (const SubTransaction& sub : chopped.sub_transactions[functionality]) {
    for (const std::size_t other : sub.statements) {
      if (other == statement || (other < statement) != before) continue;
      if (nearest && (before ? other < *nearest : other > *nearest)) continue;
      nearest = other;
      name = cut.services[sub.service].name;
    }
  }
  return name;
}

// Where the services need a COMMIT that an edited chopping does not have, the first of each
// functionality. REQUIRES: origins are of the program as it was read.
void note_added_commits(const Cut& cut, ChoppedProgram& chopped) {
  for (std::size_t i = 0; i < chopped.program.functionalities.size(); ++i) {
    const Functionality& functionality = chopped.program.functionalities[i];
    const std::vector<ListedStatement> listed = list_statements(functionality);
    const auto is_added = [&](std::size_t at) {
      const StatementKind kind = listed[at].statement->statement.kind;
      return kind == StatementKind::commit && !chopped.origins[i][at];
    };
    std::size_t at = 0;
    while (at < listed.size() && !is_added(at)) ++at;
    if (at == listed.size()) continue;
    const std::string from = service_beside(at, true, i, chopped, cut);
    const std::string to = service_beside(at, false, i, chopped, cut);
    const bool is_known = !from.empty() && !to.empty() && from != to;
    const SourceLocation& source = listed[at].statement->source;
    chopped.notes.push_back(
        {.what = fmt::format("{} has no COMMIT here, where {}, and two services share no "
                             "transaction: it is taken to be there",
                             functionality.name,
                             is_known ? fmt::format("{} hands over to {}", from, to)
                                      : "one service hands over to another"),
         .what_to_do = "write it, put the tables into one service, or leave --services out to take "
                       "the parts as they stand",
         .file = source.file,
         .position = source.position});
  }
}

void remove_commits(Block& block) {
  std::erase_if(block, [](const Action& action) {
    const auto* run = std::get_if<RunStatement>(&action.what);
    return run != nullptr && run->statement.statement.kind == StatementKind::commit;
  });
  for (Action& action : block) {
    program::for_each_block(action, [](Block& inner) { remove_commits(inner); });
  }
}

}  // namespace
}  // namespace chopping

Program unchopped(const Program& program) {
  Program whole = program;
  for (Functionality& functionality : whole.functionalities) {
    chopping::remove_commits(functionality.body);
    const std::vector<ListedStatement> left = list_statements(functionality);
    functionality.states_boundaries =
        functionality.states_boundaries &&
        std::ranges::any_of(left, [](const ListedStatement& listed) {
          const StatementKind kind = listed.statement->statement.kind;
          return kind == StatementKind::begin || kind == StatementKind::rollback;
        });
  }
  return whole;
}

Result<SplitReport> split_program(const Program& program, const Cut& cut,
                                  const SplitOptions& options) {
  Result<Cut> matched = match_cut(cut, program.schema);
  if (!matched) return matched.error();
  Result<ChoppedProgram> chopped = chop_program(program, *matched);
  if (!chopped) return chopped.error();
  SplitReport report;
  report.chopped = std::move(*chopped);
  if (options.is_chopped) {
    chopping::note_added_commits(*matched, report.chopped);
    chopping::renumber_origins(program, report.chopped);
  }
  Result<std::vector<IsolationLevel>> levels = chopping::levels_of(*matched, options);
  if (!levels) return levels.error();
  report.levels = std::move(*levels);
  report.cut = std::move(*matched);
  report.torn_keys = chopping::find_torn_keys(report.cut, program.schema);
  const chopping::TableServices services(report.cut, program.schema);
  const chopping::ReferenceChecks checks(program, services);
  for (TornKey& torn : report.torn_keys) torn.is_asked = checks.has(torn);
  report.within = options.within;
  report.across = options.find.across;
  report.only_cores = options.only_cores;
  const std::optional<find::Clock::time_point> end = find::end_of(options.find.timeout_ms);
  FindOptions how = options.find;
  how.level = options.within;
  how.levels.clear();
  how.levels_of_statements.clear();
  if (!how.max_length) how.max_length = report.max_length;
  Program whole = options.is_chopped ? unchopped(program) : program;
  if (Result<void> added = chopping::add_sessions(how, options.max_calls, whole, report.chopped);
      !added) {
    return added.error();
  }
  std::set<std::string> known;
  if (!options.counts_all) {
    Result<chopping::UncutCycles> uncut = chopping::find_uncut_cycles(whole, how);
    if (!uncut) return uncut.error();
    known = std::move(uncut->keys);
    report.bound = uncut->bound;
  }
  if (!options.levels.empty()) {
    how.levels_of_statements = chopping::levels_of_statements(report);
  }
  how.timeout_ms = find::left_ms(end);
  const Result<FindReport> found =
      chopping::find_cycles(report.chopped, how, known, options.only_cores);
  if (!found) return found.error();
  chopping::CauseList causes(report.chopped, known);
  chopping::for_each_cycle(*found, [&](const FoundCycle& cycle) { causes.add(cycle); });
  causes.finish();
  report.causes = std::move(causes.causes);
  chopping::name_causes(report);
  report.in_uncut = causes.in_uncut;
  // Who has edited a chopping has chosen an order.
  if (!options.is_chopped) report.orders = chopping::propose_orders(program, report.cut);
  report.max_length = found->max_length;
  report.max_instances = found->max_instances;
  report.max_prefix = found->max_prefix;
  report.counts = found->counts;
  if (!found->bound.empty()) {
    report.bound += (report.bound.empty() ? "" : "; ") + found->bound;
  }
  if (options.finds_needs && !report.causes.empty()) {
    how.timeout_ms = find::left_ms(end);
    if (Result<void> done = chopping::find_needs(how, report); !done) return done.error();
  }
  return report;
}

}  // namespace heddle
