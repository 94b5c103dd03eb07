// Statements: when they run, which rows they give to the client.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "find/forms/inner_values.h"
#include "find/terms/unfolder.h"
#include "interpret/refusal.h"
#include "program/redis_commands.h"

namespace heddle::find {

Event* Unfolder::add_event(const ProgramStatement& statement) {
  if (cut_) {
    cut_ = terms_.any(*cut_, now_.live);
    now_.live = terms_.truth(false);
  }
  if (cut_ || result_.events.size() >= options_.max_events) return nullptr;
  const std::size_t number = numbers_.at(&statement);
  Event event;
  event.statement = number;
  event.form = &formed_[number].form;
  event.rounds = rounds_;
  event.viewer = fmt::format("{}.{}", name_, result_.events.size());
  event.guard = now_.live;
  event.undone = event.refused = terms_.truth(false);
  event.obtained = terms_.symbol(event.viewer + " obtained", Sort::truth);
  event.is_redis = program::is_redis(statement);
  std::size_t& open = transaction_on(statement.connection);
  event.transaction = event.open_transaction = open;
  if (event.is_redis) {
    event.transaction = now_.redis_group ? *now_.redis_group : ++transactions_;
  } else {
    if (event.form->kind == StatementKind::rollback) undo(open, now_.live);
    const bool ends = ends_transaction(event.form->kind);
    if (ends) open = ++transactions_;
    now_.is_begun = !ends;
  }
  for (const Expression& argument : statement.arguments) {
    event.arguments.push_back(value(argument));
  }
  for (const PartValue& found : statement.part_values) {
    event.arguments.push_back(value_of_part(number, found));
  }
  event.has_result = terms_.symbol(event.viewer + " found", Sort::truth);
  for (std::size_t i = 0; i < event.form->inner_values.size(); ++i) {
    const bool is_count = event.form->inner_values[i].value.text == "count";
    if (!is_count) continue;
    const Term counted = inner_value_of(event, i, evaluator_, rows_).value;
    result_.facts.push_back(terms_.less_or_equal(terms_.integer(0), counted));
  }
  result_.events.push_back(std::move(event));
  return &result_.events.back();
}

// What the part of a statement found.
SqlValue Unfolder::value_of_part(std::size_t statement, const PartValue& found) {
  const auto part = std::ranges::find(result_.events.rbegin(), result_.events.rend(),
                                      statement - found.back, &Event::statement);
  if (part == result_.events.rend()) return evaluator_.unknown("part", Sort::integer);
  const std::vector<SqlValue> values = outputs(*part, part->result);
  if (found.column >= values.size()) return evaluator_.unknown("part", Sort::integer);
  return evaluator_.choose(part->has_result, values[found.column], evaluator_.null());
}

// Values of rows that may be missing are null where they are.
Lookup Unfolder::lookup_found(const Event& event, const std::vector<RowKey>& keys) {
  std::map<std::size_t, Term> is_there;
  for (std::size_t i = 0; i < event.form->sources.size(); ++i) {
    if (!event.form->may_miss(i) || event.form->is_aggregate || event.form->is_unknown) continue;
    const Term there = terms_.fresh(event.viewer + " joins", Sort::truth);
    result_.facts.push_back(
        terms_.implies(terms_.all(event.guard, there), effects_.joins(event, i, keys)));
    is_there.emplace(i, there);
  }
  return [this, is_there, in_row = lookup_in(event, keys, event.viewer, evaluator_, rows_)](
             const Expression& leaf) {
    const std::optional<std::size_t> source = source_of(leaf);
    const auto there = source ? is_there.find(*source) : is_there.end();
    if (there == is_there.end()) return in_row(leaf);
    return evaluator_.choose(there->second, in_row(leaf), evaluator_.null());
  };
}

// Whether it has got the lock: a truth value in PostgreSQL, 1 or 0 in MySQL.
SqlValue Unfolder::lock_result(const Event& event, const Expression& output) {
  const bool is_number = output.text == "heddle_get_lock";
  const auto result = [&](const char* text) {
    return evaluator_.value({.kind = ExpressionKind::literal, .text = text, .operands = {}},
                            [this](const Expression& /*leaf*/) { return evaluator_.null(); });
  };
  return evaluator_.choose(event.obtained, result(is_number ? "1" : "true"),
                           result(is_number ? "0" : "false"));
}

// The columns of one of the event's results.
std::vector<SqlValue> Unfolder::outputs(const Event& event, const std::vector<RowKey>& keys) {
  std::vector<SqlValue> values;
  const Lookup in_row = lookup_found(event, keys);
  for (std::size_t i = 0; i < event.form->outputs.size(); ++i) {
    const Expression& output = event.form->outputs[i];
    if (event.form->tries_lock(i)) {
      values.push_back(lock_result(event, output));
      continue;
    }
    const bool is_known = !event.form->is_aggregate;
    values.push_back(is_known ? evaluator_.value(output, in_row)
                              : evaluator_.unknown(event.viewer + " output", Sort::integer));
  }
  return values;
}

std::vector<RowKey> Unfolder::fresh_keys(const Event& event) {
  std::vector<RowKey> keys;
  for (std::size_t i = 0; i < event.form->sources.size(); ++i) {
    const RowSource& source = event.form->sources[i];
    keys.push_back(rows_.fresh_key(source, fmt::format("{} {}", event.viewer, source.alias)));
  }
  return keys;
}

// What a statement compares with what its inner queries give.
void Unfolder::note_borders(const Event& event) {
  const Lookup in_row = lookup_in(event, event.result, event.viewer, evaluator_, rows_);
  for (const auto* conditions : {&event.form->conjuncts, &event.form->outputs}) {
    for (const Expression& condition : *conditions) {
      if (mentions_inner_value(condition)) note_borders(condition, in_row);
    }
  }
}

// The only row, or the first one, of a statement's result.
void Unfolder::take_row(Event& event, const std::vector<Expression>& into) {
  const StatementForm& form = *event.form;
  is_single_ = false;
  if (form.kind == StatementKind::insert) {
    take_inserted(event, into);
    return;
  }
  if (form.kind != StatementKind::select && !form.writes()) return;
  std::optional<RowKey> pinned = effects_.pinned_key(event);
  is_single_ = pinned.has_value();
  const bool is_unfiltered = form.named_sources() == 0;
  const bool is_query = form.kind == StatementKind::select;
  if (is_query && form.result_rows == ResultRows::one) {
    event.has_result = terms_.truth(true);
  } else if (is_unfiltered) {
    if (!form.drops_rows) event.has_result = terms_.truth(true);
  } else if (is_query && form.result_rows == ResultRows::groups) {
    take_group(event);
  } else if (pinned) {
    event.result = {*pinned};
    event.is_pinned = true;
    // Of one row it is known that it is passed over.
    const bool is_dropped = formed_[event.statement].statement->statement.drops_rows;
    const Term is_given =
        is_dropped ? event.has_result : effects_.have_been_taken(event, event.result);
    event.has_result = terms_.all(effects_.matches(event, event.result), is_given);
  } else {
    event.result = fresh_keys(event);
    event.fetched.push_back({event.result, event.has_result});
    result_.facts.push_back(terms_.implies(terms_.all(event.guard, event.has_result),
                                           effects_.matches(event, event.result)));
    result_.facts.push_back(terms_.implies(terms_.all(event.guard, event.has_result),
                                           effects_.have_been_taken(event, event.result)));
    note_same_rows(event, event.result, event.has_result, 0);
  }
  if (options_.looks_behind_loops) note_borders(event);
  check_keys(static_cast<std::size_t>(&event - result_.events.data()));
  store(event, into, event.result, event.has_result);
  set_found(event.has_result);
}

// Of a query with GROUP BY and the like: where it gives a row there is one that it finds.
void Unfolder::take_group(Event& event) {
  event.group = fresh_keys(event);
  result_.facts.push_back(terms_.implies(terms_.all(event.guard, event.has_result),
                                         effects_.matches(event, event.group)));
}

// The rows in which the event looks for one of that role, which refuses it: whether one is there.
// Such a row is one that it sees.
Term Unfolder::meets_row(std::size_t index, SourceRole role, const std::string& symbol) {
  Event& event = result_.events[index];
  std::vector<Term> ways;
  for (std::size_t i = 0; i < event.form->sources.size(); ++i) {
    const RowSource& source = event.form->sources[i];
    if (source.role != role) continue;
    event.referring.resize(event.form->sources.size());
    event.referring[i] = rows_.fresh_key(source, fmt::format("{} meets {}", event.viewer, i));
    ways.push_back(
        effects_.matches(event, i, {.viewer = viewer_at(event, i), .key = event.referring[i]}));
  }
  if (ways.empty()) return terms_.truth(false);
  const Term meets = terms_.symbol(event.viewer + " " + symbol, Sort::truth);
  result_.facts.push_back(terms_.implies(terms_.all(event.guard, meets), terms_.any(ways)));
  return meets;
}

// Errors because a check fails, a row has a key that another one would come to have, because a row
// is not there to which another one comes to refer, or is there that refers to one that would go.
void Unfolder::check_keys(std::size_t index) {
  const Event& event = result_.events[index];
  const StatementForm& form = *event.form;
  const bool inserts = form.kind == StatementKind::insert;
  const auto in_its_way = effects_.is_in_its_way(event);
  const Term makes = form.inserts_query && !event.fetched.empty() ? event.has_result
                     : form.on_conflict && in_its_way             ? terms_.negate(*in_its_way)
                                                                  : terms_.truth(true);
  const Term taken = terms_.all(inserts ? makes : event.has_result,
                                meets_row(index, SourceRole::taken, "takes a key"));
  std::vector<Term> ways = {meets_row(index, SourceRole::referring, "is referred to")};
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    const RowSource& source = form.sources[i];
    const auto key =
        source.role == SourceRole::referred ? effects_.referred_key(event, i) : std::nullopt;
    if (!key) continue;
    std::vector<Term> is_missing = {terms_.negate(rows_.exists(event.viewer, source, *key))};
    for (const SqlValue& part : *key) is_missing.push_back(terms_.negate(part.is_null));
    ways.push_back(terms_.all(is_missing));
  }
  const Term writes = inserts && !form.on_conflict ? terms_.truth(true) : event.has_result;
  const Term misses = terms_.all(writes, terms_.any(ways));
  const Term breaks = terms_.all(writes, effects_.breaks_checks(event));
  result_.events[index].refused = terms_.any({breaks, taken, misses});
  refuse_where(breaks, "23514");
  refuse_where(taken, "23505");
  refuse_where(misses, "23503");
}

