#include "find/terms/row_effects.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "find/forms/expressions.h"
#include "find/forms/inner_values.h"
#include "find/terms/sight.h"

namespace heddle::find {

namespace {

// The value that a conjunct says a column has; null: it says none.
const Expression* value_by_key(const StatementForm& form, const std::string& column) {
  for (const Expression& conjunct : form.conjuncts) {
    if (const Expression* value = pinned_value(conjunct, column)) return value;
  }
  return nullptr;
}

const Expression* value_in(const std::vector<Assignment>& assignments, const std::string& column) {
  const auto found = std::ranges::find(assignments, column, &Assignment::column);
  return found == assignments.end() ? nullptr : &found->value;
}

const Expression* assigned_value(const StatementForm& form, const std::string& column) {
  return value_in(form.assignments, column);
}

}  // namespace

Term RowEffects::matches(const Event& event, const std::vector<RowKey>& keys) {
  const Lookup in_rows = lookup_in(event, keys, event.viewer, evaluator_, rows_);
  std::vector<Term> holds;
  for (const Expression& conjunct : event.form->conjuncts) {
    holds.push_back(evaluator_.truth(conjunct, in_rows).holds);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const RowSource& source = event.form->sources[i];
    if (source.is_any_row || !source.is_named()) continue;
    holds.push_back(rows_.exists(event.viewer, source, keys[i]));
  }
  return terms_.all(holds);
}

Lookup RowEffects::lookup(const Event& event, std::size_t source, const RowView& view,
                          const std::vector<RowKey>& others) {
  return [this, source, view, &of = event.form->sources[source],
          in_rows = lookup_in(event, others, view.viewer, evaluator_, rows_),
          beside = lookup_in(event, others, viewer_beside(event, source, view), evaluator_, rows_)](
             const Expression& leaf) -> SqlValue {
    if (source_of(leaf) != source) return beside(leaf);
    return cell_in(of, view, leaf, in_rows);
  };
}

// What is computed from cells that the view replaces is computed from what replaces them.
SqlValue RowEffects::cell_in(const RowSource& source, const RowView& view, const Expression& leaf,
                             const Lookup& in_rows) {
  const auto replaced = view.replaced.find(leaf.text);
  if (replaced != view.replaced.end()) return replaced->second;
  const Expression* computed = rows_.computed(source, leaf.text);
  if (computed == nullptr) return in_rows(leaf);
  const SqlValue value = evaluator_.value(*computed, [&](const Expression& part) {
    Expression of_row = leaf;
    of_row.text = part.text;
    return cell_in(source, view, of_row, in_rows);
  });
  return rows_.stored(source, leaf.text, value);
}

// Who looks at the rows of the other sources.
std::string RowEffects::viewer_beside(const Event& event, std::size_t source, const RowView& view) {
  const RowSource& of = event.form->sources[source];
  return of.role == SourceRole::taken || of.is_inner ? event.viewer : view.viewer;
}

Term RowEffects::matches(const Event& event, std::size_t source, const RowView& view) {
  const Term exists =
      view.exists ? *view.exists : rows_.exists(view.viewer, event.form->sources[source], view.key);
  return terms_.all(looks_for(event, source, view), exists);
}

Term RowEffects::selects(const Event& event, const std::vector<RowKey>& keys) {
  const StatementForm& form = *event.form;
  const Lookup in_rows = lookup_in(event, keys, event.viewer, evaluator_, rows_);
  std::vector<Term> holds;
  for (const Expression& conjunct : form.conjuncts) {
    holds.push_back(evaluator_.truth(conjunct, in_rows).holds);
  }
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    if (!form.is_looked_at(i)) continue;
    holds.push_back(rows_.exists(event.viewer, form.sources[i], keys[i]));
  }
  return terms_.all(holds);
}

Term RowEffects::is_met_by(const Event& event, std::vector<RowKey> keys, std::size_t absence,
                           const RowKey& row) {
  const auto& [source, condition] = event.form->absences[absence];
  keys[source] = row;
  const Lookup in_rows = lookup_in(event, keys, event.viewer, evaluator_, rows_);
  return terms_.all(rows_.exists(event.viewer, event.form->sources[source], row),
                    evaluator_.truth(condition, in_rows).holds);
}

