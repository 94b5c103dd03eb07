#include "explore/conflicts.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/redis/parse.h"
#include "program/connections.h"
#include "replay/called_places.h"
#include "replay/called_statements.h"
#include "replay/observe/statement_effects.h"
#include "replay/observe/store_statements.h"
#include "replay/runner.h"

namespace heddle {

namespace {

// What stands for code or rules that no statement shows.
constexpr std::array<std::string_view, 16> kHiddenEffects = {
    "trigger", "rule",   "view",         "function",        "procedure", "policy",
    "event",   "notify", "pg_advisory",  "pg_try_advisory", "get_lock",  "nextval",
    "currval", "setval", "release_lock", "autocommit",
};
// What a program is made of.
constexpr std::array<std::string_view, 2> kRoutines = {"function", "procedure"};
// Rows with different keys can still be in each other's way.
constexpr std::array<std::string_view, 2> kOtherConstraints = {"unique", "exclude"};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// A word of the text that begins so. REQUIRES: lower case.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (at == 0 || !is_word_character(text[at - 1])) return true;
  }
  return false;
}

bool is_local(StatementKind kind) {
  return kind == StatementKind::savepoint || kind == StatementKind::release_savepoint ||
         kind == StatementKind::set || kind == StatementKind::set_transaction;
}

// The value of 7, -7 or 'a text', which nothing has to evaluate; none: it is something else. Texts
// that may be equal as a number (007 and '7') or as a column compares them ('A' and 'a ') have one
// value.
std::optional<std::string> constant_value(std::string_view text) {
  const bool is_quoted = text.size() > 1 && text.front() == '\'' && text.back() == '\'';
  if (is_quoted) text = text.substr(1, text.size() - 2);
  const bool is_negative = text.starts_with('-');
  std::string_view digits = is_negative ? text.substr(1) : text;
  if (!digits.empty() && digits.find_first_not_of("0123456789") == digits.npos) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    return (is_negative && digits != "0" ? "-" : "") + std::string(digits);
  }
  // Others may be another way to write the same number or time.
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool is_word = is_quoted && !text.empty() && is_letter(text.front()) &&
                       std::ranges::all_of(text, [&](char c) {
                         return is_letter(c) || is_word_character(c) || c == ' ';
                       });
  if (!is_word) return std::nullopt;
  return to_lower(text.substr(0, text.find_last_not_of(' ') + 1));
}

// Of all blocks but the program.
std::string texts_of_steps(Scenario scenario) {
  scenario.program.reset();
  return all_texts(scenario);
}

bool is_serializable_session(const Session& session) {
  return session.isolation == IsolationLevel::serializable ||
         session.isolation == IsolationLevel::postgres_serializable;
}

}  // namespace

StepConflicts::StepConflicts(const Scenario& scenario, const std::vector<CatalogueTable>& catalogue,
                             const std::vector<std::vector<Statement>>& statements,
                             std::vector<Dialect> dialects, std::optional<IsolationLevel> level)
    : catalogue_(catalogue),
      dialects_(std::move(dialects)),
      step_count_(scenario.steps.size()),
      reason_(find_reason(scenario, level)),
      footprints_(scenario.steps.size()),
      session_accesses_(scenario.sessions.size()),
      conflicts_(scenario.steps.size() * scenario.steps.size(), true) {
  for (const Step& step : scenario.steps) session_of_.push_back(step.session.index());
  if (!reason_.empty()) return;
  const std::string text = all_texts(scenario);
  keys_are_all_ =
      std::ranges::none_of(kOtherConstraints, [&](auto word) { return has_word(text, word); });
  group_tables(catalogue);
  for (const Session& session : scenario.sessions) read_session(scenario, session, statements);
  for (std::size_t a = 0; a < step_count_; ++a) {
    for (std::size_t b = 0; b < step_count_; ++b) {
      conflicts_[a * step_count_ + b] = disturbs(a, b) || disturbs(b, a);
    }
  }
}

