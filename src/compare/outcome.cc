// An outcome is flattened into observations: one per reply, final table and invariant. Each has a
// label, what must be equal literally, and maybe rows. The rows of all observations together make
// a Pattern whose names are the generated values, and find_renaming decides. Only when it finds
// none is the slower question asked: which rows differ.
#include "compare/outcome.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "compare/renaming.h"
#include "compare/row_matching.h"
#include "heddle/program.h"
#include "program/observed.h"
#include "program/redis_commands.h"

namespace heddle {
namespace {

constexpr std::size_t kRowsShown = 5;

// Where an observation was made; equal places of two outcomes are compared. Reads come first.
struct StatementPlace {
  bool final = false;
  std::size_t session = 0;
  std::size_t position = 0;  // of the step among those of its session
  std::size_t reply = 0;
  std::string name;  // of the table or invariant

  friend auto operator<=>(const StatementPlace&, const StatementPlace&) = default;
};

struct Observation {
  enum class Kind : std::uint8_t { rows, command, error, table, invariant };

  Kind kind = Kind::rows;
  StatementPlace place;
  StepOccurrence step;    // of reads
  bool several = false;   // the step has more than one reply
  std::size_t reply = 0;  // of the step
  bool is_end = false;    // what a functionality gave its caller
  std::string text;       // command tag, error, or whether the invariant holds, for people
  std::string label;
  bool ordered = false;
  const std::vector<Column>* columns = nullptr;  // rows, table
  const std::vector<Row>* rows = nullptr;        // rows, table
};

std::string column_label(const std::vector<Column>& columns) {
  std::string label;
  for (const Column& column : columns) append_counted(label, column.name);
  return label;
}

// What is compared of an error: a class that ends the session tells nothing of the program, and its
// message names processes.
std::string error_label(const StepError& error) {
  if (ends_session(error.error_class)) {
    return fmt::format("class {}", static_cast<int>(error.error_class));
  }
  std::string label;
  append_counted(label, error.code);
  append_counted(label, error.message.empty() ? error.text : error.message);
  return label;
}

std::string seen_error(const StepError& error) {
  const std::string& message = error.message.empty() ? error.text : error.message;
  const std::string severity = error.severity.empty() ? "ERROR" : error.severity;
  const bool has_code = !error.code.empty() && error.code != severity;
  const std::string code = has_code ? fmt::format(" ({})", error.code) : "";
  return fmt::format("{}: {}{}", severity, message, code);
}

// "UPDATE" of "UPDATE 1"; nothing of MariaDB's "1 rows".
std::size_t word_length(std::string_view tag) {
  return std::min(tag.find_first_of(" 0123456789"), tag.size());
}

Observation observe_reply(const Reply& reply) {
  Observation seen;
  if (reply.error) {
    seen.kind = Observation::Kind::error;
    seen.text = seen_error(*reply.error);
    seen.label = "error " + error_label(*reply.error);
  } else if (reply.result && reply.result->has_rows) {
    seen.kind = Observation::Kind::rows;
    seen.label = "rows " + column_label(reply.result->columns);
    seen.ordered = reply.result->ordered;
    seen.columns = &reply.result->columns;
    seen.rows = &reply.result->rows;
  } else {
    seen.kind = Observation::Kind::command;
    seen.text = reply.result ? reply.result->command_tag : "";
    seen.label = "command " + seen.text;
  }
  return seen;
}

void observe_step(const StepOutcome& step, StatementPlace place, std::size_t occurrence,
                  std::vector<Observation>& seen) {
  for (std::size_t i = 0; i < step.replies.size(); ++i) {
    Observation& observation = seen.emplace_back(observe_reply(step.replies[i]));
    place.reply = i;
    observation.place = place;
    observation.step = {step.step, occurrence};
    observation.several = step.replies.size() > 1;
    observation.reply = i;
    if (!step.is_call) observation.label += fmt::format(" of step {}", step.step.value);
  }
}

// What a functionality did: statement by statement, whatever steps they were in.
void observe_call(const std::vector<StepOutcome>& steps, StatementPlace place,
                  std::vector<Observation>& seen) {
  for (const StepOutcome& step : steps) {
    const std::size_t first = seen.size();
    observe_step(step, place, 0, seen);
    for (std::size_t i = first; i < seen.size(); ++i) {
      seen[i].place.position = place.position++;
      seen[i].place.reply = 0;
    }
  }
  for (const StepOutcome& step : steps) {
    if (!step.call_end) continue;
    Observation& end = seen.emplace_back(observe_reply(*step.call_end));
    place.position = std::numeric_limits<std::size_t>::max();
    end.place = place;
    end.step = {step.step, 0};
    end.is_end = true;
  }
}

// All observations, in the order of their places.
std::vector<Observation> observe(const Outcome& outcome) {
  std::vector<Observation> seen;
  for (std::size_t session = 0; session < outcome.sessions.size(); ++session) {
    std::map<StepId, std::size_t> executed;
    const std::vector<StepOutcome>& steps = outcome.sessions[session];
    if (!steps.empty() && steps.front().is_call) {
      observe_call(steps, {false, session, 0, 0, ""}, seen);
      continue;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      observe_step(steps[i], {false, session, i, 0, ""}, executed[steps[i].step]++, seen);
    }
  }
  for (const TableState& table : outcome.tables) {
    Observation& observation = seen.emplace_back();
    observation.kind = Observation::Kind::table;
    observation.place = {true, 0, 0, 0, table.name};
    observation.label = "table " + column_label(table.columns);
    observation.columns = &table.columns;
    observation.rows = &table.rows;
  }
  for (const InvariantOutcome& invariant : outcome.invariants) {
    Observation& observation = seen.emplace_back();
    observation.kind = Observation::Kind::invariant;
    observation.place = {true, 1, 0, 0, invariant.name};
    observation.text = invariant.holds ? "holds" : "broken";
    observation.label = "invariant " + observation.text;
  }
  return seen;
}

// A pattern and what its names stand for.
struct NamedPattern {
  Pattern pattern;
  std::vector<GeneratedValue> values;  // by name
  std::map<GeneratedValue, std::size_t> names;
};

PatternCell cell_of(const Column& column, const Cell& value, const FixedValues& fixed,
                    NamedPattern& named) {
  if (!value) return {"null"};
  if (!column.generated) return {"=" + *value};
  GeneratedValue generated{column.domain, *value};
  if (fixed.contains(generated)) return {"=" + *value};
  const auto [found, added] = named.names.emplace(generated, named.values.size());
  if (added) named.values.push_back(std::move(generated));
  return {column.domain, found->second};
}

void add_block(const Observation& seen, const FixedValues& fixed, NamedPattern& named) {
  PatternBlock& block = named.pattern.blocks.emplace_back();
  const StatementPlace& place = seen.place;
  block.label = fmt::format("{} {} {} {} {} {}", place.final, place.session, place.position,
                            place.reply, place.name, seen.label);
  block.ordered = seen.ordered;
  if (seen.rows == nullptr) return;
  static const Column unknown_column;
  for (const Row& row : *seen.rows) {
    PatternRow& cells = block.rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Column& column = i < seen.columns->size() ? (*seen.columns)[i] : unknown_column;
      cells.push_back(cell_of(column, row[i], fixed, named));
    }
  }
}

enum class Part : std::uint8_t { all, reads, final };

NamedPattern pattern_of(const std::vector<Observation>& seen, Part part, const FixedValues& fixed) {
  NamedPattern named;
  for (const Observation& observation : seen) {
    const bool wanted = part == Part::all || observation.place.final == (part == Part::final);
    if (wanted) add_block(observation, fixed, named);
  }
  named.pattern.names = named.values.size();
  return named;
}

using ValuePartners = std::map<GeneratedValue, GeneratedValue>;

// Whether one part of the outcomes is equal, and the partners that make it so.
struct PartEquality {
  bool equal = false;
  bool exact = true;
  ValuePartners partners;
};

PartEquality compare_part(const std::vector<Observation>& run,
                          const std::vector<Observation>& serial, Part part,
                          const FixedValues& fixed) {
  const NamedPattern left = pattern_of(run, part, fixed);
  const NamedPattern right = pattern_of(serial, part, fixed);
  const Renaming renaming = find_renaming(left.pattern, right.pattern);
  PartEquality equality;
  equality.equal = renaming.verdict != RenamingVerdict::impossible;
  equality.exact = renaming.verdict != RenamingVerdict::unknown;
  for (std::size_t name = 0; name < renaming.names.size(); ++name) {
    equality.partners[left.values[name]] = right.values[renaming.names[name]];
  }
  return equality;
}

// An observation at the same place of both sides; one of them may be missing.
struct Pair {
  const Observation* run = nullptr;
  const Observation* serial = nullptr;

