#include "race/accesses/effects.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "frontend/sql/words/functions.h"
#include "race/accesses/statement_accesses.h"

namespace heddle::race {
namespace {

using Rows = std::vector<KnownRow>;

// Rows for each of which a trigger is followed; of more than these nothing is known.
constexpr std::size_t kMostRows = 16;

// PostgreSQL's own and those of its package of examples that change nothing but the new row.
bool changes_only_the_row(std::string_view function) {
  const std::string_view bare = bare_table(function);
  return function.starts_with("pg_catalog.") ||
         is_one_of(bare, {"moddatetime", "insert_username", "autoinc"});
}

// Statements that write rows one by one.
bool fires(const Access& access) {
  switch (access.kind) {
    case StatementKind::data_definition:
    case StatementKind::cluster_definition:
    case StatementKind::other:
      return false;
    default:
      return access.writes() && access.definition != nullptr;
  }
}

bool share(const std::vector<std::string>& written, const std::vector<std::string>& columns) {
  return std::ranges::any_of(
      written, [&](const std::string& each) { return each == "*" || is_one_of(each, columns); });
}

bool is_fired(const TraceTrigger& trigger, const Access& access) {
  if (access.kind == StatementKind::truncate) return trigger.on_truncate;
  if (access.kind == StatementKind::copy) return trigger.on_insert;
  const bool is_watched = trigger.columns.empty() || share(access.columns_written, trigger.columns);
  return (access.inserts && trigger.on_insert) || (access.deletes && trigger.on_delete) ||
         (access.updates && trigger.on_update && is_watched);
}

// The rows that it found, as far as they are known; one of which nothing is known for any.
Rows old_rows(const Access& access) {
  const Rows& rows = access.has_seen_all && !access.seen.empty() ? access.seen : access.there;
  return rows.empty() ? Rows{{}} : rows;
}

KnownRow changed_row(KnownRow row, const KnownRow& assigned) {
  for (const auto& [column, value] : assigned) row[column] = value;
  return row;
}

// For which a trigger may fire: before and after.
std::vector<std::pair<KnownRow, KnownRow>> fired_rows(const Access& access) {
  std::vector<std::pair<KnownRow, KnownRow>> rows;
  if (access.inserts) {
    for (const KnownRow& row : access.new_rows) rows.emplace_back(KnownRow{}, row);
  }
  if (access.updates || access.deletes) {
    for (const KnownRow& row : old_rows(access)) {
      rows.emplace_back(row, access.updates ? changed_row(row, access.assigned) : KnownRow{});
    }
  }
  if (rows.empty() || rows.size() > kMostRows) return {{}};
  return rows;
}

TraceParameter parameter_of(const KnownRow& row, const std::string& column) {
  const auto found = row.find(column);
  if (found == row.end() || !found->second.is_known()) {
    return {.value = {.text = "", .is_binary = true}};
  }
  if (!found->second.has_text()) return {.value = {.text = std::nullopt}};
  return {.value = {.text = found->second.text}};
}

void add_column(std::vector<std::string>& names, const std::string& name) {
  if (!is_one_of(name, names)) names.push_back(name);
  std::ranges::sort(names);
}

std::string action_text(const TraceForeignKey& key, const TraceTable& table, bool is_update) {
  const ReferentialAction action = is_update ? key.on_update : key.on_delete;
  const char* const what = action == ReferentialAction::cascade    ? "CASCADE"
                           : action == ReferentialAction::set_null ? "SET NULL"
                                                                   : "SET DEFAULT";
  return std::string(is_update ? "ON UPDATE " : "ON DELETE ") + what + " of " +
         shown_table(table.name) + "(" + join(key.columns, ", ") + ")";
}

bool acts(ReferentialAction action) {
  return action == ReferentialAction::cascade || action == ReferentialAction::set_null ||
         action == ReferentialAction::set_default;
}

// What a referring column becomes when the row that it refers to goes or gets another key.
KnownValue value_after(const Access& written, const std::string& referenced,
                       ReferentialAction action) {
  if (action == ReferentialAction::set_null) return null_value();
  const auto assigned = written.assigned.find(referenced);
  const bool is_told = action == ReferentialAction::cascade && assigned != written.assigned.end();
  return is_told ? assigned->second : KnownValue{};
}

// The rows that refer to those that were written.
Condition referring_rows(const Access& written, const TraceForeignKey& key) {
  std::vector<Condition> ways;
  const Rows rows = written.kind == StatementKind::truncate ? Rows{{}} : old_rows(written);
  for (const KnownRow& row : rows) {
    std::vector<Condition> parts;
    for (std::size_t i = 0; i < key.columns.size(); ++i) {
      const auto value = row.find(key.referenced_columns[i]);
      if (value == row.end() || !value->second.is_known()) continue;
      parts.push_back({.kind = Condition::Kind::equal,
                       .left = {.column = key.columns[i]},
                       .right = {.value = value->second}});
    }
    ways.push_back(all_of(std::move(parts)));
  }
  return any_of(std::move(ways));
}

// What happens to the rows of `table` that refer to those that were written.
Access cascade(const Access& written, const TraceTable& table, const TraceForeignKey& key,
               bool is_update) {
  const ReferentialAction action = is_update ? key.on_update : key.on_delete;
  const bool goes = !is_update && action == ReferentialAction::cascade;
  Access access{.unit = written.unit,
                .place = written.place,
                .table = table.name,
                .definition = &table,
                .kind = goes ? StatementKind::delete_ : StatementKind::update,
                .columns_read = key.columns,
                .columns_written = goes ? std::vector<std::string>{"*"} : key.columns,
                .deciding_columns = key.columns};
  if (written.kind == StatementKind::truncate) access.kind = StatementKind::truncate;
  std::ranges::sort(access.columns_read);
  std::ranges::sort(access.columns_written);
  std::ranges::sort(access.deciding_columns);
  access.reads = true;
  access.deletes = goes || written.kind == StatementKind::truncate;
  access.updates = !access.deletes;
  access.looks = referring_rows(written, key);
  access.there = partial_rows(access.looks);
  access.is_coarse = std::ranges::all_of(access.there, &KnownRow::empty);
  access.takes_snapshots = true;
  access.through = action_text(key, table, is_update);
  if (access.deletes) return access;
  for (std::size_t i = 0; i < key.columns.size(); ++i) {
    access.assigned[key.columns[i]] = value_after(written, key.referenced_columns[i], action);
  }
  return access;
}

}  // namespace

Access any_table_access(const TraceStatement& unit, std::size_t place, StatementKind kind) {
  return {.unit = unit.unit,
          .place = place,
          .table = std::string(kAnyTable),
          .kind = kind,
          .columns_read = {"*"},
          .columns_written = {"*"},
          .reads = true,
          .updates = true,
          .deletes = true,
          .inserts = true,
          .there = {KnownRow{}},
          .new_rows = {KnownRow{}},
          .is_coarse = true};
}

std::vector<Access> Effects::of_functions(const std::vector<std::string>& names,
                                          StatementKind kind) {
  Access anything = any_table_access(unit_, place_, kind);
  std::vector<Access> all;
  bool only_reads = true;
  bool is_anything = false;
  bool has_found = false;
  for (const std::string& name : names) {
    if (sql::find_function(name, Dialect::postgres).known) continue;
    const std::vector<const Routine*> routines = tables_.routines_named(name);
    if (routines.empty()) return {std::move(anything)};
    has_found = true;
    for (const Routine* each : routines) {
      if (each->function->volatility == 'i' || !followed_.insert(each).second) continue;
      const std::string through = "function " + shown_table(each->function->name);
      if (follow(*each, {}, through, all)) continue;
      is_anything = true;
      only_reads = only_reads && each->function->volatility == 's';
    }
  }
  if (!has_found) return {std::move(anything)};
  if (!is_anything) return all;
  if (only_reads) {
    anything.updates = anything.deletes = anything.inserts = false;
    anything.new_rows.clear();
    anything.columns_written.clear();
  }
  all.push_back(std::move(anything));
  return all;
}

// False: it does more than its text says, or its text is not known; nothing was added then.
bool Effects::follow(const Routine& routine, const std::vector<TraceParameter>& values,
                     const std::string& through, std::vector<Access>& all) {
  const bool is_read = std::ranges::all_of(routine.parsed, &ParsedText::is_read);
  if (!routine.is_whole || !is_read) return false;
  ++depth_;
  for (std::size_t i = 0; i < routine.parsed.size(); ++i) {
    TraceStatement inside{.unit = unit_.unit};
    inside.kind = "query";
    inside.text = routine.text.statements[i];
    inside.parameters = values;
    const ParsedText& parsed = routine.parsed[i];
    for (std::size_t at = 0; at < parsed.statements.size(); ++at) {
      for (Access& each : accesses_of_statement(inside, at, parsed, tables_, *this)) {
        each.place = place_;
        each.uses = 0;
        each.takes_snapshots = each.takes_snapshots || routine.function->volatility == 'v';
        if (each.through.empty()) each.through = through;
        all.push_back(std::move(each));
      }
    }
  }
  --depth_;
  return true;
}

std::vector<Access> Effects::of_writes(std::vector<Access>& written) {
  std::vector<Access> all;
  for (Access& each : written) {
    if (!fires(each)) continue;
    // Which triggers fire, and which keys change, hangs on the columns.
    const std::string what = each.table + (each.inserts ? " i" : "") + (each.deletes ? " d" : "") +
                             (each.updates ? " u " + join(each.columns_written, ",") : "");
    if (depth_ > 0 && !gone_through_.insert(what).second) continue;
    fire_triggers(each, all);
    follow_references(each, all);
  }
  return all;
}

void Effects::fire_triggers(Access& written, std::vector<Access>& all) {
  for (const TraceTrigger& trigger : written.definition->triggers) {
    if (!is_fired(trigger, written)) continue;
    const std::string through = (trigger.function.empty() ? "rule " : "trigger ") + trigger.name;
    const auto routines = tables_.routines_named(trigger.function);
    if (routines.empty()) {
      if (!changes_only_the_row(trigger.function)) add_anything(through, all);
      continue;
    }
    for (const Routine* each : routines) {
      for (const std::string& column : each->text.read) add_column(written.columns_read, column);
      for (const std::string& column : each->text.changed) {
        if (written.updates) add_column(written.columns_written, column);
      }
    }
    fire(routines, written, through, all);
  }
}

void Effects::fire(const std::vector<const Routine*>& routines, const Access& written,
                   const std::string& through, std::vector<Access>& all) {
  // What one trigger has changed of the new row, the next one sees.
  std::set<std::string> changed;
  for (const TraceTrigger& each : written.definition->triggers) {
    for (const Routine* other : tables_.routines_named(each.function)) {
      changed.insert(other->text.changed.begin(), other->text.changed.end());
    }
  }
  const bool is_known = depth_ == 0;
  for (const Routine* routine : routines) {
    if (!is_known && !followed_.insert(routine).second) continue;
    for (const auto& [before, after] : fired_rows(written)) {
      std::vector<TraceParameter> values;
      for (const TriggerValue& value : routine->text.values) {
        const bool is_told =
            is_known &&
            !(value.is_new && (changed.contains(value.column) || changed.contains("*")));
        const KnownRow& row = value.is_new ? after : before;
        values.push_back(parameter_of(is_told ? row : KnownRow{}, value.column));
      }
      if (!follow(*routine, values, through, all)) {
        if (!changes_only_the_row(routine->function->name)) add_anything(through, all);
        break;
      }
      if (!is_known || values.empty()) break;  // each row does the same
    }
  }
}

void Effects::follow_references(const Access& written, std::vector<Access>& all) {
  if (!written.deletes && !written.updates) return;
  const TraceTable& referenced = *written.definition;
  for (const TraceTable& table : tables_.catalogue()->tables) {
    for (const TraceForeignKey& key : table.foreign_keys) {
      if (key.referenced_table != referenced.number || referenced.number == 0) continue;
      std::vector<Access> cascades;
      // TRUNCATE leaves no table out that refers to this one.
      if (written.deletes && (acts(key.on_delete) || written.kind == StatementKind::truncate)) {
        cascades.push_back(cascade(written, table, key, false));
      }
      if (written.updates && written.kind != StatementKind::truncate && acts(key.on_update) &&
          share(written.columns_written, key.referenced_columns)) {
        cascades.push_back(cascade(written, table, key, true));
      }
      ++depth_;
      std::vector<Access> further = of_writes(cascades);
      --depth_;
      std::ranges::move(cascades, std::back_inserter(all));
      std::ranges::move(further, std::back_inserter(all));
    }
  }
}

void Effects::add_anything(const std::string& through, std::vector<Access>& all) const {
  Access anything = any_table_access(unit_, place_, StatementKind::other);
  anything.through = through;
  all.push_back(std::move(anything));
}

}  // namespace heddle::race