std::string StepConflicts::find_reason(const Scenario& scenario,
                                       std::optional<IsolationLevel> level) const {
  if (std::ranges::all_of(dialects_, [](Dialect d) { return d == Dialect::redis; })) return "";
  const std::string text = all_texts(scenario);
  for (const std::string_view word : kHiddenEffects) {
    // Functionalities are functions, which heddle runs itself; what they call shows in statements.
    const bool is_program =
        scenario.program && std::ranges::find(kRoutines, word) != kRoutines.end();
    if (has_word(is_program ? texts_of_steps(scenario) : text, word)) {
      return fmt::format("the scenario mentions \"{}\"", word);
    }
  }
  const bool is_serializable = level == IsolationLevel::serializable ||
                               level == IsolationLevel::postgres_serializable ||
                               std::ranges::any_of(scenario.sessions, is_serializable_session) ||
                               has_word(text, "serializable");
  const auto has = [&](Dialect dialect) {
    return std::ranges::find(dialects_, dialect) != dialects_.end();
  };
  if (has(Dialect::postgres) && is_serializable) {
    return "serializable transactions of PostgreSQL watch pages and the order of commits";
  }
  if (has(Dialect::sqlite)) return "SQLite locks the whole database";
  return "";
}

// Writing a row looks at the rows that it refers to, and locks them.
void StepConflicts::group_tables(const std::vector<CatalogueTable>& catalogue) {
  groups_.resize(catalogue.size());
  std::iota(groups_.begin(), groups_.end(), 0);
  const auto merge = [&](std::size_t a, std::size_t b) {
    const std::size_t from = groups_[b];
    std::ranges::replace(groups_, from, groups_[a]);
  };
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    for (std::size_t j = 0; j < catalogue.size(); ++j) {
      const bool refers = std::ranges::any_of(catalogue[i].foreign_keys, [&](const auto& key) {
        return key.table == catalogue[j].name;
      });
      const bool are_parts = (catalogue[i].partition || catalogue[i].partitioned) &&
                             (catalogue[j].partition || catalogue[j].partitioned);
      if (refers || are_parts) merge(i, j);
    }
  }
}

void StepConflicts::read_session(const Scenario& scenario, const Session& session,
                                 const std::vector<std::vector<Statement>>& statements) {
  std::vector<Progress> progress(dialects_.size());
  bool is_known = true;
  std::vector<Access>& all = session_accesses_[&session - scenario.sessions.data()];
  if (session.setup) {
    Footprint footprint;
    const std::size_t store = footprint.store = session.setup->store;
    const auto parsed = statements_for(session.setup->text, store, scenario, dialects_[store]);
    footprint.known = static_cast<bool>(parsed);
    if (parsed) {
      for (const Statement& statement : *parsed) {
        add(statement, footprint, progress[store]);
      }
    }
    all = footprint.accesses;
    // What it leaves open is not known then.
    is_known = footprint.known;
  }
  if (session.call) return read_call(scenario, session, is_known, all);
  for (const StepId id : session.steps) {
    Footprint& footprint = footprints_[id.index()];
    const Step& step = scenario.steps[id.index()];
    footprint.store = step.sql.store;
    const auto is_query = [](const Instruction& instruction) {
      return instruction.kind == Instruction::Kind::query;
    };
    const bool branches = !std::ranges::all_of(step.instructions, is_query);
    // Which service's transaction a BEGIN or COMMIT is about, its text does not say.
    const bool has_one_place = scenario.services.empty();
    footprint.known = is_known && has_one_place && !branches && !statements[id.index()].empty();
    for (const Statement& statement : statements[id.index()]) {
      add(statement, footprint, progress[step.sql.store]);
    }
    all.insert(all.end(), footprint.accesses.begin(), footprint.accesses.end());
    footprint.used = all.size();
  }
}

