// The actions that steer: blocks, branches, loops, errors.
#include "interpret/machine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "program/deciding_changes.h"

namespace heddle::interpreter {

namespace {

// RAISE's format: each % is the next value, %% a percent sign. None: the numbers do not fit.
std::optional<std::string> filled_in(std::string_view format, const std::vector<Value>& values) {
  std::string text;
  std::size_t used = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
    } else if (i + 1 < format.size() && format[i + 1] == '%') {
      text += '%';
      ++i;
    } else {
      if (used == values.size()) return std::nullopt;
      const Value& value = values[used++];
      text += value.is_null() ? "<NULL>" : output_text(value);
    }
  }
  if (used != values.size()) return std::nullopt;
  return text;
}

}  // namespace

Machine::Way Machine::fail(std::string sqlstate, std::string message) {
  error_ = RaisedError{.sqlstate = std::move(sqlstate),
                       .message = std::move(message),
                       .source = source_ == nullptr ? functionality_.source : *source_};
  is_refusal_ = false;
  return Way::failed;
}

Machine::Way Machine::refuse(const StoreRefusal& refusal) {
  fail(refusal.sqlstate, refusal.message);
  is_refusal_ = true;
  return Way::failed;
}

Machine::Way Machine::give_up(std::string what, Trouble trouble, std::string what_to_do) {
  const SourceLocation& source = source_ == nullptr ? functionality_.source : *source_;
  trouble_ = Diagnostic{.what = std::move(what),
                        .what_to_do = std::move(what_to_do),
                        .file = source.file,
                        .position = source.position,
                        .trouble = trouble};
  return Way::failed;
}

Machine::Way Machine::settle(const Errors& errors) {
  switch (errors.kind()) {
    case Errors::Kind::none:
      return Way::on;
    case Errors::Kind::sql:
      return fail(errors.sqlstate(), errors.message());
    case Errors::Kind::unsupported:
      return give_up(errors.message(), Trouble::bad_input, "supply it as an unknown value");
    case Errors::Kind::bound:
      return give_up(errors.message(), Trouble::bound);
    case Errors::Kind::other:
      break;
  }
  trouble_ = evaluator_.trouble();
  return Way::failed;
}

Machine::Way Machine::run_block(const Block& block) {
  if (depth_ == options_.max_depth) {
    return give_up("blocks are nested too deeply", Trouble::bound, "raise the depth");
  }
  ++depth_;
  Way way = Way::on;
  for (const Action& action : block) {
    way = run_action(action);
    if (way != Way::on) break;
  }
  --depth_;
  return way;
}

Machine::Way Machine::run_action(const Action& action) {
  source_ = &action.source;
  if (++steps_ > options_.max_steps) {
    return give_up(fmt::format("{} steps were not enough", options_.max_steps), Trouble::bound,
                   "raise the number of steps, or look for a loop without an end");
  }
  return std::visit([this](const auto& what) { return run_one(what); }, action.what);
}

Machine::Way Machine::run_one(const Assign& assign_action) {
  const auto value = value_of(assign_action.value);
  return value ? assign(assign_action.target, *value) : Way::failed;
}

Machine::Way Machine::run_one(const CountRows& count_rows) {
  return assign(count_rows.target,
                integer_value(Base::int8, static_cast<std::int64_t>(last_count_)));
}

// What a condition is: outer none when it failed, inner none when it is null.
std::optional<std::optional<bool>> Machine::decide(const Expression& condition) {
  const auto value = value_of(condition);
  if (!value) return std::nullopt;
  Errors errors;
  const Value truth = convert(*value, type_of(Base::boolean), Cast::assigned, errors);
  if (settle(errors) != Way::on) return std::nullopt;
  const std::optional<bool> result =
      truth.is_null() ? std::nullopt : std::optional(truth.boolean());
  result_.trace.emplace_back(TakenBranch{.source = *source_, .condition = result});
  return result;
}

Machine::Way Machine::run_one(const Branch& branch) {
  const auto condition = decide(branch.condition);
  if (!condition) return Way::failed;
  return run_block(condition->value_or(false) ? branch.then : branch.otherwise);
}

Machine::Way Machine::iterate(const Block& body, const std::string& label, std::size_t number) {
  const SourceLocation* const source = source_;
  if (++steps_ > options_.max_steps) {
    return give_up(fmt::format("{} steps were not enough", options_.max_steps), Trouble::bound,
                   "raise the number of steps, or look for a loop without an end");
  }
  result_.trace.emplace_back(LoopIteration{.source = *source, .number = number});
  const Way way = run_block(body);
  if (way == Way::failed) return way;
  source_ = source;
  const bool jumps = way == Way::leave || way == Way::again;
  if (!jumps || (!label_.empty() && label_ != label)) return way;
  label_.clear();
  return way == Way::again ? Way::on : Way::ended;
}