Term RowEffects::joins(const Event& event, std::size_t source, const std::vector<RowKey>& keys) {
  const Lookup in_rows = lookup_in(event, keys, event.viewer, evaluator_, rows_);
  std::vector<Term> holds = {rows_.exists(event.viewer, event.form->sources[source], keys[source])};
  for (const auto& [joined, condition] : event.form->joined_by) {
    if (joined == source) holds.push_back(evaluator_.truth(condition, in_rows).holds);
  }
  return terms_.all(holds);
}

Term RowEffects::counts(const Event& event, std::size_t source, const RowView& view) {
  std::vector<RowKey> keys(event.form->sources.size());
  keys[source] = view.key;
  const Lookup in_row = lookup_in(event, keys, view.viewer, evaluator_, rows_);
  std::vector<Term> holds = {rows_.exists(view.viewer, event.form->sources[source], view.key)};
  for (const auto& [joined, condition] : event.form->joined_by) {
    if (joined == source) holds.push_back(evaluator_.truth(condition, in_row).holds);
  }
  return terms_.all(holds);
}

// Of a row that is inserted nothing is there that the predicate could hold of.
Term RowEffects::holds_of_reference(const Event& event, std::size_t source, const RowView& view) {
  std::vector<RowKey> keys;
  std::vector<Term> holds;
  const bool is_of_found =
      event.form->sources[source].role == SourceRole::taken && !event.result.empty();
  if (is_of_found) {
    keys = event.result;
    holds.push_back(event.has_result);
  } else {
    for (const RowSource& each : event.form->sources) {
      const bool is_joined = each.is_named() && !each.is_written;
      const std::string stem = fmt::format("{} {}", view.viewer, each.alias);
      keys.push_back(is_joined ? rows_.fresh_key(each, stem) : RowKey());
    }
  }
  keys[source] = view.key;
  const Lookup in_rows = lookup(event, source, view, keys);
  for (const Expression& condition : event.form->sources[source].reference) {
    holds.push_back(evaluator_.truth(condition, in_rows).holds);
  }
  return terms_.all(holds);
}

// One for all that is asked about the view's row: what locks it, and what is written there, has
// found the same one as what reads it.
RowKey RowEffects::row_beside(const Event& event, std::size_t source, std::size_t other,
                              const RowView& view) {
  const RowSource& of = event.form->sources[other];
  return rows_.key_beside(of, fmt::format("{} {} of {}", view.viewer, of.alias, source), view.key);
}

Term RowEffects::looks_for(const Event& event, std::size_t source, const RowView& view) {
  const StatementForm& form = *event.form;
  const SourceRole role = form.sources[source].role;
  const bool is_of_new_row = form.kind == StatementKind::insert &&
                             (role == SourceRole::referred || role == SourceRole::taken);
  if (is_of_new_row) return holds_of_reference(event, source, view);
  const std::string beside = viewer_beside(event, source, view);
  std::vector<RowKey> keys;
  std::vector<Term> holds;
  // What goes with a row that is deleted does so by the rows in between.
  std::set<std::size_t> referred;
  for (std::size_t at = source; !form.sources[at].is_named();) {
    referred.insert(at);
    at = form.sources[at].referred;
  }
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    const RowSource& each = form.sources[i];
    if (i == source) {
      keys.push_back(view.key);
      continue;
    }
    if (!each.is_named() && !referred.contains(i)) {
      keys.emplace_back();
      continue;
    }
    const auto named = i == 0 && !referred.empty() ? pinned_key(event) : std::nullopt;
    if (named) {
      keys.push_back(*named);
      holds.push_back(rows_.exists(beside, each, keys.back()));
      continue;
    }
    // It says nothing of the rows of its other tables, which are all that there are.
    if (form.is_unknown) {
      keys.emplace_back();
      continue;
    }
    keys.push_back(row_beside(event, source, i, {.viewer = beside, .key = view.key}));
    const bool is_met = each.is_read || !each.is_named();
    const bool joins = is_met && !each.is_any_row && form.kind != StatementKind::insert;
    if (joins) holds.push_back(rows_.exists(beside, each, keys.back()));
  }
  const Lookup in_rows = lookup(event, source, view, keys);
  for (const Expression& conjunct : form.conjuncts) {
    // An inner value is read whether or not it lets the statement do something.
    if (form.sources[source].is_inner && mentions_inner_value(conjunct)) continue;
    holds.push_back(evaluator_.truth(conjunct, in_rows).holds);
  }
  for (const auto& [absent, condition] : form.absences) {
    if (absent == source) holds.push_back(evaluator_.truth(condition, in_rows).holds);
  }
  for (const auto& [joined, condition] : form.joined_by) {
    if (joined == source) holds.push_back(evaluator_.truth(condition, in_rows).holds);
  }
  for (const std::size_t at : referred) {
    for (const Expression& condition : form.sources[at].reference) {
      holds.push_back(evaluator_.truth(condition, in_rows).holds);
    }
  }
  return terms_.all(holds);
}

