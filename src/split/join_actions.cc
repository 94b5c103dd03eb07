// The parts of a join become nested reads: a part with one row is read and asked whether it was
// found, any other is gone through row by row, and what the statement was for happens innermost.
#include "split/join_actions.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.h"
#include "split/actions.h"
#include "split/aggregates.h"

namespace heddle::chopping {

namespace {

// Makes the actions of one statement.
class Follower {
 public:
  Follower(Functionality& functionality, const Schema& schema, FreshNames& names, bool uses_found,
           SourceLocation source)
      : functionality_(functionality),
        schema_(schema),
        names_(names),
        uses_found_(uses_found),
        source_(std::move(source)) {}

  enum class Use : std::uint8_t { at_once, row_by_row, later };

  // What an action with a statement becomes; `make` adds its actions.
  template <class Make>
  FollowedJoin follow(const ProgramStatement& statement, const TableServices& services, Make make,
                      Use use = Use::at_once) {
    const std::size_t declared = functionality_.variables.size();
    FollowedJoin followed;
    JoinReading reading = read_join(statement, schema_, services, names_);
    followed.reason = reading.reason;
    if (reading.query) {
      query_ = std::move(*reading.query);
      followed.reason = plan(statement, use);
    }
    if (followed.reason.empty()) {
      for (RunStatement& run : query_.before) actions_.push_back(running(std::move(run)));
      make();
    } else {
      functionality_.variables.resize(declared);
    }
    followed.actions = std::move(actions_);
    followed.statements = std::move(statements_);
    return followed;
  }

  bool is_whole() const { return query_.whole.has_value(); }
  const ProgramStatement& whole() {
    statements_.push_back(*query_.whole);
    return *query_.whole;
  }
  void add(Action::What what) { actions_.push_back(action(std::move(what))); }

  void run(const RunStatement& run, Action* counter) {
    if (query_.is_aggregate) {
      add_up(run);
    } else if (query_.kind != StatementKind::select) {
      change(run, counter);
    } else if (run.returned) {
      if (!plan_.has_loops) query_.limit.reset();
      count_rounds();
      nest({given_back()}, 0, false);
      finish_rounds();
      if (!gives_rows()) actions_.push_back(nothing_given_back());
    } else {
      take_row(run);
    }
  }

  void loop(RowLoop& rows) {
    const auto loops = std::ranges::count_if(plan_.parts, [&](const JoinPart& part) {
      return !part.is_pinned || &part == &plan_.parts.front();
    });
    outer_label_ = rows.label;
    if (loops > 1) {
      if (outer_label_.empty()) outer_label_ = names_.choose("joined");
      inner_label_ = names_.choose("joined_row");
      name_left_loops(rows.body, rows.label, {.outer = outer_label_, .inner = inner_label_});
    }
    count_rounds();
    Block inner = take_values(rows.into);
    for (Action& one : rows.body) inner.push_back(std::move(one));
    nest(std::move(inner), 0, true);
    finish_rounds();
  }

 private:
  std::string plan(const ProgramStatement& statement, Use use) {
    if (query_.whole) return "";
    if (use == Use::later) return "its rows are fetched later";
    if (use == Use::row_by_row && query_.is_aggregate) return "its one row is gone through";
    if (use != Use::row_by_row && has_limit_of_client()) return std::string(kNoPlainLimit);
    std::string reason = declare_aggregates(query_, schema_, names_);
    if (!reason.empty()) return reason;
    JoinPlanning planning = plan_join(query_, statement, schema_, names_);
    if (!planning.plan) return planning.reason;
    plan_ = std::move(*planning.plan);
    if (query_.kind == StatementKind::select) {
      like_ = statement;
      if (!row_statement(query_, plan_, statement, schema_, true)) return "its row has no text";
    }
    return "";
  }

  Action action(Action::What what) const { return {.source = source_, .what = std::move(what)}; }
  Action assign(Expression target, Expression value) const {
    return action(Assign{.target = std::move(target), .value = std::move(value)});
  }
  Action running(RunStatement run) {
    statements_.push_back(run.statement);
    return action(std::move(run));
  }
  Action branch(Expression condition, Block then, Block otherwise = {}) const {
    return action(Branch{.condition = std::move(condition),
                         .then = std::move(then),
                         .otherwise = std::move(otherwise)});
  }
  std::vector<Expression> outputs() const {
    std::vector<Expression> values;
    for (const Expression& one : query_.outputs) values.push_back(in_client(one, query_, plan_));
    return values;
  }