Machine::Way Machine::end_loop(Way way, bool any) {
  if (way != Way::failed) set_found(any);
  return after_loop(way);
}

Machine::Way Machine::run_one(const Loop& loop) {
  const program::Retry* const retry = retry_of(loop.body);
  std::optional<Round> round;
  for (std::size_t number = 1;; ++number) {
    if (loop.condition) {
      const auto condition = decide(*loop.condition);
      if (!condition) return Way::failed;
      if (!condition->value_or(false)) return Way::on;
    }
    go_around(retry, round);
    const Way way = iterate(loop.body, loop.label, number);
    if (way != Way::on) {
      nothing_.reset();
      return after_loop(way);
    }
  }
}

Machine::Way Machine::run_one(const RowLoop& loop) {
  const auto rows = execute(loop.statement);
  if (!rows) return Way::failed;
  Way way = Way::on;
  if (rows->rows.empty()) way = store_row(loop.into, *rows, std::nullopt);
  for (std::size_t row = 0; row < rows->rows.size() && way == Way::on; ++row) {
    way = store_row(loop.into, *rows, row);
    if (way == Way::on) way = iterate(loop.body, loop.label, row + 1);
  }
  return end_loop(way, !rows->rows.empty());
}

std::optional<std::int64_t> Machine::loop_bound(const Expression& expression,
                                                std::string_view what) {
  const auto value = value_of(expression);
  if (!value) return std::nullopt;
  Errors errors;
  const Value number = convert(*value, type_of(Base::int4), Cast::assigned, errors);
  if (settle(errors) != Way::on) return std::nullopt;
  if (number.is_null()) {
    fail("22004", fmt::format("{} of FOR loop cannot be null", what));
    return std::nullopt;
  }
  return number.integer();
}

Machine::Way Machine::run_one(const CountLoop& loop) {
  const auto first = loop_bound(loop.first, "lower bound");
  if (!first) return Way::failed;
  const auto last = loop_bound(loop.last, "upper bound");
  if (!last) return Way::failed;
  const auto step = loop.step ? loop_bound(*loop.step, "BY value") : std::optional<std::int64_t>(1);
  if (!step) return Way::failed;
  if (*step <= 0) return fail("22023", "BY value of FOR loop must be greater than zero");
  return count(loop, *first, *last, *step);
}

// The body may change the variable, but not the count.
Machine::Way Machine::count(const CountLoop& loop, std::int64_t first, std::int64_t last,
                            std::int64_t step) {
  const auto goes_on = [&](std::int64_t at) { return loop.reverse ? at >= last : at <= last; };
  const program::Retry* const retry = retry_of(loop.body);
  std::optional<Round> round;
  Way way = Way::on;
  std::size_t number = 0;
  for (std::int64_t at = first; goes_on(at) && way == Way::on;) {
    go_around(retry, round);
    variables_[loop.variable] = {type_of(Base::int4), integer_value(Base::int4, at)};
    way = iterate(loop.body, loop.label, ++number);
    at += loop.reverse ? -step : step;
    if (at > INT32_MAX || at < INT32_MIN) break;
  }
  nothing_.reset();
  variables_.erase(loop.variable);
  return end_loop(way, number > 0);
}

Machine::Way Machine::run_one(const ElementLoop& loop) {
  const auto array = value_of(loop.array);
  if (!array) return Way::failed;
  if (array->is_null()) return fail("22004", "FOREACH expression must not be null");
  if (!array->type.is_array) {
    return fail("42804",
                "FOREACH expression must yield an array, not type " + type_name(array->type));
  }
  const Expression target{.kind = ExpressionKind::variable, .text = loop.variable, .operands = {}};
  const std::vector<Value>& elements = array->array().elements;
  Way way = Way::on;
  for (std::size_t i = 0; i < elements.size() && way == Way::on; ++i) {
    way = assign(target, elements[i]);
    if (way == Way::on) way = iterate(loop.body, loop.label, i + 1);
  }
  return end_loop(way, !elements.empty());
}

Machine::Way Machine::run_one(const LeaveLoop& leave) {
  label_ = leave.label;
  return leave.next ? Way::again : Way::leave;
}

