// try, catch, finally and throw. What the code itself throws goes on in the `catch` that takes it,
// in place. An error of the store is an Attempt by a client: nothing is undone, and what becomes of
// the transaction is up to the `catch`.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

bool has_statement(const Block& block);

struct StatementFinder {
  bool operator()(const RunStatement& /*run*/) const { return true; }
  bool operator()(const OpenRows& /*open*/) const { return true; }
  bool operator()(const FetchRow& /*fetch*/) const { return true; }
  bool operator()(const Branch& branch) const {
    return has_statement(branch.then) || has_statement(branch.otherwise);
  }
  bool operator()(const Loop& loop) const { return has_statement(loop.body); }
  bool operator()(const CountLoop& loop) const { return has_statement(loop.body); }
  bool operator()(const ElementLoop& loop) const { return has_statement(loop.body); }
  bool operator()(const RowLoop& /*loop*/) const { return true; }
  bool operator()(const Attempt& attempt) const { return has_statement(attempt.body); }
  template <class Other>
  bool operator()(const Other& /*other*/) const {
    return false;
  }
};

bool has_statement(const Block& block) {
  return std::ranges::any_of(
      block, [](const Action& action) { return std::visit(StatementFinder(), action.what); });
}

// A recovery that says what happens without it: the transaction is undone, the same error goes on.
bool is_idle(const Block& recovery) {
  for (const Action& action : recovery) {
    if (std::holds_alternative<Assign>(action.what) ||
        std::holds_alternative<CloseRows>(action.what)) {
      continue;
    }
    if (const auto* raise = std::get_if<Raise>(&action.what)) {
      return raise->condition.empty() && raise->message.empty();
    }
    const auto* run = std::get_if<RunStatement>(&action.what);
    if (run == nullptr || run->statement.statement.kind != StatementKind::rollback) return false;
  }
  return false;
}

bool is_sql_exception(std::string_view type) {
  return (type.starts_with("SQL") && type.ends_with("Exception")) || type == "PSQLException" ||
         type == "BatchUpdateException" || type == "DataAccessException";
}

bool takes_everything(std::string_view type) { return type == "Exception" || type == "Throwable"; }

struct ConditionName {
  std::string_view exception;
  std::string_view condition;
};

constexpr std::array kConditions = {
    ConditionName{"SQLIntegrityConstraintViolationException", "integrity_constraint_violation"},
    ConditionName{"SQLTransactionRollbackException", "transaction_rollback"},
    ConditionName{"SQLSyntaxErrorException", "syntax_error_or_access_rule_violation"},
    ConditionName{"SQLDataException", "data_exception"},
    ConditionName{"SQLTimeoutException", "query_canceled"},
};

}  // namespace

std::vector<std::string> FunctionalityReader::caught_types(const Node& clause) const {
  std::vector<std::string> types;
  for (const Node& part : clause.child("catch_formal_parameter").children()) {
    if (!part.is("catch_type")) continue;
    for (const Node& type : part.children()) types.push_back(simple_type(type.text()));
  }
  return types;
}

bool FunctionalityReader::catches(const std::vector<std::string>& caught,
                                  std::string_view type) const {
  return std::ranges::any_of(caught, [&](const std::string& each) {
    if (takes_everything(each) || each == type) return true;
    if (is_sql_exception(type)) return each == "SQLException" || each == "DataAccessException";
    if (classes_.extends(type, each, frame().owner)) return true;
    const bool is_checked = type == "IOException" || type == "InterruptedException";
    return each == "RuntimeException" && classes_.find(type, frame().owner) == nullptr &&
           !is_checked;
  });
}

void FunctionalityReader::read_try(const Node& statement, Block& out) {
  enter_scope();
  const Node last = statement.child("finally_clause");
  if (last.is_present()) finally_.push_back({last, frames_.size()});
  if (statement.child("catch_clause").is_present()) {
    read_attempt(statement, out);
  } else {
    read_resources(statement, out);
    if (!state_.is_dead) read_block(statement.field("body"), out);
  }
  if (last.is_present()) {
    finally_.pop_back();
    if (!state_.is_dead) read_finally(last, out);
  }
  leave_scope();
}

void FunctionalityReader::read_resources(const Node& statement, Block& out) {
  for (const Node& resource : statement.field("resources").children()) {
    if (!resource.is("resource")) continue;
    const Node value = resource.field("value");
    const std::string name(resource.field_text("name"));
    if (!value.is_present() || name.empty()) continue;
    declare(name, read(value, out));
  }
}