  // A function in SQL that gives one value gives that of the first row, or null.
  bool gives_rows() const {
    const std::string returns = to_lower(functionality_.returns.value_or(""));
    return returns.starts_with("setof ") || returns.starts_with("table");
  }
  Action given_back() const {
    if (gives_rows()) return action(ReturnRow{.values = outputs()});
    return action(Return{.values = outputs()});
  }
  Action nothing_given_back() const {
    return action(Return{.values = std::vector<Expression>(
                             std::max<std::size_t>(query_.outputs.size(), 1), literal("null"))});
  }

  // Everything from that part on, with `inner` for each joined row. Statements are noted from the
  // outermost on; those of `inner` have to be noted by now only if they are none.
  Block nested(Block inner, std::size_t number, bool loops_first) {
    if (number == plan_.parts.size()) {
      for (ProgramStatement& one : inner_statements_) statements_.push_back(std::move(one));
      inner_statements_.clear();
      return inner;
    }
    const JoinPart& part = plan_.parts[number];
    std::vector<Expression> into;
    if (part.row.kind == ExpressionKind::variable) into.push_back(part.row);
    statements_.push_back(part.statement);
    const bool is_loop = !part.is_pinned || (loops_first && number == 0);
    const bool is_last_loop = is_loop && is_last(number);
    Block rest = nested(std::move(inner), number + 1, loops_first);
    for (const Expression& filter : part.filters) {
      Block filtered;
      filtered.push_back(branch(in_client(filter, query_, plan_), std::move(rest)));
      rest = std::move(filtered);
    }
    Block made;
    if (is_loop) {
      std::string label = is_last_loop ? inner_label_ : "";
      if (is_first_loop(number, loops_first)) label = outer_label_;
      made.push_back(action(RowLoop{.into = std::move(into),
                                    .statement = part.statement,
                                    .body = std::move(rest),
                                    .label = std::move(label)}));
      return made;
    }
    made.push_back(action(RunStatement{
        .statement = part.statement, .into = std::move(into), .strict = false, .returned = false}));
    if (part.is_optional) {
      for (Action& one : rest) made.push_back(std::move(one));
    } else if (!rest.empty()) {
      made.push_back(branch(variable("found"), std::move(rest)));
    }
    return made;
  }

  bool is_last(std::size_t number) const {
    for (std::size_t i = number + 1; i < plan_.parts.size(); ++i) {
      if (!plan_.parts[i].is_pinned) return false;
    }
    return true;
  }
  bool is_first_loop(std::size_t number, bool loops_first) const {
    if (loops_first) return number == 0;
    for (std::size_t i = 0; i < number; ++i) {
      if (!plan_.parts[i].is_pinned) return false;
    }
    return true;
  }

  void nest(Block inner, std::size_t number, bool loops_first) {
    Block all = limit_check_;
    for (Action& one : inner) all.push_back(std::move(one));
    for (Action& one : nested(std::move(all), number, loops_first)) {
      actions_.push_back(std::move(one));
    }
  }

  // LIMIT, and whether there was a row.
  void count_rounds() {
    if (!uses_found_ && !query_.limit) return;
    if (!query_.limit) {
      matched_ = names_.variable("is_joined", "boolean");
      actions_.push_back(assign(*matched_, literal("false")));
      limit_check_.push_back(assign(*matched_, literal("true")));
      return;
    }
    rounds_ = names_.variable("rows_joined", "bigint");
    actions_.push_back(assign(*rounds_, literal("0")));
    if (outer_label_.empty()) outer_label_ = names_.choose("joined");
    Block leave;
    leave.push_back(action(LeaveLoop{.next = false, .label = outer_label_}));
    limit_check_.push_back(branch(call(">=", {*rounds_, most_rounds()}), std::move(leave)));
    limit_check_.push_back(assign(*rounds_, call("+", {*rounds_, literal("1")})));
  }

  bool has_limit_of_client() const { return query_.limit && query_.limit->starts_with('$'); }

  // A value of the client is what it is before the first row; null: all rows.
  Expression most_rounds() {
    if (!has_limit_of_client()) return literal(*query_.limit);
    const Expression most = names_.variable("most_joined", "bigint");
    actions_.push_back(assign(most, in_client(variable(*query_.limit), query_, plan_)));
    actions_.push_back(
        branch(call("<", {most, literal("0")}),
               raise("invalid_row_count_in_limit_clause", "LIMIT must not be negative")));
    return most;
  }

  void finish_rounds() {
    if (!uses_found_) return;
    Expression has_any = matched_ ? *matched_ : call(">", {*rounds_, literal("0")});
    actions_.push_back(assign(variable("found"), std::move(has_any)));
  }
  bool is_row(const std::vector<Expression>& into) const {
    if (into.size() != 1 || into[0].kind != ExpressionKind::variable) return false;
    for (const Variable& one : functionality_.variables) {
      if (one.name != into[0].text) continue;
      return one.type == "record" || find_table(schema_, one.type, schema_.dialect) != nullptr;
    }
    return false;
  }