  const Observation& any() const { return run != nullptr ? *run : *serial; }
  bool comparable() const {
    return run != nullptr && serial != nullptr && run->label == serial->label &&
           run->ordered == serial->ordered;
  }
};

std::vector<Pair> pair_observations(const std::vector<Observation>& run,
                                    const std::vector<Observation>& serial) {
  std::map<StatementPlace, Pair> pairs;
  for (const Observation& observation : run) pairs[observation.place].run = &observation;
  for (const Observation& observation : serial) pairs[observation.place].serial = &observation;
  std::vector<Pair> result;
  for (const auto& [place, pair] : pairs) result.push_back(pair);
  return result;
}

// Per pair the rows without a partner; empty lists for pairs without rows to compare.
std::vector<UnmatchedRows> unmatched_rows(const std::vector<Pair>& pairs,
                                          const ValuePartners& partners, const FixedValues& fixed) {
  NamedPattern left;
  NamedPattern right;
  std::vector<std::size_t> compared;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].comparable()) continue;
    add_block(*pairs[i].run, fixed, left);
    add_block(*pairs[i].serial, fixed, right);
    compared.push_back(i);
  }
  left.pattern.names = left.values.size();
  right.pattern.names = right.values.size();
  PartialRenaming known(left.values.size());
  for (const auto& [run_value, serial_value] : partners) {
    const auto from = left.names.find(run_value);
    const auto to = right.names.find(serial_value);
    if (from != left.names.end() && to != right.names.end()) known[from->second] = to->second;
  }
  std::vector<UnmatchedRows> unmatched = match_rows(left.pattern, right.pattern, known);
  std::vector<UnmatchedRows> result(pairs.size());
  for (std::size_t i = 0; i < compared.size(); ++i) result[compared[i]] = std::move(unmatched[i]);
  return result;
}