std::optional<RowKey> RowEffects::referred_key(const Event& event, std::size_t source) {
  const StatementForm& form = *event.form;
  const RowSource& of = form.sources[source];
  const std::vector<std::string> columns = rows_.key_columns(of);
  if (columns.empty() || columns.size() != of.reference.size()) return std::nullopt;
  std::vector<RowKey> keys(form.sources.size());
  const bool inserts = form.kind == StatementKind::insert;
  const auto row = inserts ? std::nullopt : pinned_key(event);
  if (row) keys[0] = *row;
  const Lookup in_row = lookup_in(event, keys, event.viewer, evaluator_, rows_);
  RowKey key;
  for (const std::string& column : columns) {
    const auto named = std::ranges::find_if(
        of.reference, [&](const Expression& one) { return one.operands[0].text == column; });
    if (named == of.reference.end()) return std::nullopt;
    const Expression& value = named->operands[1];
    const bool is_client =
        value.kind == ExpressionKind::variable || value.kind == ExpressionKind::literal;
    if (value.kind == ExpressionKind::unknown || (!is_client && !inserts && !row)) {
      return std::nullopt;
    }
    if (inserts && form.inserts_query) return std::nullopt;
    key.push_back(evaluator_.as(evaluator_.value(value, in_row), rows_.sort_of_column(of, column)));
  }
  return key;
}

Term RowEffects::takes(const Event& event, std::size_t source, const RowView& view) {
  const Term match =
      terms_.all(matches(event, source, view), is_among_taken(event, source, view.key));
  if (!event.form->takes_first || event.result.empty()) return match;
  return terms_.all({match, event.has_result, rows_.same_key(view.key, event.result[0])});
}

Term RowEffects::passes_over(const Event& event, std::size_t source, const RowKey& key) {
  if (!event.form->sources[source].skips_locked) return terms_.truth(false);
  return perhaps(event, "passes over", key);
}

Term RowEffects::is_among_taken(const Event& event, std::size_t source, const RowKey& key) {
  const StatementForm& form = *event.form;
  const bool is_some = form.stops_early && !form.takes_first && find::takes(form.sources[source]);
  return terms_.all(terms_.negate(passes_over(event, source, key)),
                    is_some ? perhaps(event, "takes", key) : terms_.truth(true));
}

Term RowEffects::have_been_taken(const Event& event, const std::vector<RowKey>& keys) {
  std::vector<Term> holds;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!event.form->sources[i].is_named()) continue;
    holds.push_back(is_among_taken(event, i, keys[i]));
  }
  return terms_.all(holds);
}

Term RowEffects::would_take(const Event& event, std::size_t source, const RowView& view) {
  const Term match = matches(event, source, view);
  if (!event.form->takes_first || event.result.empty()) return match;
  return terms_.all(match, terms_.any(terms_.negate(event.has_result), comes_first(event, view)));
}