// The store does: an error with that SQLSTATE.
void Unfolder::refuse_where(Term condition, const std::string& state) {
  const bool is_refusal = interpreter::is_refusal(
      {.sqlstate = state, .exception = {}, .message = {}}, options_.refusals);
  raise_where(condition, state, is_refusal, Origin::store);
}

void Unfolder::take_inserted(Event& event, const std::vector<Expression>& into) {
  if (!event.form->on_conflict && !event.form->inserts_query) {
    event.has_result = terms_.truth(true);
  }
  if (const auto makes = effects_.makes_its_row(event)) event.has_result = *makes;
  if (event.form->inserts_query && !event.form->on_conflict && event.form->named_sources() > 1) {
    event.result = fresh_keys(event);
    event.fetched.push_back({event.result, event.has_result});
    result_.facts.push_back(terms_.implies(terms_.all(event.guard, event.has_result),
                                           effects_.selects(event, event.result)));
  }
  add_row_in_its_way(event);
  if (event.form->checks_keys) {
    if (const auto key = effects_.pinned_key(event)) {
      result_.facts.push_back(terms_.implies(event.guard, effects_.stops(event, 0, *key)));
    }
    refuse_where(*effects_.is_in_its_way(event), "23505");
  }
  check_keys(static_cast<std::size_t>(&event - result_.events.data()));
  havoc(into);
  const bool is_plain = !event.form->on_conflict && !event.form->inserts_query &&
                        into.size() == event.form->outputs.size() &&
                        std::ranges::all_of(into, [&](const Expression& target) {
                          return target.kind == ExpressionKind::variable && !is_row(target);
                        });
  for (std::size_t i = 0; is_plain && i < into.size(); ++i) {
    event.returned.push_back(now_.bindings[into[i].text].value);
  }
  is_single_ = !event.form->inserts_query;
  set_found(event.has_result);
}