// "UPDATE 1", but not "COMMIT".
bool has_count(const Observation* seen) {
  if (seen == nullptr) return true;
  return !seen->text.empty() && seen->text.back() >= '0' && seen->text.back() <= '9';
}

bool has_kind(const Pair& pair, Observation::Kind kind) {
  return (pair.run != nullptr && pair.run->kind == kind) ||
         (pair.serial != nullptr && pair.serial->kind == kind);
}

std::string_view reply_word(const Pair& pair) {
  if (has_kind(pair, Observation::Kind::error)) return "error of";
  if (has_kind(pair, Observation::Kind::rows)) return "result of";
  if (has_count(pair.run) && has_count(pair.serial)) return "rows affected by";
  return "reply of";
}

std::string where(const Pair& pair, const Scenario& scenario) {
  const Observation& seen = pair.any();
  const std::string& name = seen.place.name;
  if (seen.kind == Observation::Kind::table) return "final rows of " + name;
  if (seen.kind == Observation::Kind::invariant) return fmt::format("invariant \"{}\"", name);
  if (seen.is_end) {
    const SessionId session = scenario.steps[seen.step.step.index()].session;
    return fmt::format("what {} returns", scenario.sessions[session.index()].name);
  }
  const bool several = (pair.run != nullptr && pair.run->several) ||
                       (pair.serial != nullptr && pair.serial->several);
  std::string text = fmt::format("{} {}step {}", reply_word(pair),
                                 several ? fmt::format("statement {} of ", seen.reply + 1) : "",
                                 scenario.steps[seen.step.step.index()].name);
  if (seen.step.occurrence > 0) text += fmt::format(" (time {})", seen.step.occurrence + 1);
  return text;
}

std::string row_text(const Row& row) {
  std::string text = "(";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) text += ", ";
    text += row[i].value_or("NULL");
  }
  return text + ")";
}

// The rows at `indices`, at most kRowsShown.
std::string rows_text(const std::vector<Row>& rows, const std::vector<std::size_t>& indices) {
  if (rows.empty()) return "no rows";
  if (indices.empty()) return "no such row";
  std::string text;
  for (std::size_t i = 0; i < indices.size() && i < kRowsShown; ++i) {
    if (i > 0) text += ", ";
    text += row_text(rows[indices[i]]);
  }
  if (indices.size() > kRowsShown)
    text += fmt::format(", ... {} more", indices.size() - kRowsShown);
  return text;
}