// By the order of the query, ties included. Nulls may come anywhere.
Term RowEffects::comes_first(const Event& event, const RowView& view) {
  const Lookup in_view = lookup(event, 0, view, {view.key});
  const Lookup in_result = lookup_in(event, event.result, event.viewer, evaluator_, rows_);
  Term first = terms_.truth(true);
  for (std::size_t i = event.form->order.size(); i-- > 0;) {
    const OrderKey& key = event.form->order[i];
    const SqlValue mine = evaluator_.value(key.value, in_view);
    const SqlValue found = evaluator_.value(key.value, in_result);
    const Term before = evaluator_.compare(key.descending ? ">" : "<", mine, found).holds;
    const Term equal = evaluator_.compare("=", mine, found).holds;
    first = terms_.any({before, terms_.all(equal, first), mine.is_null, found.is_null});
  }
  return first;
}

Term RowEffects::touches(const Event& event, std::size_t source, const RowKey& key) {
  const StatementForm& form = *event.form;
  const Term is_accepted = terms_.negate(event.refused);
  if (form.kind != StatementKind::insert) {
    // Of several that it may take the first one alone, or some.
    const Term match =
        terms_.all(is_accepted, takes(event, source, {.viewer = event.viewer, .key = key}));
    // What writes a row keeps others from it: that it writes all of them would be too strong.
    return form.is_unknown ? terms_.all(match, perhaps(event, "changes", key)) : match;
  }
  const std::vector<RowKey> made = inserted_keys(event, source);
  std::vector<Term> are_same;
  for (const RowKey& one : made) are_same.push_back(rows_.same_key(one, key));
  Term same = made.empty() ? perhaps(event, "makes", key) : terms_.any(are_same);
  // Where its query finds nothing, it makes nothing.
  if (form.inserts_query && !event.fetched.empty()) same = terms_.all(same, event.has_result);
  const Term exists = rows_.exists(event.viewer, form.sources[source], key);
  const auto changes = [&](Term row) {
    return form.may_pass_over
               ? terms_.all(row, terms_.implies(exists, perhaps(event, "changes", key)))
               : row;
  };
  const bool meets_other_key = form.meets_other_key;
  if (form.on_conflict && !form.keeps_existing && !meets_other_key) {
    return terms_.all(is_accepted, changes(same));
  }
  std::vector<Term> makes = {same, terms_.negate(exists), is_accepted};
  if (const auto in_its_way = is_in_its_way(event)) makes.push_back(terms_.negate(*in_its_way));
  if (!meets_other_key || !form.updates_row()) return terms_.all(makes);
  return terms_.any(terms_.all(makes),
                    changes(matches(event, source, {.viewer = event.viewer, .key = key})));
}

Term RowEffects::changes_instead(const Event& event, std::size_t source, const RowKey& key) {
  const StatementForm& form = *event.form;
  if (!form.makes(source) || !form.updates_row()) return terms_.truth(false);
  return rows_.exists(event.viewer, form.sources[source], key);
}

// It does that to some rows, and nobody knows to which.
Term RowEffects::perhaps(const Event& event, std::string_view what, const RowKey& key) {
  std::vector<Term> values;
  for (const SqlValue& part : key) values.push_back(part.value);
  return terms_.apply(fmt::format("{} {}", event.viewer, what), Sort::truth, std::move(values));
}

std::optional<Term> RowEffects::is_in_its_way(const Event& event) {
  const StatementForm& form = *event.form;
  if (form.checks_keys) return terms_.symbol(event.viewer + " is stopped", Sort::truth);
  if (!form.on_conflict || form.inserts_query || !(form.keeps_existing || form.meets_other_key)) {
    return std::nullopt;
  }
  const auto target = std::ranges::find(form.sources, true, &RowSource::is_written);
  if (target == form.sources.end()) return std::nullopt;
  const bool is_its_own = !form.meets_other_key && !rows_.key_columns(*target).empty();
  if (is_its_own) return std::nullopt;
  return terms_.symbol(event.viewer + " is stopped", Sort::truth);
}