void StepConflicts::read_call(const Scenario& scenario, const Session& session, bool is_known,
                              std::vector<Access>& all) {
  const std::size_t store = scenario.steps[session.steps.front().index()].sql.store;
  const Functionality& functionality =
      *called_functionality(scenario, scenario.steps[session.steps.front().index()].session);
  const std::vector<CalledPlace> places = called_places(functionality);
  const std::vector<std::string> texts =
      statement_templates(functionality, known_arguments(functionality, session.call->arguments));
  std::vector<std::optional<Statement>> called;
  // Each connection has a snapshot of its own, wherever it begins.
  bool has_plain_statements = !program::uses_several_connections(functionality);
  for (const std::string& text : texts) {
    // Statements are PostgreSQL's, and are said to other stores in their words.
    auto parsed = statements_for(text, store, scenario, Dialect::postgres);
    std::optional<Statement>& statement = called.emplace_back();
    if (parsed && parsed->size() == 1) statement = std::move(parsed->front());
    has_plain_statements = has_plain_statements && statement && uses_rows(statement->kind);
  }
  const bool is_alone = dialects_.size() == 1 && scenario.services.empty();
  for (std::size_t i = 0; i < session.steps.size(); ++i) {
    Footprint& footprint = footprints_[session.steps[i].index()];
    footprint.store = store;
    footprint.known = is_known && is_alone;
    footprint.ends = true;
    footprint.takes_snapshot =
        i == 0 || !has_plain_statements || dialects_[store] == Dialect::mysql;
    for (std::size_t k = 0; k < called.size(); ++k) {
      if (!places[k].may_be(i, session.steps.size())) continue;
      if (called[k]) {
        add_called(*called[k], footprint);
      } else {
        footprint.known = false;
      }
    }
    all.insert(all.end(), footprint.accesses.begin(), footprint.accesses.end());
    footprint.used = all.size();
  }
}

void StepConflicts::add_called(const Statement& statement, Footprint& footprint) const {
  const bool is_end = statement.kind == StatementKind::commit ||
                      statement.kind == StatementKind::rollback ||
                      statement.kind == StatementKind::rollback_to_savepoint;
  if (is_end || is_local(statement.kind)) return;
  const bool is_known = uses_rows(statement.kind) && !statement.calls_unknown_function &&
                        add_accesses(statement, footprint.accesses);
  footprint.known = footprint.known && is_known;
}

void StepConflicts::add(const Statement& statement, Footprint& footprint,
                        Progress& progress) const {
  if (dialects_[footprint.store] == Dialect::redis) {
    return add_redis(statement, footprint, progress);
  }
  switch (statement.kind) {
    case StatementKind::begin:
      // START TRANSACTION WITH CONSISTENT SNAPSHOT
      if (has_word(to_lower(statement.text), "snapshot")) footprint.known = false;
      progress.in_transaction = true;
      progress.has_snapshot = false;
      return;
    case StatementKind::commit:
    case StatementKind::rollback:
      footprint.ends = true;
      progress.in_transaction = progress.has_snapshot = false;
      return;
    case StatementKind::rollback_to_savepoint:
      footprint.ends = true;  // of the locks taken since
      return;
    default:
      break;
  }
  if (is_local(statement.kind)) return;
  if (!uses_rows(statement.kind) || statement.calls_unknown_function ||
      !add_accesses(statement, footprint.accesses)) {
    footprint.known = false;
    return;
  }
  if (!progress.in_transaction) footprint.ends = true;
  // InnoDB takes it with the first plain read, wherever that is.
  const bool may_take = !progress.has_snapshot || dialects_[footprint.store] == Dialect::mysql;
  if (progress.in_transaction && may_take) {
    footprint.takes_snapshot = progress.has_snapshot = true;
  }
}

// Nothing is locked, nor kept for a transaction to see.
void StepConflicts::add_redis(const Statement& statement, Footprint& footprint,
                              Progress& progress) const {
  if (statement.kind == StatementKind::begin) {
    progress.in_transaction = true;
  } else if (statement.kind == StatementKind::commit || statement.kind == StatementKind::rollback) {
    if (statement.kind == StatementKind::commit) {
      footprint.known = footprint.known && progress.kept_is_known;
      footprint.accesses.insert(footprint.accesses.end(), progress.kept.begin(),
                                progress.kept.end());
    }
    progress = Progress();
  } else if (is_local(statement.kind)) {  // WATCH, for one
    add_accesses(statement, footprint.accesses);
    add_accesses(statement, progress.kept);
  } else {
    const bool is_known =
        uses_rows(statement.kind) && !statement.calls_unknown_function &&
        add_accesses(statement, progress.in_transaction ? progress.kept : footprint.accesses);
    bool& known = progress.in_transaction ? progress.kept_is_known : footprint.known;
    known = known && is_known;
  }
}

