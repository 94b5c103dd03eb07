#include "find/terms/search_input.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/bounds.h"
#include "program/visit.h"

namespace heddle::find {

namespace {

// Whether something in it raises an error.
bool may_end_early(const Block& body) {
  return std::ranges::any_of(body, [](const Action& action) {
    if (std::holds_alternative<Raise>(action.what)) return true;
    const auto* run = std::get_if<RunStatement>(&action.what);
    bool may = run != nullptr && run->strict;
    program::for_each_block(action, [&](const Block& inner) { may = may || may_end_early(inner); });
    return may;
  });
}

Prepared prepare(const Functionality& functionality, const SearchInput& input,
                 RowSources& every_table) {
  Prepared prepared;
  prepared.statements =
      form_statements(functionality, input.program.schema, input.foreign_keys, every_table);
  if (input.options.internal_only) note_idle_reads(functionality, prepared.statements);
  for (const ListedStatement& listed : list_statements(functionality)) {
    const StatementForm& form = prepared.statements[prepared.runs_again.size()].form;
    // Rows that are passed over are looked at beside those that are not.
    const bool looks_twice = std::ranges::any_of(form.sources, &RowSource::skips_locked);
    prepared.runs_again.push_back(listed.loops > 0 || form.is_unknown || looks_twice);
    if (listed.statement->ends_call) prepared.later_calls.push_back(prepared.runs_again.size());
  }
  prepared.may_be_undone =
      may_end_early(functionality.body) ||
      std::ranges::any_of(prepared.statements, [](const FormedStatement& formed) {
        return formed.form.checks_keys || formed.form.kind == StatementKind::rollback ||
               std::ranges::any_of(formed.form.sources, &RowSource::is_checked);
      });
  return prepared;
}

void add_growth(const Functionality& functionality, const Prepared& prepared,
                GrowingColumns& growing) {
  std::map<const ProgramStatement*, const StatementForm*> forms;
  for (const FormedStatement& formed : prepared.statements) {
    forms.emplace(formed.statement, &formed.form);
  }
  growing.add(functionality, [&](const ProgramStatement& statement) -> const StatementForm& {
    return *forms.at(&statement);
  });
}

// Of what is prepared, and then stays where it is.
std::shared_ptr<const ConflictTable> conflicts_of(const SearchInput& input) {
  std::vector<const std::vector<FormedStatement>*> statements;
  for (const Prepared& one : input.prepared) statements.push_back(&one.statements);
  const bool are_alike = input.constraints.facts.empty() && input.constraints.axioms.empty();
  return std::make_shared<const ConflictTable>(
      std::move(statements), are_alike ? AmongUnknown::first_table : AmongUnknown::every_table);
}

struct ProgramSize {
  std::size_t functionalities;
  std::size_t statements;  // of all of them
};

bool is_at_most(const ProgramSize& size, const SearchInput& input) {
  std::size_t statements = 0;
  for (const Prepared& one : input.prepared) statements += one.statements.size();
  return input.prepared.size() <= size.functionalities && statements <= size.statements;
}

}  // namespace

bool is_session(const SearchInput& input, std::size_t functionality) {
  return !input.prepared[functionality].later_calls.empty();
}

void Prepared::add_changes(Changes& changes) const {
  const RowSources* last = nullptr;
  for (const FormedStatement& formed : statements) {
    const bool is_known = last != nullptr && formed.form.sources.is_shared_with(*last);
    if (!is_known) changes.add(formed.form);
    last = &formed.form.sources;
  }
}

std::size_t default_length(const std::vector<FunctionalityLevel>& levels) {
  constexpr std::size_t kShort = 4;
  constexpr std::size_t kLong = 6;
  const bool is_strong = std::ranges::all_of(levels, [](const FunctionalityLevel& of) {
    return proscribes(of.level, AnomalyKind::lost_update);
  });
  return is_strong ? kLong : kShort;
}

// By size alone: two calls of a program of a few statements, one of a program that is larger.
std::size_t default_prefix(const SearchInput& input) {
  static constexpr std::array<std::pair<ProgramSize, std::size_t>, 2> kCalls = {
      {{{4, 12}, 2}, {{6, 24}, 1}}};
  for (const auto& [size, calls] : kCalls) {
    if (is_at_most(size, input)) return calls;
  }
  return 0;
}

std::optional<FindBounds> wider_bounds(const SearchInput& input) {
  static constexpr ProgramSize kSmall = {10, 12};
  constexpr std::size_t kFew = 3;  // statements of each: cycles are many where one has more
  constexpr FindBounds kWider = {.length = 6, .instances = 4};
  if (!input.options.widens || !is_at_most(kSmall, input)) return std::nullopt;
  // What may do anything has a dependency on everything.
  const auto is_known = [](const FormedStatement& formed) {
    return !formed.form.is_unknown && !formed.form.meets_any_row();
  };
  const bool are_short = std::ranges::all_of(input.prepared, [&](const Prepared& one) {
    return one.statements.size() <= kFew && std::ranges::all_of(one.statements, is_known);
  });
  if (!are_short) return std::nullopt;
  return kWider;
}

IsolationLevel level_at(const SearchInput& input, std::size_t functionality,
                        std::size_t statement) {
  if (functionality < input.levels_of_statements.size()) {
    const auto& own = input.levels_of_statements[functionality];
    if (statement < own.size() && own[statement]) return *own[statement];
  }
  return input.levels[functionality].level;
}

std::optional<std::uint32_t> left_ms(const std::optional<Clock::time_point>& end) {
  if (!end) return std::nullopt;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*end - Clock::now());
  return static_cast<std::uint32_t>(std::max<std::int64_t>(left.count(), 0));
}