// Runs for all that come here, also those who are on their way out.
void FunctionalityReader::read_finally(const Node& clause, Block& out) {
  std::map<std::string, Value> left;
  for (const std::string& label : labels_) {
    left[label] = state_.locals.get(label);
    state_.locals.set(label, scalar(literal("false"), "boolean"));
  }
  read_block(clause.child("block"), out);
  if (state_.is_dead) return;
  for (auto& [label, value] : left) {
    const Expression now = to_expression(state_.locals.get(label));
    state_.locals.set(label, scalar(disjunction(to_expression(value), now), "boolean"));
  }
}

// Those between here and what is left.
void FunctionalityReader::run_finally_blocks(std::size_t down_to, Block& out) {
  const std::vector<FinallyPlace> all = finally_;
  while (finally_.size() > down_to && !state_.is_dead) {
    const FinallyPlace place = finally_.back();
    finally_.pop_back();
    const std::vector<Frame> inner(frames_.begin() + static_cast<std::ptrdiff_t>(place.frame),
                                   frames_.end());
    frames_.resize(place.frame);
    read_block(place.clause.child("block"), out);
    frames_.insert(frames_.end(), inner.begin(), inner.end());
  }
  finally_ = all;
}

void FunctionalityReader::read_attempt(const Node& statement, Block& out) {
  TryPlace place;
  place.left = new_slot("$left");
  place.thrown = new_slot("$thrown");
  place.loops = loops_.size();
  for (const Node& clause : statement.children()) {
    if (!clause.is("catch_clause")) continue;
    for (std::string& type : caught_types(clause)) place.caught.push_back(std::move(type));
  }
  begin_part(place.left);
  state_.locals.set(place.thrown, null_value());
  const State entry = state_;
  Attempt attempt;
  tries_.push_back(place);
  read_resources(statement, attempt.body);
  if (!state_.is_dead) read_block(statement.field("body"), attempt.body);
  tries_.pop_back();
  read_recovery(statement, entry, std::move(attempt), out);
  const Expression is_thrown = left_condition(place.left);
  const Value thrown = state_.locals.take(place.thrown);
  end_part();
  if (state_.is_dead || is_false(is_thrown)) return;
  branch(
      statement, is_thrown, out,
      [&](Block& block) {
        for (const Node& clause : statement.children()) {
          if (!clause.is("catch_clause") || !catches(caught_types(clause), thrown_type(thrown))) {
            continue;
          }
          return read_catch_body(clause, thrown, block);
        }
      },
      [](Block&) {});
}

std::string FunctionalityReader::thrown_type(const Value& thrown) {
  if (thrown.kind != ValueKind::choice) return simple_type(thrown.type);
  const std::string type = thrown_type(thrown.choice->then);
  return type.empty() ? thrown_type(thrown.choice->otherwise) : type;
}

// What the `catch` for errors of the store does.
void FunctionalityReader::read_recovery(const Node& statement, const State& entry, Attempt attempt,
                                        Block& out) {
  const auto splice = [&] {
    for (Action& action : attempt.body) out.push_back(std::move(action));
  };
  if (!has_statement(attempt.body)) return splice();
  State after_body = state_;
  const Node left_body = state_.is_dead ? statement.field("body") : Node();
  for (const Node& clause : statement.children()) {
    if (!clause.is("catch_clause")) continue;
    const std::vector<std::string> types = caught_types(clause);
    const bool takes = std::ranges::any_of(types, [](const std::string& type) {
      return is_sql_exception(type) || takes_everything(type);
    });
    if (!takes) continue;
    Recovery recovery;
    recovery.conditions = conditions_of(types, clause);
    if (recovery.conditions.empty()) continue;
    enter_recovery(clause, left_body, entry, after_body, recovery.body);
    const Value error = store_error(clause, recovery.body);
    store_errors_.push_back(error.object);
    read_catch_body(clause, error, recovery.body);
    store_errors_.pop_back();
    if (state_.is_dead && is_idle(recovery.body)) continue;
    meet_after_attempt(statement, std::move(after_body), attempt.body, recovery.body);
    after_body = state_;
    const bool is_general = recovery.conditions.front() == "others";
    attempt.recoveries.push_back(std::move(recovery));
    if (is_general) break;
  }
  state_ = std::move(after_body);
  if (attempt.recoveries.empty()) return splice();
  attempt.by_client = true;
  add(out, statement, std::move(attempt));
}

// What is known where a `catch` begins: what the body did before it failed is not. Of a body that
// nothing comes out of, only its text tells.
void FunctionalityReader::enter_recovery(const Node& clause, const Node& left_body,
                                         const State& entry, const State& after_body, Block& out) {
  state_ = entry;
  for (const auto& [slot, value] : entry.locals.all()) {
    if (slot.starts_with('$')) continue;
    const Value* now = after_body.locals.find(slot);
    const bool is_changed = now != nullptr && !(*now == value);
    if (!is_changed && !is_assigned(left_body, slot.substr(0, slot.find('#')))) continue;
    state_.locals.set(slot, now == nullptr ? Value() : kept_in_recovery(*now, after_body));
  }
  undo_failed_statement(after_body, clause, out);
}