// The whole of one side, where the other side is something else.
std::string side_text(const Observation* seen) {
  if (seen == nullptr) return "nothing";
  if (seen->rows == nullptr) return seen->text;
  std::vector<std::size_t> all(seen->rows->size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::string columns;
  for (const Column& column : *seen->columns) {
    columns += (columns.empty() ? "" : ", ") + column.name;
  }
  return fmt::format("[{}] {}", columns, rows_text(*seen->rows, all));
}

void add_difference(const Pair& pair, const UnmatchedRows& rows, const Scenario& scenario,
                    OutcomeComparison& comparison) {
  const bool same_kind = pair.comparable();
  if (same_kind && rows.from.empty() && rows.to.empty()) return;
  Difference& difference = comparison.differences.emplace_back();
  difference.where = where(pair, scenario);
  difference.observed = same_kind ? rows_text(*pair.run->rows, rows.from) : side_text(pair.run);
  difference.serial = same_kind ? rows_text(*pair.serial->rows, rows.to) : side_text(pair.serial);
  const Observation& seen = pair.any();
  if (seen.kind == Observation::Kind::table) comparison.wrong_tables.push_back(seen.place.name);
  if (seen.place.final) return;
  std::vector<StepOccurrence>& wrong = comparison.wrong_steps;
  if (wrong.empty() || wrong.back() != seen.step) wrong.push_back(seen.step);
}

std::vector<Reply> without(std::vector<Reply> replies, const std::set<std::size_t>& left_out) {
  for (const std::size_t place : left_out | std::views::reverse) {
    replies.erase(replies.begin() + static_cast<std::ptrdiff_t>(place));
  }
  return replies;
}

// Of what a called functionality sent, without attempts that came to nothing, and without the
// counts of rows that it does not look at: nobody sees those.
std::vector<Reply> seen_replies(const StepRecord& record, const Scenario& scenario,
                                SessionId session) {
  const std::optional<Call>& call = scenario.sessions[session.index()].call;
  if (!call || !scenario.program || record.statements.size() != record.replies.size()) {
    return without(record.replies, record.left_out);
  }
  const Functionality& called = scenario.program->program.functionalities[call->functionality];
  const std::vector<ListedStatement> listed = list_statements(called);
  const auto observed = program::observed_statements(called);
  std::vector<Reply> replies = record.replies;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const std::optional<std::size_t> number = record.statements[i];
    if (!number || *number >= listed.size() || !replies[i].result) continue;
    const ProgramStatement& statement = *listed[*number].statement;
    if (observed.contains(&statement)) continue;
    std::string& tag = replies[i].result->command_tag;
    tag.erase(word_length(tag));
    // Redis says the count in a row.
    if (program::is_redis(statement) && !statement.statement.returns_rows) {
      replies[i].result = ResultSet();
    }
  }
  return without(std::move(replies), record.left_out);
}

}  // namespace

Outcome outcome_of(const Run& run, const Scenario& scenario,
                   const std::vector<SessionId>& removed) {
  Outcome outcome;
  outcome.sessions.resize(scenario.sessions.size());
  for (const StepRecord& record : run.records) {
    const SessionId session = scenario.steps[record.step.index()].session;
    const bool is_removed = std::find(removed.begin(), removed.end(), session) != removed.end();
    if (record.skipped || is_removed) continue;
    const bool is_call = scenario.sessions[session.index()].call.has_value();
    outcome.sessions[session.index()].push_back(
        {record.step, seen_replies(record, scenario, session), is_call, record.call_end});
  }
  outcome.tables = run.tables;
  outcome.invariants = run.invariants;
  return outcome;
}

FixedValues fixed_values(const std::vector<TableState>& tables) {
  FixedValues fixed;
  for (const TableState& table : tables) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!table.columns[i].generated) continue;
      for (const Row& row : table.rows) {
        if (i < row.size() && row[i]) fixed.insert({table.columns[i].domain, *row[i]});
      }
    }
  }
  return fixed;
}

bool is_equal(const Outcome& run, const Outcome& serial, const FixedValues& fixed) {
  return compare_part(observe(run), observe(serial), Part::all, fixed).equal;
}

OutcomeComparison compare(const Outcome& run, const Outcome& serial, const Scenario& scenario,
                          const FixedValues& fixed) {
  const std::vector<Observation> observed = observe(run);
  const std::vector<Observation> expected = observe(serial);
  OutcomeComparison comparison;
  const PartEquality all = compare_part(observed, expected, Part::all, fixed);
  comparison.exact = all.exact;
  if (all.equal) return comparison;

  const PartEquality final = compare_part(observed, expected, Part::final, fixed);
  const PartEquality reads = compare_part(observed, expected, Part::reads, fixed);
  comparison.final_equal = final.equal;
  comparison.reads_equal = !final.equal && reads.equal;
  comparison.exact = final.exact && (final.equal || reads.exact);
  const std::vector<Pair> pairs = pair_observations(observed, expected);
  const ValuePartners& partners = final.equal ? final.partners : reads.partners;
  const std::vector<UnmatchedRows> rows = unmatched_rows(pairs, partners, fixed);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    add_difference(pairs[i], rows[i], scenario, comparison);
  }
  return comparison;
}

std::string canonical_key(const Outcome& outcome, const FixedValues& fixed) {
  return renaming_key(pattern_of(observe(outcome), Part::all, fixed).pattern);
}

}  // namespace heddle