Machine::Way Machine::run_one(const Return& end) {
  has_returned_ = true;
  if (returns_set_ || end.values.empty()) return Way::finished;
  const Way way = return_row(end.values, true);
  return way == Way::on ? Way::finished : way;
}

Machine::Way Machine::run_one(const ReturnRow& next) { return return_row(next.values, false); }

bool Machine::gives_up(const Raise& raise) const {
  const program::DecidingChanges deciding = program::deciding_changes(functionality_);
  const auto known = deciding.find(&raise);
  if (known == deciding.end()) return false;
  return std::ranges::any_of(known->second, [&](const ProgramStatement* change) {
    const auto last = changed_.find(change);
    return last != changed_.end() && last->second == 0;
  });
}

Machine::Way Machine::run_one(const Raise& raise) {
  if (raise.condition.empty() && raise.message.empty()) {
    if (handled_.empty()) {
      return fail("0Z002", "RAISE without parameters cannot be used outside an exception handler");
    }
    error_ = handled_.back();
    is_refusal_ = false;
    return Way::failed;
  }
  std::vector<Value> values;
  for (const Expression& expression : raise.values) {
    auto value = value_of(expression);
    if (!value) return Way::failed;
    values.push_back(std::move(*value));
  }
  std::string sqlstate = "P0001";
  if (!raise.condition.empty()) {
    const std::vector<std::string> states = condition_states(raise.condition);
    if (states.empty()) {
      return fail("42704", fmt::format("unrecognized exception condition \"{}\"", raise.condition));
    }
    sqlstate = states.front();
  }
  auto message =
      raise.message.empty() ? std::optional(raise.condition) : filled_in(raise.message, values);
  if (!message) return fail("42601", "RAISE has too few or too many parameters");
  fail(std::move(sqlstate), std::move(*message));
  error_->exception = raise.exception;
  error_->gives_up = gives_up(raise);
  return Way::failed;
}

// A client goes on in the transaction as it is; what the client itself raises it knows about.
Machine::Way Machine::run_client_attempt(const Attempt& attempt) {
  const SourceLocation* const source = source_;
  const Way way = run_block(attempt.body);
  if (way != Way::failed || trouble_ || !is_refusal_) return way;
  source_ = source;
  return recover(attempt);
}

Machine::Way Machine::run_one(const Attempt& attempt) {
  if (attempt.by_client) return run_client_attempt(attempt);
  const SourceLocation* const source = source_;
  const std::string savepoint = fmt::format("heddle_{}", ++savepoints_);
  // Without a transaction each statement stands for itself, and there is nothing to go back to.
  const std::vector<std::size_t> saved = open_connections_in(attempt.body);
  if (cross_all(Boundary::savepoint, saved, savepoint) != Way::on) return Way::failed;
  ++attempts_;
  const Way way = run_block(attempt.body);
  --attempts_;
  if (trouble_) return way;
  source_ = source;
  if (way != Way::failed) {
    const Way released = cross_all(Boundary::release_savepoint, saved, savepoint);
    return released == Way::on ? way : released;
  }
  // Going back must not cover up the error.
  const RaisedError error = *std::exchange(error_, std::nullopt);
  for (auto& [name, cursor] : cursors_) {
    if (cursor.depth > attempts_) cursor.is_open = false;
  }
  for (const std::size_t connection : saved) {
    if (cross(Boundary::rollback_to_savepoint, connection, savepoint) != Way::on)
      return Way::failed;
    if (cross(Boundary::release_savepoint, connection, savepoint) != Way::on) return Way::failed;
  }
  error_ = error;
  return recover(attempt);
}

Machine::Way Machine::recover(const Attempt& attempt) {
  for (const Recovery& recovery : attempt.recoveries) {
    const bool handles = std::ranges::any_of(recovery.conditions, [&](const std::string& name) {
      return is_handled(name, error_->sqlstate);
    });
    if (!handles) continue;
    result_.trace.emplace_back(HandledError{.source = *source_, .sqlstate = error_->sqlstate});
    handled_.push_back(*std::exchange(error_, std::nullopt));
    Slot& state = variables_["sqlstate"];
    Slot& message = variables_["sqlerrm"];
    const Slot outer_state =
        std::exchange(state, {type_of(Base::text), text_value(handled_.back().sqlstate)});
    const Slot outer_message =
        std::exchange(message, {type_of(Base::text), text_value(handled_.back().message)});
    const Way way = run_block(recovery.body);
    state = outer_state;
    message = outer_message;
    handled_.pop_back();
    return way;
  }
  return Way::failed;
}

}  // namespace heddle::interpreter