std::optional<Clock::time_point> end_of(const std::optional<std::uint32_t>& timeout_ms) {
  if (!timeout_ms) return std::nullopt;
  return Clock::now() + std::chrono::milliseconds(*timeout_ms);
}

std::string reason_to_stop() {
  const std::string reason = stop_reason();
  return reason.empty() ? "--timeout" : reason;
}

SearchInput prepare_search(const Program& program, const FindOptions& options,
                           std::vector<FunctionalityLevel> levels) {
  SearchInput input{program, options};
  input.deadline = end_of(options.timeout_ms);
  input.foreign_keys = ForeignKeys(program);
  input.generated = GeneratedColumns(program.schema);
  RowSources every_table;
  for (const Functionality& functionality : program.functionalities) {
    input.prepared.push_back(prepare(functionality, input, every_table));
    input.prepared.back().add_changes(input.changes);
    add_growth(functionality, input.prepared.back(), input.growing);
  }
  input.levels = std::move(levels);
  input.levels_of_statements = options.levels_of_statements;
  input.constraints = known_constraints(options.constraints, program);
  input.max_length = options.max_length.value_or(default_length(input.levels));
  if (!input.constraints.facts.empty()) {
    input.max_prefix =
        options.max_prefix.value_or(std::max(default_prefix(input), options.least_prefix));
  }
  input.conflicts = conflicts_of(input);
  return input;
}

SearchInput prepare_search_of(const std::vector<std::size_t>& members, const Program& program,
                              const SearchInput& whole, std::vector<FunctionalityLevel> levels) {
  SearchInput input{program, whole.options};
  input.prepared.resize(program.functionalities.size());
  input.foreign_keys = ForeignKeys(program);
  input.generated = GeneratedColumns(program.schema);
  RowSources every_table;
  std::set<std::size_t> needed(members.begin(), members.end());
  input.max_prefix = whole.max_prefix;
  // Any of them may be called before.
  for (std::size_t i = 0; i < program.functionalities.size() && input.max_prefix > 0; ++i) {
    needed.insert(i);
  }
  for (const std::size_t member : needed) {
    input.prepared[member] = prepare(program.functionalities[member], input, every_table);
  }
  input.levels = std::move(levels);
  input.levels_of_statements = whole.levels_of_statements;
  input.changes = whole.changes;
  input.growing = whole.growing;
  input.generated = whole.generated;
  input.constraints = whole.constraints;
  std::vector<FunctionalityLevel> own;
  for (const std::size_t member : members) own.push_back(input.levels[member]);
  input.max_length = whole.options.max_length.value_or(default_length(own));
  input.deadline = whole.deadline;
  input.conflicts = conflicts_of(input);
  return input;
}

}  // namespace heddle::find
