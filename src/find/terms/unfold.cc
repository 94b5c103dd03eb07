// Walks a functionality's body once with symbolic values, as bounded model checkers do (Clarke,
// Kroening and Lerda 2004): both arms of a branch are taken, and what they assign is chosen by the
// condition afterwards.
//
// What a loop does after its last unfolded round is not looked at, but what it may have assigned
// there is any value: later statements run whatever the loop did.
#include "find/terms/unfold.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "find/forms/expressions.h"
#include "find/forms/foreign_keys.h"
#include "find/forms/inner_values.h"
#include "find/forms/typed_literals.h"
#include "find/forms/written_keys.h"
#include "find/terms/sight.h"
#include "find/terms/unfolder.h"
#include "heddle/interpret.h"
#include "interpret/refusal.h"
#include "program/connections.h"
#include "program/deciding_reads.h"
#include "program/observed.h"
#include "program/redis_commands.h"
#include "program/visit.h"

namespace heddle::find {

namespace {

bool may_handle(const Attempt& attempt, const std::string& state) {
  return std::ranges::any_of(attempt.recoveries, [&](const Recovery& recovery) {
    return std::ranges::any_of(recovery.conditions, [&](const std::string& condition) {
      return is_handled(condition, state);
    });
  });
}

}  // namespace

Unfolder::Unfolder(const Functionality& functionality, const std::vector<FormedStatement>& formed,
                   std::string name, Evaluator& evaluator, Rows& rows, const UnfoldOptions& options)
    : functionality_(functionality),
      formed_(formed),
      name_(std::move(name)),
      evaluator_(evaluator),
      terms_(evaluator.terms()),
      rows_(rows),
      effects_(evaluator, rows),
      options_(options) {
  for (std::size_t i = 0; i < formed.size(); ++i) numbers_[formed[i].statement] = i;
}

Unfolding Unfolder::run() {
  now_.live = terms_.truth(true);
  for (const Variable& parameter : functionality_.parameters) {
    const Sort sort = declare(parameter);
    const SqlValue value = {terms_.symbol(name_ + " " + parameter.name, sort),
                            terms_.symbol(name_ + " " + parameter.name + "?", Sort::truth)};
    now_.bindings[parameter.name] = {.value = value, .fields = {}, .has_any_fields = true};
    result_.parameters[parameter.name] = value;
  }
  for (const Variable& variable : functionality_.variables) {
    declare(variable);
    now_.bindings[variable.name] = {.value = evaluator_.null(), .fields = {}};
  }
  walk(functionality_.body);
  result_.reaches_end = now_.live;
  for (const Point& end : ends_) result_.reaches_end = terms_.any(result_.reaches_end, end.live);
  if (program::uses_several_connections(functionality_)) note_spans();
  return std::move(result_);
}

void Unfolder::walk(const Block& block) {
  for (const Action& action : block) {
    if (terms_.is_false(now_.live)) return;
    std::visit([&](const auto& what) { step(what); }, action.what);
  }
}

// What does nothing unless another part of its statement found rows, or none, is as if it were in a
// branch.
void Unfolder::step(const RunStatement& run) {
  const std::vector<PartNeed>& needs = run.statement.needs;
  if (needs.empty() || run.strict) return run_statement(run);
  std::vector<Term> holds;
  for (const PartNeed& need : needs) {
    const std::size_t part = numbers_.at(&run.statement) - need.back;
    const auto event =
        std::ranges::find(result_.events.rbegin(), result_.events.rend(), part, &Event::statement);
    if (event == result_.events.rend()) return run_statement(run);
    holds.push_back(need.has_rows ? event->has_result : terms_.negate(event->has_result));
  }
  const Term does = terms_.all(holds);
  Point otherwise = now_;
  const Term before = now_.live;
  now_.live = bounded(terms_.all(before, does));
  run_statement(run);
  const Point then = std::move(now_);
  now_ = std::move(otherwise);
  now_.live = bounded(terms_.all(before, terms_.negate(does)));
  for (const Expression& target : run.into) {
    if (is_row(target)) {
      now_.bindings[target.text] = {.value = evaluator_.null(), .fields = {}};
    } else {
      assign(target, evaluator_.null());
    }
  }
  set_found(terms_.truth(false));
  now_ = merge(then, now_);
}

void Unfolder::run_statement(const RunStatement& run) {
  if (steps_over_group_edge(run.statement)) return;
  // What nobody knows may be several statements, and what it sees may change from one to the next.
  const bool is_unknown = formed_[numbers_.at(&run.statement)].form.is_unknown;
  if (is_unknown) {
    rounds_.push_back(0);
    add_event(run.statement);
    rounds_.back() = 1;
  }
  Event* event = add_event(run.statement);
  if (is_unknown) rounds_.pop_back();
  if (event == nullptr) return;
  take_row(*event, run.into);
  if (run.strict) {
    constexpr const char* kNoDataFound = "P0002";
    raise_where(terms_.negate(event->has_result), kNoDataFound,
                program::changes_rows_there(run.statement));
  }
}

// MULTI and EXEC of Redis say what is executed as one, and are nothing themselves.
bool Unfolder::steps_over_group_edge(const ProgramStatement& statement) {
  if (!program::is_redis(statement) || statement.statement.kind != StatementKind::set) return false;
  const bool begins = program::begins_redis_group(statement);
  now_.redis_group = begins ? std::optional(++transactions_) : std::nullopt;
  return true;
}

// The count of the last statement: at least one where it found something.
void Unfolder::step(const CountRows& count) {
  const Term rows = terms_.fresh(name_ + " count", Sort::integer);
  const Term found_any = found().value;
  result_.facts.push_back(terms_.less_or_equal(terms_.integer(0), rows));
  result_.facts.push_back(terms_.equal(found_any, terms_.less(terms_.integer(0), rows)));
  if (is_single_) result_.facts.push_back(terms_.less_or_equal(rows, terms_.integer(1)));
  assign(count.target, evaluator_.known(rows));
}

void Unfolder::note_borders(const Expression& condition, const Lookup& lookup) {
  for (const Expression& operand : condition.operands) note_borders(operand, lookup);
  const bool is_strict = condition.text == "<" || condition.text == ">";
  const bool compares = is_strict || condition.text == "<=" || condition.text == ">=";
  if (condition.kind != ExpressionKind::call || !compares) return;
  if (condition.operands.size() != 2) return;
  Border border{.live = now_.live,
                .one = evaluator_.value(condition.operands[0], lookup),
                .other = evaluator_.value(condition.operands[1], lookup),
                .is_strict = is_strict};
  const auto is_number = [&](const SqlValue& of) {
    const Sort sort = terms_.sort(of.value);
    return sort == Sort::integer || sort == Sort::fraction;
  };
  if (is_number(border.one) && is_number(border.other)) result_.borders.push_back(border);
}

void Unfolder::step(const Branch& branch) {
  if (options_.looks_behind_loops) note_borders(branch.condition, lookup());
  const Term holds = truth(branch.condition).holds;
  Point otherwise = now_;
  const Term before = now_.live;
  now_.live = bounded(terms_.all(before, holds));
  walk(branch.then);
  const Point then = std::move(now_);
  now_ = std::move(otherwise);
  now_.live = bounded(terms_.all(before, terms_.negate(holds)));
  walk(branch.otherwise);
  now_ = merge(then, now_);
}

void Unfolder::step(const Loop& loop) {
  run_rounds(loop.body, loop.label, [&](std::size_t /*round*/) {
    return loop.condition ? truth(*loop.condition).holds : terms_.truth(true);
  });
}

void Unfolder::step(const CountLoop& loop) {
  const SqlValue first = evaluator_.as(value(loop.first), Sort::integer);
  const SqlValue last = evaluator_.as(value(loop.last), Sort::integer);
  const SqlValue step = loop.step ? evaluator_.as(value(*loop.step), Sort::integer)
                                  : evaluator_.known(terms_.integer(1));
  types_[loop.variable] = "integer";
  run_rounds(loop.body, loop.label, [&](std::size_t round) {
    if (round == kSomeLaterRound) return terms_.fresh(name_ + " goes on", Sort::truth);
    Term at = first.value;
    for (std::size_t i = 0; i < round; ++i) {
      at = loop.reverse ? terms_.subtract(at, step.value) : terms_.add(at, step.value);
    }
    now_.bindings[loop.variable] = {evaluator_.known(at), {}};
    return loop.reverse ? terms_.less_or_equal(last.value, at)
                        : terms_.less_or_equal(at, last.value);
  });
}

void Unfolder::step(const ElementLoop& loop) {
  const SqlValue array = value(loop.array);
  const auto type = types_.find(loop.variable);
  const Sort sort = type == types_.end() ? Sort::integer : sort_of_type(type->second);
  run_rounds(loop.body, loop.label, [&](std::size_t round) {
    const SqlValue place = evaluator_.known(terms_.integer(static_cast<std::int64_t>(round) + 1));
    now_.bindings[loop.variable] = {evaluator_.element(array, place, sort), {}};
    return terms_.all(terms_.negate(array.is_null),
                      terms_.less_or_equal(place.value, evaluator_.cardinality(array).value));
  });
}

void Unfolder::step(const RowLoop& loop) {
  Event* event = add_event(loop.statement);
  if (event == nullptr) return;
  const std::size_t index = result_.events.size() - 1;
  const Point before = now_;
  run_rounds(loop.body, loop.label,
             [&](std::size_t round) { return next_row(index, loop.into, round); });
  note_list(loop, index, before);
}

void Unfolder::step(const OpenRows& open) {
  if (add_event(open.statement) == nullptr) return;
  cursors_[open.cursor] = {result_.events.size() - 1, 0};
}

void Unfolder::step(const FetchRow& fetch) {
  const auto cursor = cursors_.find(fetch.cursor);
  if (cursor == cursors_.end()) {
    havoc(fetch.into);
    set_found(terms_.fresh(name_ + " found", Sort::truth));
    return;
  }
  set_found(next_row(cursor->second.event, fetch.into, cursor->second.fetched++));
}

void Unfolder::step(const LeaveLoop& leave) {
  for (std::size_t i = frames_.size(); i-- > 0;) {
    if (!leave.label.empty() && frames_[i].label != leave.label) continue;
    (leave.next ? frames_[i].again : frames_[i].left).push_back(now_);
    break;
  }
  now_.live = terms_.truth(false);
}

void Unfolder::step(const Return& /*end*/) {
  ends_.push_back(now_);
  now_.live = terms_.truth(false);
}

void Unfolder::step(const Raise& raise) {
  // The error at hand, once more: whose it is is not known.
  const bool is_known = !raise.condition.empty() || !raise.message.empty();
  const std::string state = is_known ? interpreter::state_of(raise) : "";
  const bool is_named = interpreter::is_refusal(raise, options_.refusals);
  const Term refuses = is_named ? terms_.truth(true) : gave_up(raise);
  raise_where(refuses, state, true);
  raise_where(terms_.truth(true), state, !is_known);
}

// Whether an UPDATE or DELETE that decided whether it is reached changed no row.
Term Unfolder::gave_up(const Raise& raise) {
  if (!deciding_) deciding_ = program::deciding_changes(functionality_);
  const auto known = deciding_->find(&raise);
  if (known == deciding_->end()) return terms_.truth(false);
  std::vector<Term> ways;
  for (const ProgramStatement* change : known->second) {
    const auto number = numbers_.find(change);
    if (number == numbers_.end()) continue;
    Term later = terms_.truth(false);  // whether it ran once more
    for (std::size_t i = result_.events.size(); i-- > 0;) {
      const Event& event = result_.events[i];
      if (event.statement != number->second) continue;
      ways.push_back(
          terms_.all({event.guard, terms_.negate(event.has_result), terms_.negate(later)}));
      later = terms_.any(later, event.guard);
    }
  }
  return bounded(terms_.any(ways));
}

void Unfolder::raise_where(Term condition, const std::string& state, bool is_refusal,
                           Origin origin) {
  const Term when = terms_.all(now_.live, condition);
  if (!terms_.is_false(when)) {
    send_out({{now_.bindings, when, now_.transaction, now_.others}, state, is_refusal}, origin);
  }
  now_.live = bounded(terms_.all(now_.live, terms_.negate(condition)));
}

// To the innermost Attempt that may catch it, or to the caller.
void Unfolder::send_out(Raised raised, Origin origin) {
  for (std::size_t i = attempts_.size(); i-- > 0;) {
    if (attempts_[i].by_client && origin == Origin::program) continue;
    attempts_[i].raised.push_back(std::move(raised));
    return;
  }
  const Term when = raised.point.live;
  if (raised.is_refusal) {
    result_.refusals.push_back(when);
    return;
  }
  result_.raises.push_back(when);
  undo(raised.point.transaction, when);
  for (const auto& [connection, transaction] : raised.point.others) undo(transaction, when);
}

// Any statement of the body may fail. What it did before is undone then, or rather: it is as if
// the body had not run, whose statements are those of another way.
void Unfolder::step(const Attempt& attempt) {
  result_.recovers = true;
  const Point before = now_;
  const std::size_t first = result_.events.size();
  const Term fails = terms_.fresh(name_ + " fails", Sort::truth);
  attempts_.push_back({.by_client = attempt.by_client, .raised = {}});
  now_.live = bounded(terms_.all(now_.live, terms_.negate(fails)));
  walk(attempt.body);
  std::vector<Raised> raised = std::move(attempts_.back().raised);
  attempts_.pop_back();
  Point after = now_;
  Point failed = before;
  failed.live = terms_.all(before.live, fails);
  if (attempt.by_client && commits_in_the_middle(first)) failed.tears = ++tears_;
  for (Raised& one : raised) {
    if (one.state.empty() || may_handle(attempt, one.state)) {
      failed = merge(one.point, failed);
    } else {
      send_out(std::move(one), attempt.by_client ? Origin::store : Origin::program);
    }
  }
  for (const Recovery& recovery : attempt.recoveries) {
    const Term is_meant = terms_.fresh(name_ + " handles", Sort::truth);
    now_ = failed;
    now_.live = terms_.all(failed.live, is_meant);
    failed.live = terms_.all(failed.live, terms_.negate(is_meant));
    walk(recovery.body);
    after = merge(after, now_);
  }
  result_.refusals.push_back(failed.live);
  now_ = after;
}

// Rounds of a loop. `enter` says whether there is another one, and sets its variables.
void Unfolder::run_rounds(const Block& body, const std::string& label,
                          const std::function<Term(std::size_t)>& enter) {
  const Term before = now_.live;
  frames_.push_back({label, {}, {}});
  rounds_.push_back(0);
  Term any = terms_.truth(false);
  const program::Retry* retry = options_.looks_behind_loops ? nullptr : retry_of(body);
  for (std::size_t round = 0; round < options_.rounds; ++round) {
    const Term holds = enter(round);
    Point out = now_;
    out.live = terms_.all(now_.live, terms_.negate(holds));
    frames_.back().left.push_back(std::move(out));
    now_.live = bounded(terms_.all(now_.live, holds));
    any = terms_.any(any, now_.live);
    if (terms_.is_false(now_.live)) break;
    rounds_.back() = round;
    if (retry != nullptr && retry->gives_up_inside) forget(retry->counters);
    const Round under_way{body, enter, now_, result_.events.size(), tears_};
    walk(body);
    for (const Point& again : std::exchange(frames_.back().again, {})) now_ = merge(again, now_);
    if (retry != nullptr) leave_out_attempt(*retry, under_way);
  }
  if (options_.looks_behind_loops && !terms_.is_false(now_.live)) {
    const Point before_entering = now_;
    const Term holds = enter(options_.rounds);
    Point out = before_entering;
    out.live = terms_.all(now_.live, terms_.negate(holds));
    frames_.back().left.push_back(std::move(out));
    now_.live = terms_.all(now_.live, holds);
    result_.overruns.push_back(now_.live);
  }
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  rounds_.pop_back();
  if (!terms_.is_false(now_.live)) havoc_assigned(body);
  for (const Point& left : frame.left) now_ = merge(left, now_);
  set_found(terms_.all(before, any));
}

void Unfolder::havoc(const std::vector<Expression>& targets) {
  for (const Expression& target : targets) {
    const bool is_part = target.kind != ExpressionKind::variable && !target.operands.empty();
    const std::string& name = is_part ? target.operands[0].text : target.text;
    const auto type = types_.find(name);
    const Sort sort = type == types_.end() ? Sort::integer : sort_of_type(type->second);
    Binding& binding = now_.bindings[name];
    binding.value = evaluator_.unknown(name_ + " " + name, sort);
    for (auto& [column, value] : binding.fields) {
      value = evaluator_.unknown(name_ + " " + column, terms_.sort(value.value));
    }
    binding.has_any_fields = true;
  }
}

bool Unfolder::grows(const Assign& assign) {
  return assign.target.kind == ExpressionKind::variable &&
         assign.value.kind == ExpressionKind::call && assign.value.text == "array_append" &&
         assign.value.operands.size() == 2 && assign.value.operands[0] == assign.target;
}

namespace {

// What the actions assign. An array that only grows is in `grown` alone.
struct Assigned {
  std::vector<Expression> targets;
  std::map<std::string, Expression> grown;
};

void add_assigned(const Block& body, Assigned& assigned) {
  const auto add_all = [&](const std::vector<Expression>& into) {
    assigned.targets.insert(assigned.targets.end(), into.begin(), into.end());
  };
  for (const Action& action : body) {
    if (const auto* assign = std::get_if<Assign>(&action.what)) {
      if (Unfolder::grows(*assign)) {
        assigned.grown.emplace(assign->target.text, assign->target);
      } else {
        assigned.targets.push_back(assign->target);
      }
    }
    if (const auto* run = std::get_if<RunStatement>(&action.what)) add_all(run->into);
    if (const auto* rows = std::get_if<RowLoop>(&action.what)) add_all(rows->into);
    if (const auto* fetch = std::get_if<FetchRow>(&action.what)) add_all(fetch->into);
    if (const auto* count = std::get_if<CountRows>(&action.what)) add_all({count->target});
    program::for_each_block(const_cast<Action&>(action),
                            [&](Block& inner) { add_assigned(inner, assigned); });
  }
}

}  // namespace

// Rounds that are not unfolded may have assigned anything; an array that they only append to has
// what it had, and more.
void Unfolder::havoc_assigned(const Block& body) {
  Assigned assigned;
  add_assigned(body, assigned);
  for (const auto& [name, target] : assigned.grown) {
    assign(target, evaluator_.array_longer(value(target), element_sort(name)));
  }
  havoc(assigned.targets);
}

std::vector<FormedStatement> form_statements(const Functionality& functionality,
                                             const Schema& schema, const ForeignKeys& foreign_keys,
                                             RowSources& every_table) {
  std::vector<FormedStatement> formed;
  const std::set<const ProgramStatement*> observed = program::observed_statements(functionality);
  for (const ListedStatement& listed : list_statements(functionality)) {
    const bool is_observed = observed.contains(listed.statement);
    formed.push_back(
        {listed.statement, form_of(*listed.statement, schema, is_observed, every_table)});
    type_literals(schema, kinds_of_arguments(*listed.statement, functionality), formed.back().form);
    foreign_keys.add_to(formed.back().form);
    add_taken_keys(listed.statement->statement, schema, formed.back().form);
    if (formed.back().form.may_be_refused()) formed.back().form.is_blind = false;
  }
  note_what_is_taken(formed);
  return formed;
}

std::string in_snapshot(const Event& event) { return event.viewer + " snapshot"; }

std::string viewer_at(const Event& event, std::size_t source) {
  const RowSource& of = event.form->sources[source];
  if (of.role == SourceRole::taken) return event.viewer + " index";
  const bool changes = std::ranges::any_of(event.form->sources, takes);
  return of.is_inner && changes ? in_snapshot(event) : event.viewer;
}

Term lasts(const Event& event, Terms& terms) {
  return terms.all(event.guard, terms.negate(event.undone));
}

Unfolding unfold(const Functionality& functionality, const std::vector<FormedStatement>& formed,
                 const std::string& name, Evaluator& evaluator, Rows& rows,
                 const UnfoldOptions& options) {
  return Unfolder(functionality, formed, name, evaluator, rows, options).run();
}

namespace {

// Of the column that it is, or that it is the sum, the least or the greatest of.
Sort sort_of_inner_value(const RowSource& source, const Expression& value, const Rows& rows) {
  const Expression& column =
      value.operands.size() == 1 && !source_of(value) ? value.operands[0] : value;
  return source_of(column) ? rows.sort_of_column(source, column.text) : Sort::integer;
}

}  // namespace

std::optional<RowKey> named_by_inner_query(const Event& event, const InnerValue& inner,
                                           Evaluator& evaluator, Rows& rows) {
  const RowSource& source = event.form->sources[inner.source];
  const std::vector<std::string> columns = rows.key_columns(source);
  const Lookup client = lookup_in(event, {}, event.viewer, evaluator, rows);
  RowKey key;
  for (const std::string& column : columns) {
    for (const auto& [joined, condition] : event.form->joined_by) {
      const Expression* value = joined == inner.source ? pinned_value(condition, column) : nullptr;
      if (value == nullptr || mentions_inner_value(*value)) continue;
      key.push_back(
          evaluator.as(evaluator.value(*value, client), rows.sort_of_column(source, column)));
      break;
    }
  }
  if (columns.empty() || key.size() != columns.size()) return std::nullopt;
  return key;
}

// The same for everybody who looks at the rows around it.
SqlValue inner_value_of(const Event& event, std::size_t number, Evaluator& evaluator, Rows& rows) {
  const InnerValue& inner = event.form->inner_values[number];
  const RowSource& source = event.form->sources[inner.source];
  const auto row =
      source_of(inner.value) ? named_by_inner_query(event, inner, evaluator, rows) : std::nullopt;
  if (row) {
    const std::string viewer = viewer_at(event, inner.source);
    std::vector<RowKey> keys(inner.source + 1);
    keys[inner.source] = *row;
    const RowView view{.viewer = viewer, .key = *row};
    const Term is_there = RowEffects(evaluator, rows).counts(event, inner.source, view);
    const Lookup in_row = lookup_in(event, keys, viewer, evaluator, rows);
    return evaluator.choose(is_there, evaluator.value(inner.value, in_row), evaluator.null());
  }
  Terms& terms = evaluator.terms();
  const bool is_count = inner.value.text == "count" && is_aggregate_call(inner.value);
  const Sort sort = is_count ? Sort::integer : sort_of_inner_value(source, inner.value, rows);
  const std::string name = fmt::format("{} inner {}", event.viewer, number);
  const Term is_null = is_count ? terms.truth(false) : terms.symbol(name + "?", Sort::truth);
  return {terms.symbol(name, sort), is_null};
}

Lookup lookup_in(const Event& event, const std::vector<RowKey>& keys, std::string viewer,
                 Evaluator& evaluator, Rows& rows) {
  return [&event, keys, viewer = std::move(viewer), &evaluator,
          &rows](const Expression& leaf) -> SqlValue {
    if (leaf.kind == ExpressionKind::variable && leaf.text.starts_with('$')) {
      const std::size_t number = std::stoul(leaf.text.substr(1));
      if (number >= 1 && number <= event.arguments.size()) return event.arguments[number - 1];
    }
    if (is_element_of_clients(leaf)) {
      const Lookup client = lookup_in(event, {}, viewer, evaluator, rows);
      return evaluator.element(client(leaf.operands[0]), evaluator.value(leaf.operands[1], client),
                               Sort::integer);
    }
    if (const auto source = source_of(leaf); source && *source < keys.size()) {
      return rows.cell(viewer, event.form->sources[*source], leaf.text, keys[*source]);
    }
    const std::vector<InnerValue>& inner = event.form->inner_values;
    const std::size_t number = number_of_inner_value(leaf, inner.size());
    if (number < inner.size()) return inner_value_of(event, number, evaluator, rows);
    return evaluator.unknown(viewer + " " + leaf.text, Sort::integer);
  };
}

void note_idle_reads(const Functionality& functionality, std::vector<FormedStatement>& statements) {
  std::set<const ProgramStatement*> queries;
  for (const FormedStatement& formed : statements) {
    const StatementForm& form = formed.form;
    const bool writes = std::ranges::any_of(form.sources, &RowSource::is_written);
    if (form.kind != StatementKind::select || form.is_unknown || writes) continue;
    queries.insert(formed.statement);
  }
  const std::set<const ProgramStatement*> deciding = program::deciding_reads(
      functionality,
      [&](const ProgramStatement& statement) { return queries.contains(&statement); });
  for (FormedStatement& formed : statements) {
    formed.form.reads_idly =
        queries.contains(formed.statement) && !deciding.contains(formed.statement);
  }
}

}  // namespace heddle::find