// The row by which an INSERT does nothing.
void Unfolder::add_row_in_its_way(Event& event) {
  const auto in_its_way = effects_.is_in_its_way(event);
  const bool is_stopped_by_rows = event.form->is_stopped_by_rows || event.form->checks_keys;
  if (!in_its_way || !is_stopped_by_rows || event.form->named_sources() != 1) return;
  event.in_its_way = fresh_keys(event);
  result_.facts.push_back(terms_.implies(terms_.all(event.guard, *in_its_way),
                                         effects_.matches(event, event.in_its_way)));
}

void Unfolder::store(Event& event, const std::vector<Expression>& into,
                     const std::vector<RowKey>& keys, Term exists) {
  if (into.empty()) return;
  const bool has_rows = keys.size() >= event.form->named_sources() && !event.form->is_aggregate;
  std::vector<SqlValue> values;
  if (has_rows) {
    values = outputs(event, keys);
  } else {
    for (std::size_t i = 0; i < event.form->outputs.size(); ++i) {
      values.push_back(aggregate(event, i));
    }
    event.aggregates = values;
  }
  const SqlValue nothing = evaluator_.null();
  for (SqlValue& value : values) value = evaluator_.choose(exists, value, nothing);
  if (into.size() == 1 && is_row(into[0])) {
    Binding row{.value = evaluator_.null(), .fields = {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
      row.fields[event.form->output_names[i]] = values[i];
    }
    now_.bindings[into[0].text] = std::move(row);
    return;
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    assign(into[i],
           i < values.size() ? values[i] : evaluator_.unknown(event.viewer, Sort::integer));
  }
}

// Any value; a count is none below zero, and what compares one is true or false, as EXISTS is.
SqlValue Unfolder::aggregate(const Event& event, std::size_t output) {
  const OutputColumn& column = formed_[event.statement].statement->statement.output[output];
  const Expression& computed = event.form->outputs[output];
  static constexpr std::array<std::string_view, 6> kComparisons = {"=", "<>", "<", "<=", ">", ">="};
  const bool is_condition = computed.kind == ExpressionKind::call &&
                            std::ranges::find(kComparisons, computed.text) != kComparisons.end() &&
                            computed.operands.front().text == "count";
  const SqlValue value = evaluator_.unknown(fmt::format("{} {}", event.viewer, column.name),
                                            is_condition ? Sort::truth : Sort::integer,
                                            column.is_count || is_condition);
  if (column.is_count && !is_condition) {
    evaluator_.know_whole(value);
    result_.facts.push_back(terms_.less_or_equal(terms_.integer(0), value.value));
  }
  return value;
}

bool Unfolder::is_row(const Expression& target) const {
  const auto type = types_.find(target.text);
  if (target.kind != ExpressionKind::variable || type == types_.end()) return false;
  return type->second == "record" || to_lower(type->second).ends_with("%rowtype");
}

void note_what_is_taken(std::vector<FormedStatement>& formed) {
  std::set<std::string> read;         // tables, in the transaction under way
  std::set<std::string> read_before;  // in earlier ones
  for (FormedStatement& one : formed) {
    StatementForm& form = one.form;
    if (form.kind == StatementKind::commit) read_before.merge(std::exchange(read, {}));
    form.takes_what_was_read = form.is_blind && form.kind == StatementKind::delete_ &&
                               read_before.contains(form.sources[0].name);
    for (const RowSource& source : form.sources) {
      if (source.is_read && source.is_named() && !form.is_blind) read.insert(source.name);
    }
  }
}

// Goes on to the next row of a query; whether there is one.
Term Unfolder::next_row(std::size_t index, const std::vector<Expression>& into, std::size_t round) {
  Event event = result_.events[index];
  if (event.form->result_rows == ResultRows::one && event.form->kind == StatementKind::select) {
    result_.events[index].has_result = terms_.truth(true);
    if (round > 0) return terms_.truth(false);
    store(result_.events[index], into, {}, terms_.truth(true));
    return terms_.truth(true);
  }
  const std::vector<RowKey> keys = fresh_keys(event);
  const Term exists = terms_.symbol(fmt::format("{} found {}", event.viewer, round), Sort::truth);
  result_.facts.push_back(terms_.implies(
      terms_.all(event.guard, exists),
      terms_.all(effects_.matches(event, keys), effects_.have_been_taken(event, keys))));
  if (gives_rows_once(*event.form)) {
    for (const FetchedRow& earlier : event.fetched) {
      const Term are_same = rows_.same_key(earlier.keys[0], keys[0]);
      result_.facts.push_back(terms_.implies(exists, terms_.negate(are_same)));
    }
  }
  result_.events[index].fetched.push_back({keys, exists});
  if (round == 0) {
    result_.events[index].result = keys;
    result_.events[index].has_result = exists;
  } else {
    const Term before =
        terms_.symbol(fmt::format("{} found {}", event.viewer, round - 1), Sort::truth);
    result_.facts.push_back(terms_.implies(exists, before));
  }
  note_same_rows(event, keys, exists, round);
  store(event, into, keys, exists);
  return exists;
}

}  // namespace heddle::find