  // Whether a target is used for a value behind it.
  bool is_entangled(const std::vector<Expression>& into) const {
    const std::vector<Expression> values = outputs();
    for (std::size_t i = 0; i < into.size(); ++i) {
      std::string name = into[i].text;
      const Expression* root = &into[i];
      while (!root->operands.empty()) root = &root->operands[0];
      name = root->text;
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        if (mentions(values[j], name)) return true;
      }
    }
    return false;
  }

  // The values of a joined row for the variables; statements go to inner_statements_.
  Block take_values(const std::vector<Expression>& into, bool has_row = true) {
    Block block;
    if (into.empty()) return block;
    if (is_row(into) || (has_row && is_entangled(into))) {
      RunStatement run{.statement = *row_statement(query_, plan_, like_, schema_, has_row),
                       .into = into,
                       .strict = false,
                       .returned = false};
      inner_statements_.push_back(run.statement);
      block.push_back(action(std::move(run)));
      if (!has_row) block.push_back(assign(variable("found"), literal("false")));
      return block;
    }
    const std::vector<Expression> values = outputs();
    for (std::size_t i = 0; i < into.size(); ++i) {
      block.push_back(assign(into[i], has_row && i < values.size() ? values[i] : literal("null")));
    }
    return block;
  }

  Block raise(std::string condition, std::string message) const {
    Block block;
    block.push_back(action(
        Raise{.condition = std::move(condition), .message = std::move(message), .values = {}}));
    return block;
  }
  Block without_row(const RunStatement& run) {
    if (run.strict) return raise("no_data_found", "query returned no rows");
    return take_values(run.into, false);
  }

  // Every part has one row, and tells by itself whether it is there.
  bool is_chain() const {
    return std::ranges::all_of(plan_.parts, [](const JoinPart& part) {
      return part.is_pinned && !part.is_optional && part.filters.empty();
    });
  }

  // `SELECT 1; IF found THEN SELECT 2; END IF; IF found THEN last; ELSE otherwise; END IF`
  void chain(Block last, Block otherwise) {
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      const JoinPart& part = plan_.parts[i];
      std::vector<Expression> into;
      if (part.row.kind == ExpressionKind::variable) into.push_back(part.row);
      Action read = action(RunStatement{.statement = part.statement,
                                        .into = std::move(into),
                                        .strict = false,
                                        .returned = false});
      if (i == 0) {
        actions_.push_back(std::move(read));
        continue;
      }
      Block then;
      then.push_back(std::move(read));
      actions_.push_back(branch(variable("found"), std::move(then)));
    }
    if (last.empty() && otherwise.empty()) return;
    actions_.push_back(branch(variable("found"), std::move(last), std::move(otherwise)));
  }
  void note_parts() {
    for (const JoinPart& part : plan_.parts) statements_.push_back(part.statement);
  }
  void note_inner() {
    for (ProgramStatement& one : inner_statements_) statements_.push_back(std::move(one));
    inner_statements_.clear();
  }

  // SELECT ... INTO: the first joined row.
  void take_row(const RunStatement& run) {
    if (is_chain()) {
      note_parts();
      Block last = take_values(run.into);
      Block otherwise = run.into.empty() ? Block{} : without_row(run);
      note_inner();
      chain(std::move(last), std::move(otherwise));
      return;
    }
    matched_ = names_.variable("is_joined", "boolean");
    actions_.push_back(assign(*matched_, literal("false")));
    Block inner;
    const bool is_only = run.strict && query_.limit != "1";
    if (is_only) {
      inner.push_back(
          branch(*matched_, raise("too_many_rows", "query returned more than one row")));
    }
    for (Action& one : take_values(run.into)) inner.push_back(std::move(one));
    inner.push_back(assign(*matched_, literal("true")));
    if (plan_.has_loops && !is_only && !run.into.empty()) {
      outer_label_ = names_.choose("joined");
      inner.push_back(action(LeaveLoop{.next = false, .label = outer_label_}));
    }
    nest(std::move(inner), 0, false);
    if (!run.into.empty()) {
      Block otherwise = without_row(run);
      note_inner();
      actions_.push_back(branch(call("not", {*matched_}), std::move(otherwise)));
    }
    if (uses_found_) actions_.push_back(assign(variable("found"), *matched_));
  }