Term RowEffects::stops(const Event& event, std::size_t source, const RowKey& key) {
  const SourceRole role = event.form->sources[source].role;
  if (role == SourceRole::referred) return terms_.truth(true);
  if (event.form->sources[source].is_in_the_way()) {
    const RowView view{.viewer = viewer_at(event, source), .key = key};
    return terms_.implies(terms_.all(event.guard, matches(event, source, view)), event.refused);
  }
  const auto in_its_way = is_in_its_way(event);
  if (!in_its_way || event.form->may_pass_over) return terms_.truth(true);
  return terms_.implies(matches(event, source, {.viewer = event.viewer, .key = key}), *in_its_way);
}

Term RowEffects::breaks_checks(const Event& event) {
  const StatementForm& form = *event.form;
  const auto row = form.checks.empty() || form.on_conflict ? std::nullopt : pinned_key(event);
  if (!row) return terms_.truth(false);
  const RowSource& target = form.sources[0];
  std::vector<Term> fails;
  for (const Expression& check : form.checks) {
    const Truth truth = evaluator_.truth(check, [&](const Expression& leaf) -> SqlValue {
      const auto value = written(event, 0, leaf.text, *row);
      return value ? *value : rows_.cell(event.viewer, target, leaf.text, *row);
    });
    fails.push_back(truth.fails);
  }
  return terms_.any(fails);
}

std::optional<Term> RowEffects::makes_its_row(const Event& event) {
  const StatementForm& form = *event.form;
  if (!form.keeps_existing || form.inserts_query) return std::nullopt;
  const auto target = std::ranges::find(form.sources, true, &RowSource::is_written);
  if (target == form.sources.end()) return std::nullopt;
  const auto source = static_cast<std::size_t>(target - form.sources.begin());
  const std::optional<RowKey> key = inserted_key(event, source);
  if (!key) return std::nullopt;
  return touches(event, source, *key);
}

std::optional<SqlValue> RowEffects::written(const Event& event, std::size_t source,
                                            const std::string& column, const RowKey& key) {
  const StatementForm& form = *event.form;
  const RowSource& target = form.sources[source];
  const bool inserts = form.makes(source);
  const auto unknown = [&] {
    return evaluator_.unknown(fmt::format("{} {}", event.viewer, column),
                              rows_.sort_of_column(target, column));
  };
  const auto in_row = [&] {
    std::vector<RowKey> keys(form.sources.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] =
          i == source ? key : row_beside(event, source, i, {.viewer = event.viewer, .key = key});
    }
    if (!target.is_named()) {
      if (const auto named = pinned_key(event)) keys[0] = *named;
    }
    return lookup(event, source, {.viewer = event.viewer, .key = key}, keys);
  };
  const auto evaluated = [&](const Expression& value, const Lookup& where) {
    return rows_.stored(target, column, evaluator_.value(value, where));
  };
  if (inserts && !form.updates_row()) {
    if (auto cell = made_cell(event, source, column, key)) return cell;
  }
  const Expression* value =
      target.is_named() ? assigned_value(form, column) : value_in(target.assignments, column);
  // Defaults, and columns of rows that a query makes.
  const bool is_written =
      std::ranges::find(target.written_columns, column) != target.written_columns.end();
  if (value == nullptr && !is_written) return std::nullopt;
  if (!inserts) return value == nullptr ? unknown() : evaluated(*value, in_row());
  // What the query of an INSERT found.
  const std::vector<RowKey> of_query = form.inserts_query ? event.result : std::vector<RowKey>();
  const SqlValue made =
      value == nullptr
          ? unknown()
          : evaluated(*value, lookup_in(event, of_query, event.viewer, evaluator_, rows_));
  if (!form.updates_row()) return made;
  const Expression* update = value_in(form.updates, column);
  const SqlValue changed = update == nullptr ? rows_.cell(event.viewer, target, column, key)
                                             : evaluated(*update, in_row());
  return evaluator_.choose(rows_.exists(event.viewer, target, key), changed, made);
}