bool StepConflicts::add_accesses(const Statement& statement, std::vector<Access>& accesses) const {
  for (const TableUse& use : statement.tables) {
    const std::string name =
        use.schema.empty() || use.schema == "public" ? use.table : use.schema + "." + use.table;
    const auto table = std::ranges::find_if(catalogue_, [&](const CatalogueTable& candidate) {
      return equal_ignoring_case(candidate.name, name);
    });
    if (table == catalogue_.end()) return false;
    const auto index = static_cast<std::size_t>(table - catalogue_.begin());
    const bool exclusive = use.written || use.locking != LockingClause::none;
    for (const std::optional<std::string>& row : rows_of(statement, *table)) {
      accesses.push_back({groups_[index], table->name, row, exclusive, table->store});
    }
  }
  return true;
}

std::vector<std::optional<std::string>> StepConflicts::rows_of(const Statement& statement,
                                                               const CatalogueTable& table) const {
  if (dialects_[table.store] != Dialect::redis) return {row_of(statement, table)};
  const auto keys = keys_of_redis_predicate(statement.predicate);
  if (!keys) return {std::nullopt};
  return {keys->begin(), keys->end()};
}

// Where the predicate is `key = constant`, and the key stays.
std::optional<std::string> StepConflicts::row_of(const Statement& statement,
                                                 const CatalogueTable& table) const {
  const bool looks_up = statement.kind == StatementKind::select ||
                        statement.kind == StatementKind::update ||
                        statement.kind == StatementKind::delete_;
  // InnoDB locks gaps.
  const bool has_row_locks = dialects_[table.store] != Dialect::mysql;
  if (!keys_are_all_ || !has_row_locks || !looks_up || statement.tables.size() != 1 ||
      table.key.size() != 1 || !table.foreign_keys.empty()) {
    return std::nullopt;
  }
  const TableUse& use = statement.tables.front();
  const bool writes_key = use.written && statement.kind == StatementKind::update &&
                          std::ranges::any_of(use.columns_written, [&](const std::string& column) {
                            return column == "*" || equal_ignoring_case(column, table.key.front());
                          });
  const std::size_t equals = statement.predicate.find(" = ");
  if (writes_key || equals == std::string::npos) return std::nullopt;
  std::string column = to_lower(std::string_view(statement.predicate).substr(0, equals));
  for (const std::string& prefix : {to_lower(use.alias), to_lower(use.table)}) {
    if (!prefix.empty() && column.starts_with(prefix + ".")) column.erase(0, prefix.size() + 1);
  }
  if (column != to_lower(table.key.front())) return std::nullopt;
  return constant_value(std::string_view(statement.predicate).substr(equals + 3));
}

bool StepConflicts::overlap(const Access& a, const Access& b) const {
  if (a.group != b.group) return false;
  return a.table != b.table || !a.row || !b.row || *a.row == *b.row;
}

bool StepConflicts::disturbs(std::size_t a, std::size_t b) const {
  const Footprint& first = footprints_[a];
  const Footprint& second = footprints_[b];
  if (!first.known || !second.known) return true;
  const auto meet = [&](const std::vector<Access>& some, const std::vector<Access>& others) {
    return std::ranges::any_of(some, [&](const Access& one) {
      return std::ranges::any_of(others, [&](const Access& other) { return overlap(one, other); });
    });
  };
  for (const Access& one : first.accesses) {
    for (const Access& other : second.accesses) {
      if ((one.exclusive || other.exclusive) && overlap(one, other)) return true;
    }
  }
  if (!first.ends) return false;
  // What becomes visible, and what is unlocked. InnoDB locks what serializable transactions read.
  const bool reads_count = dialects_[first.store] != Dialect::postgres;
  std::vector<Access> released;
  const std::vector<Access>& all = session_accesses_[session_of_[a]];
  for (const Access& access : std::span(all).first(first.used)) {
    if (access.store == first.store && (access.exclusive || reads_count))
      released.push_back(access);
  }
  if (meet(released, second.accesses)) return true;
  return second.takes_snapshot && meet(released, session_accesses_[session_of_[b]]);
}

}  // namespace heddle