  // count(*), sum(x): the caller adds up.
  void add_up(const RunStatement& run) {
    AggregateActions made = aggregate_actions(query_, plan_, schema_, names_);
    for (Assign& one : made.before) actions_.push_back(action(std::move(one)));
    Block inner;
    for (Action& one : made.each) inner.push_back(std::move(one));
    place(inner, source_);
    nest(std::move(inner), 0, false);
    for (Assign& one : made.after) actions_.push_back(action(std::move(one)));
    if (plan_.write) {
      actions_.push_back(running({.statement = *plan_.write,
                                  .into = run.into,
                                  .strict = run.strict,
                                  .returned = run.returned}));
      return;
    }
    if (run.returned) {
      actions_.push_back(given_back());
    } else {
      for (Action& one : take_values(run.into)) actions_.push_back(std::move(one));
      note_inner();
    }
    if (uses_found_) actions_.push_back(assign(variable("found"), literal("true")));
  }
  void change(const RunStatement& run, Action* counter) {
    RunStatement write{.statement = *plan_.write,
                       .into = run.into,
                       .strict = run.strict,
                       .returned = run.returned};
    inner_statements_.push_back(write.statement);
    Block inner;
    if (!plan_.has_loops) {
      note_parts();
      note_inner();
      inner.push_back(action(std::move(write)));
      Block otherwise;
      if (!run.into.empty()) {
        for (const Expression& target : run.into) {
          otherwise.push_back(assign(target, literal("null")));
        }
      }
      if (run.returned && !gives_rows()) otherwise.push_back(nothing_given_back());
      chain(std::move(inner), std::move(otherwise));
      return;
    }
    const bool counts = counter != nullptr || uses_found_;
    inner.push_back(action(std::move(write)));
    Expression total;
    if (counts) {
      total = names_.variable("rows_changed", "bigint");
      const Expression changed = names_.variable("changed", "bigint");
      actions_.push_back(assign(total, literal("0")));
      inner.push_back(action(CountRows{.target = changed}));
      inner.push_back(assign(total, call("+", {total, changed})));
    }
    const bool used_found = std::exchange(uses_found_, false);
    count_rounds();
    nest(std::move(inner), 0, false);
    uses_found_ = used_found;
    if (counter != nullptr) {
      const Expression target = std::get<CountRows>(counter->what).target;
      counter->what = Assign{.target = target, .value = total};
    }
    if (uses_found_) {
      actions_.push_back(assign(variable("found"), call(">", {total, literal("0")})));
    }
  }

  Functionality& functionality_;
  const Schema& schema_;
  FreshNames& names_;
  bool uses_found_;
  SourceLocation source_;
  JoinQuery query_;
  JoinPlan plan_;
  ProgramStatement like_;
  Block actions_;
  std::vector<ProgramStatement> statements_;
  std::vector<ProgramStatement> inner_statements_;
  Block limit_check_;
  std::string outer_label_;
  std::string inner_label_;
  std::optional<Expression> matched_;
  std::optional<Expression> rounds_;
};

}  // namespace

JoinFollower::JoinFollower(Functionality& functionality, const Schema& schema,
                           const TableServices& services)
    : functionality_(functionality),
      schema_(schema),
      services_(services),
      names_(functionality, schema) {
  for (Action& action : functionality.body) {
    uses_found_ = uses_found_ || uses_variable(action, "found");
  }
}

FollowedJoin JoinFollower::follow(const RunStatement& run, const SourceLocation& source,
                                  const WhatFollows& what) {
  if (what.counter != nullptr && run.statement.statement.kind == StatementKind::select) {
    return {.actions = {}, .statements = {}, .reason = "its rows are counted"};
  }
  Follower follower(functionality_, schema_, names_, uses_found_ && what.may_ask, source);
  return follower.follow(run.statement, services_, [&] {
    if (!follower.is_whole()) return follower.run(run, what.counter);
    RunStatement whole = run;
    whole.statement = follower.whole();
    follower.add(std::move(whole));
  });
}

FollowedJoin JoinFollower::follow(RowLoop& rows, const SourceLocation& source, bool may_ask) {
  Follower follower(functionality_, schema_, names_, uses_found_ && may_ask, source);
  return follower.follow(
      rows.statement, services_,
      [&] {
        if (!follower.is_whole()) return follower.loop(rows);
        follower.add(RowLoop{.into = rows.into,
                             .statement = follower.whole(),
                             .body = std::move(rows.body),
                             .label = rows.label});
      },
      Follower::Use::row_by_row);
}

FollowedJoin JoinFollower::follow(const OpenRows& open, const SourceLocation& source) {
  Follower follower(functionality_, schema_, names_, false, source);
  return follower.follow(
      open.statement, services_,
      [&] {
        OpenRows whole = open;
        whole.statement = follower.whole();
        follower.add(std::move(whole));
      },
      Follower::Use::later);
}

}  // namespace heddle::chopping