// A savepoint that the body sets has its name, and a connection that it opens is that one.
Value FunctionalityReader::kept_in_recovery(const Value& value, const State& after_body) {
  if (value.kind == ValueKind::choice) {
    const Value then = kept_in_recovery(value.choice->then, after_body);
    return then.kind == ValueKind::object ? then
                                          : kept_in_recovery(value.choice->otherwise, after_body);
  }
  if (value.kind != ValueKind::object) return {};
  const Object& object = after_body.heap.at(value.object);
  if (object.kind == ObjectKind::savepoint) {
    return object_value(state_.heap.add(object), value.type);
  }
  if (object.kind == ObjectKind::connection) {
    state_.heap.put(value.object, object);
    return value;
  }
  return {};
}

// The error as it is now: another may be at hand where it is used.
Value FunctionalityReader::store_error(const Node& clause, Block& out) {
  const auto text = [&](const std::string& hint, const std::string& source) {
    const Expression variable{
        .kind = ExpressionKind::variable, .text = new_variable(hint, "text"), .operands = {}};
    add(out, clause,
        Assign{.target = variable,
               .value = {.kind = ExpressionKind::variable, .text = source, .operands = {}}});
    return string_value(
        {Piece{.words = "", .value = variable, .is_string = true, .choice = nullptr}});
  };
  Object error;
  error.kind = ObjectKind::exception;
  error.type = "SQLException";
  error.is_store_error = true;
  error.fields["$state"] = text("state", "sqlstate");
  error.text = text("message", "sqlerrm").text;
  return object_value(state_.heap.add(std::move(error)), "SQLException");
}

// `state_` is the recovery's; afterwards that of what comes behind both.
void FunctionalityReader::meet_after_attempt(const Node& node, State after_body, Block& body,
                                             Block& recovery) {
  if (state_.is_dead || after_body.is_dead) {
    if (state_.is_dead) state_ = std::move(after_body);
    return;
  }
  std::optional<Expression> failed;
  MergeServices services;
  services.condition = [&] {
    if (!failed) {
      failed = Expression{.kind = ExpressionKind::variable,
                          .text = new_variable("failed", "boolean"),
                          .operands = {}};
      add(recovery, node, Assign{.target = *failed, .value = literal("true")});
      add(body, node, Assign{.target = *failed, .value = literal("false")});
    }
    return *failed;
  };
  services.new_variable = [&](const std::string& hint, const std::string& type) {
    return Expression{.kind = ExpressionKind::variable,
                      .text = new_variable(hint, variable_type(type)),
                      .operands = {}};
  };
  services.assign = [&](const Expression& variable, const Expression& value, bool in_recovery) {
    add(in_recovery ? recovery : body, node, Assign{.target = variable, .value = value});
  };
  const State after_recovery = state_;
  state_ = merge_states(after_recovery, after_body, services);
}

// Empty: the store's driver throws none of them.
std::vector<std::string> FunctionalityReader::conditions_of(const std::vector<std::string>& types,
                                                            const Node& clause) {
  std::vector<std::string> conditions;
  for (const std::string& type : types) {
    const auto* const known = std::ranges::find(kConditions, type, &ConditionName::exception);
    if (known != kConditions.end()) {
      if (asks_postgres()) {
        note(clause, "PostgreSQL's driver throws no " + type,
             "this catch takes no error of the store; compare getSQLState()");
        continue;
      }
      conditions.emplace_back(known->condition);
    } else if (is_sql_exception(type) || takes_everything(type)) {
      return {"others"};
    }
  }
  return conditions;
}

void FunctionalityReader::read_catch_body(const Node& clause, const Value& exception, Block& out) {
  enter_scope();
  const std::string name(clause.child("catch_formal_parameter").field_text("name"));
  declare(name, exception);
  read_block(clause.field("body"), out);
  leave_scope();
}

void FunctionalityReader::read_throw(const Node& statement, Block& out) {
  const Value exception = read(statement.first_child(), out);
  if (!state_.is_dead && !trouble_) raise(statement, exception, out);
}

void FunctionalityReader::raise(const Node& node, const Value& exception, Block& out) {
  const std::string type = simple_type(exception.type);
  for (std::size_t i = tries_.size(); i-- > 0;) {
    const TryPlace place = tries_[i];
    if (!catches(place.caught, type)) continue;
    state_.locals.set(place.left, scalar(literal("true"), "boolean"));
    state_.locals.set(place.thrown, exception);
    return leave_loops(place.loops, node, out);
  }
  run_finally_blocks(0, out);
  if (state_.is_dead) return;
  add(out, node, raise_of(exception));
  state_.is_dead = true;
}

}  // namespace heddle::java