std::optional<RowKey> RowEffects::pinned_key(const Event& event) {
  const StatementForm& form = *event.form;
  if (form.meets_other_key) return std::nullopt;
  if (form.kind == StatementKind::insert) return inserted_key(event, 0);
  if (form.named_sources() != 1) return std::nullopt;
  const std::vector<std::string> columns = rows_.key_columns(form.sources[0]);
  if (columns.empty()) return std::nullopt;
  const Lookup client = lookup_in(event, {}, event.viewer, evaluator_, rows_);
  RowKey key;
  for (const std::string& column : columns) {
    const Expression* value = value_by_key(form, column);
    if (value == nullptr) return std::nullopt;
    key.push_back(evaluator_.as(evaluator_.value(*value, client),
                                rows_.sort_of_column(form.sources[0], column)));
  }
  return key;
}

std::optional<RowKey> RowEffects::inserted_key(const Event& event, std::size_t source) {
  const StatementForm& form = *event.form;
  const RowSource& target = form.sources[source];
  const std::vector<std::string> columns = rows_.key_columns(target);
  // A row without a key is another one than all others.
  if (columns.empty()) {
    return RowKey{evaluator_.known(terms_.symbol(event.viewer + " row", Sort::integer))};
  }
  if (form.inserts_query) return std::nullopt;
  const Lookup client = lookup_in(event, {}, event.viewer, evaluator_, rows_);
  RowKey key;
  for (const std::string& column : columns) {
    const Expression* value = assigned_value(form, column);
    const bool is_known = value != nullptr && value->kind != ExpressionKind::unknown;
    // It may take the place of any row.
    if (!is_known && form.on_conflict && !form.meets_other_key) return std::nullopt;
    const Sort sort = rows_.sort_of_column(target, column);
    key.push_back(is_known ? evaluator_.as(evaluator_.value(*value, client), sort)
                           : evaluator_.known(
                                 terms_.symbol(fmt::format("{} {}", event.viewer, column), sort)));
  }
  return key;
}

std::vector<RowKey> RowEffects::inserted_keys(const Event& event, std::size_t source) {
  const StatementForm& form = *event.form;
  if (const auto key = inserted_key(event, source)) return {*key};
  const Lookup client = lookup_in(event, {}, event.viewer, evaluator_, rows_);
  std::vector<RowKey> keys;
  for (const std::vector<Assignment>& row : form.made) {
    RowKey& key = keys.emplace_back();
    for (const std::string& column : rows_.key_columns(form.sources[source])) {
      const Expression* value = value_in(row, column);
      if (value == nullptr || value->kind == ExpressionKind::unknown) return {};
      key.push_back(evaluator_.as(evaluator_.value(*value, client),
                                  rows_.sort_of_column(form.sources[source], column)));
    }
  }
  return keys;
}

// Of an INSERT of several rows, what that one has; none: it is not known.
std::optional<SqlValue> RowEffects::made_cell(const Event& event, std::size_t source,
                                              const std::string& column, const RowKey& key) {
  const std::vector<std::vector<Assignment>>& made = event.form->made;
  const std::vector<RowKey> keys = inserted_keys(event, source);
  if (keys.size() != made.size() || keys.empty()) return std::nullopt;
  const Lookup client = lookup_in(event, {}, event.viewer, evaluator_, rows_);
  const Sort sort = rows_.sort_of_column(event.form->sources[source], column);
  std::optional<SqlValue> cell;
  for (std::size_t i = keys.size(); i-- > 0;) {
    const Expression* value = value_in(made[i], column);
    if (value == nullptr) return std::nullopt;
    const SqlValue own = evaluator_.as(evaluator_.value(*value, client), sort);
    cell = cell ? evaluator_.choose(rows_.same_key(keys[i], key), own, *cell) : own;
  }
  return cell;
}

bool RowEffects::makes_new_row(const Event& event, std::size_t source) {
  const StatementForm& form = *event.form;
  if (form.inserts_query) return false;
  const std::vector<std::string> columns = rows_.key_columns(form.sources[source]);
  return columns.empty() || std::ranges::any_of(columns, [&](const std::string& column) {
           const Expression* value = assigned_value(form, column);
           return value == nullptr || value->kind == ExpressionKind::unknown;
         });
}

}  // namespace heddle::find
