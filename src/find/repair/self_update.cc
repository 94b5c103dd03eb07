// A walk through the body keeps for each variable what is known of its value as an expression over
// columns that a read returned and over variables as they are now. Whatever is assigned, read
// again or written to the read's table is forgotten; what the arms of a branch disagree on, too.
#include "find/repair/self_update.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "find/forms/statement_form.h"
#include "find/repair/changes.h"
#include "find/repair/statement_edit.h"
#include "frontend/sql/words/lexer.h"
#include "program/simplify.h"
#include "program/visit.h"

namespace heddle::find {

namespace {

// A column of the row that a read returned, as a leaf of an expression: a field of `read N`.
constexpr std::string_view kRead = "read ";

Expression variable(std::string name) {
  return {.kind = ExpressionKind::variable, .text = std::move(name), .operands = {}};
}
Expression literal(std::string text) {
  return {.kind = ExpressionKind::literal, .text = std::move(text), .operands = {}};
}

std::optional<std::size_t> read_of(const Expression& leaf) {
  if (leaf.kind != ExpressionKind::field || !leaf.operands[0].text.starts_with(kRead)) return {};
  return static_cast<std::size_t>(std::stoul(leaf.operands[0].text.substr(kRead.size())));
}

// "b" or "row.balance"; empty: no place of a value.
std::string name_of(const Expression& target) {
  if (target.kind == ExpressionKind::variable) return target.text;
  const bool is_field =
      target.kind == ExpressionKind::field && target.operands[0].kind == ExpressionKind::variable;
  return is_field ? target.operands[0].text + "." + target.text : "";
}

bool any_leaf(const Expression& expression, const auto& holds) {
  if (holds(expression)) return true;
  return std::ranges::any_of(expression.operands,
                             [&](const Expression& operand) { return any_leaf(operand, holds); });
}

bool mentions_variable(const Expression& expression, const std::string& name) {
  return any_leaf(expression, [&](const Expression& leaf) {
    return leaf.kind == ExpressionKind::variable && leaf.text == name;
  });
}

// What the database computes as the client does.
bool is_arithmetic(const Expression& expression) {
  if (expression.kind == ExpressionKind::literal || expression.kind == ExpressionKind::variable ||
      expression.kind == ExpressionKind::field) {
    return true;
  }
  const bool is_known =
      expression.kind == ExpressionKind::call &&
      (expression.text == "+" || expression.text == "-" || expression.text == "*");
  return is_known && std::ranges::all_of(expression.operands, is_arithmetic);
}

std::size_t count_of(std::string_view token, std::string_view text) {
  const sql::Tokens tokens(text);
  std::size_t count = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) count += tokens.text(i) == token ? 1 : 0;
  return count;
}

// A read of one row by its primary key.
struct KeyedRead {
  std::string table;
  std::string predicate;  // with what is known in place of variables
  std::size_t loop = 0;   // the innermost around it
};

// One update, and how it is when it computes by itself.
struct Plan {
  std::size_t statement = 0;
  std::map<std::size_t, Expression> computed;  // by the number of the argument: over its columns
  std::set<std::size_t> reads;                 // that returned what it was computed from
};

bool is_record(const Functionality& functionality, const std::vector<Expression>& into) {
  return into.size() == 1 && into[0].kind == ExpressionKind::variable &&
         std::ranges::any_of(functionality.variables, [&](const Variable& each) {
           return each.name == into[0].text && each.type == "record";
         });
}

void visit_runs(Block& block, const auto& see) {
  for (Action& action : block) {
    if (auto* run = std::get_if<RunStatement>(&action.what)) see(*run);
    program::for_each_block(action, [&](Block& inner) { visit_runs(inner, see); });
  }
}

class SelfUpdateSearch {
 public:
  SelfUpdateSearch(const Functionality& functionality, const Schema& schema)
      : functionality_(functionality), schema_(schema) {
    const std::vector<ListedStatement> listed = list_statements(functionality);
    for (std::size_t i = 0; i < listed.size(); ++i) numbers_[listed[i].statement] = i;
  }

  std::vector<Plan> run() {
    walk(functionality_.body);
    return std::move(plans_);
  }

 private:
  using Values = std::map<std::string, Expression>;  // by name_of()

  void walk(const Block& block) {
    for (const Action& action : block) {
      std::visit([&](const auto& what) { see(what); }, action.what);
    }
  }

  void forget(const std::string& name) {
    std::erase_if(values_, [&](const auto& entry) {
      return entry.first == name || entry.first.starts_with(name + ".") ||
             mentions_variable(entry.second, name);
    });
  }

  void forget_targets(const Block& block) {
    for (Action action : block) {
      program::for_each_expression(
          action, [](Expression&) {},
          [&](Expression& target) {
            const std::string name = name_of(target);
            forget(name.substr(0, name.find('.')));
          });
      program::for_each_block(action, [&](Block& inner) { forget_targets(inner); });
    }
  }

  Expression known(const Expression& expression) const {
    const auto value = values_.find(name_of(expression));
    if (value != values_.end()) return value->second;
    Expression copy = expression;
    if (name_of(expression).empty()) {
      for (Expression& operand : copy.operands) operand = known(operand);
    }
    return copy;
  }

  std::string known_text(std::string_view text, const std::vector<Expression>& arguments) const {
    std::vector<Expression> values;
    for (const Expression& argument : arguments) values.push_back(known(argument));
    return named_text(text, values);
  }

  // Of statements that name at most one row: the table.
  std::optional<std::string> keyed_table(const ProgramStatement& statement) const {
    const StatementForm form = form_of(statement, schema_, true);
    if (form.sources.size() != 1 || form.sources[0].table == nullptr || form.is_aggregate ||
        statement.made_text || statement.is_part || !statement.statement.single_table_predicate) {
      return std::nullopt;
    }
    const std::vector<std::string>& key = form.sources[0].table->primary_key;
    const bool is_keyed = std::ranges::all_of(key, [&](const std::string& column) {
      return std::ranges::any_of(form.conjuncts, [&](const Expression& conjunct) {
        return conjunct.kind == ExpressionKind::call && conjunct.text == "=" &&
               std::ranges::any_of(conjunct.operands, [&](const Expression& side) {
                 return side.kind == ExpressionKind::field && side.text == column;
               });
      });
    });
    return is_keyed && !key.empty() ? std::optional(form.sources[0].name) : std::nullopt;
  }

  void run(const ProgramStatement& statement) {
    const std::size_t number = numbers_.at(&statement);
    if (statement.statement.kind == StatementKind::update) plan(statement, number);
    const StatementForm form = form_of(statement, schema_, true);
    for (const RowSource& source : form.sources) {
      if (source.is_written) forget_reads_of(source.name);
    }
    if (form.sources.empty()) reads_.clear();
  }

  void forget_reads_of(const std::string& table) {
    std::erase_if(reads_, [&](const auto& entry) { return entry.second.table == table; });
  }

  void plan(const ProgramStatement& statement, std::size_t number) {
    const std::optional<std::string> table = keyed_table(statement);
    if (!table) return;
    const std::string predicate = known_text(statement.statement.predicate, statement.arguments);
    Plan plan{.statement = number, .computed = {}, .reads = {}};
    for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
      const Expression value = known(statement.arguments[i]);
      std::set<std::size_t> own;
      const auto computed = over_columns(value, predicate, *table, own);
      if (own.empty()) continue;
      if (!computed || !is_arithmetic(*computed) || !is_written(statement.statement, i + 1)) {
        return;
      }
      plan.computed.emplace(i, *computed);
      plan.reads.insert(own.begin(), own.end());
    }
    if (!plan.computed.empty()) plans_.push_back(std::move(plan));
  }

  // Whether the placeholder is in one written value, and nowhere else.
  static bool is_written(const Statement& update, std::size_t number) {
    const std::string placeholder = fmt::format("${}", number);
    return count_of(placeholder, update.text) == 1 &&
           std::ranges::any_of(update.values, [&](const WrittenValue& value) {
             return count_of(placeholder, value.expression) == 1;
           });
  }

  // The value with the columns of the updated row itself in place of what a read of it returned,
  // and with variables in place of what other reads returned. None: nothing has that value now.
  std::optional<Expression> over_columns(const Expression& value, const std::string& predicate,
                                         const std::string& table,
                                         std::set<std::size_t>& own) const {
    if (const auto read = read_of(value)) {
      const auto keyed = reads_.find(*read);
      if (keyed != reads_.end() && keyed->second.table == table &&
          keyed->second.predicate == predicate && keyed->second.loop == loop_) {
        own.insert(*read);
        return Expression{.kind = ExpressionKind::field,
                          .text = value.text,
                          .operands = {variable(std::string(kRead))}};
      }
      for (const auto& [name, held] : values_) {
        if (held == value) return place_named(name);
      }
      return std::nullopt;
    }
    Expression copy = value;
    for (Expression& operand : copy.operands) {
      std::optional<Expression> part = over_columns(operand, predicate, table, own);
      if (!part) return std::nullopt;
      operand = std::move(*part);
    }
    return copy;
  }

  static Expression place_named(const std::string& name) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos) return variable(name);
    return {.kind = ExpressionKind::field,
            .text = name.substr(dot + 1),
            .operands = {variable(name.substr(0, dot))}};
  }

  void see(const RunStatement& what) {
    run(what.statement);
    std::vector<std::pair<std::string, Expression>> read;
    const Statement& statement = what.statement.statement;
    const auto table = keyed_table(what.statement);
    if (statement.kind == StatementKind::select && table && !what.into.empty()) {
      const std::size_t number = numbers_.at(&what.statement);
      reads_[number] = {.table = *table,
                        .predicate = known_text(statement.predicate, what.statement.arguments),
                        .loop = loop_};
      add_outputs(what, number, read);
    }
    for (const Expression& target : what.into) forget_place(target);
    for (auto& [place, value] : read) values_.insert_or_assign(place, std::move(value));
  }

  // What the places that the read fills have then.
  void add_outputs(const RunStatement& what, std::size_t number,
                   std::vector<std::pair<std::string, Expression>>& read) const {
    const std::vector<OutputColumn>& outputs = what.statement.statement.output;
    const bool fills_record = is_record(functionality_, what.into);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const OutputColumn& output = outputs[i];
      const bool is_plain = output.columns_read.size() == 1 &&
                            output.expression == output.columns_read[0] && !output.generated;
      if (!is_plain || (!fills_record && i >= what.into.size())) continue;
      read.emplace_back(
          fills_record ? what.into[0].text + "." + output.name : name_of(what.into[i]),
          Expression{.kind = ExpressionKind::field,
                     .text = output.columns_read[0],
                     .operands = {variable(fmt::format("{}{}", kRead, number))}});
    }
  }

  void forget_place(const Expression& target) {
    const std::string name = name_of(target);
    forget(name.substr(0, name.find('.')));
  }

  void see(const OpenRows& what) { run(what.statement); }
  void see(const FetchRow& what) {
    for (const Expression& target : what.into) forget_place(target);
  }
  void see(const CloseRows& /*what*/) {}
  void see(const Assign& what) {
    Expression value = known(what.value);
    forget_place(what.target);
    const bool is_simple = what.target.kind == ExpressionKind::variable;
    if (is_simple && !mentions_variable(value, what.target.text)) {
      values_.insert_or_assign(what.target.text, std::move(value));
    }
  }
  void see(const CountRows& what) { forget_place(what.target); }

  void see(const Branch& what) {
    const Values before = values_;
    const auto reads = reads_;
    walk(what.then);
    const Values then = std::exchange(values_, before);
    const auto reads_then = std::exchange(reads_, reads);
    walk(what.otherwise);
    std::erase_if(values_, [&](const auto& entry) {
      const auto other = then.find(entry.first);
      return other == then.end() || other->second != entry.second;
    });
    std::erase_if(reads_, [&](const auto& entry) { return !reads_then.contains(entry.first); });
  }

  // What the body assigns has any value at its beginning and behind it.
  void walk_loop(const Block& body) {
    const std::size_t outer = loop_;
    forget_targets(body);
    loop_ = ++loops_;
    walk(body);
    loop_ = outer;
    forget_targets(body);
    reads_.clear();
  }
  void see(const Loop& what) { walk_loop(what.body); }
  void see(const RowLoop& what) {
    run(what.statement);
    for (const Expression& target : what.into) forget_place(target);
    walk_loop(what.body);
  }
  void see(const CountLoop& what) {
    forget(what.variable);
    walk_loop(what.body);
  }
  void see(const ElementLoop& what) {
    forget(what.variable);
    walk_loop(what.body);
  }
  void see(const LeaveLoop& /*what*/) {}
  void see(const Return& /*what*/) {}
  void see(const ReturnRow& /*what*/) {}
  void see(const Raise& /*what*/) {}
  // The recoveries begin anywhere in the body.
  void see(const Attempt& what) {
    walk(what.body);
    values_.clear();
    reads_.clear();
    for (const Recovery& recovery : what.recoveries) {
      walk(recovery.body);
      values_.clear();
      reads_.clear();
    }
  }

  const Functionality& functionality_;
  const Schema& schema_;
  std::map<const ProgramStatement*, std::size_t> numbers_;
  Values values_;
  std::map<std::size_t, KeyedRead> reads_;
  std::size_t loop_ = 0;
  std::size_t loops_ = 0;
  std::vector<Plan> plans_;
};

// The columns of the row are named in the text, the client's values become arguments.
Expression with_arguments(Expression expression, std::vector<Expression>& arguments) {
  const bool is_column =
      expression.kind == ExpressionKind::field && expression.operands[0].text == kRead;
  if (is_column) return variable(expression.text);
  if (!name_of(expression).empty()) {
    auto known = std::ranges::find(arguments, expression);
    if (known == arguments.end()) known = arguments.insert(known, expression);
    return literal(fmt::format("${}", known - arguments.begin() + 1));
  }
  for (Expression& operand : expression.operands) {
    operand = with_arguments(std::move(operand), arguments);
  }
  return expression;
}

// The statement as it is when it computes by itself.
ProgramStatement planned(const ProgramStatement& statement, const Plan& plan,
                         const Schema& schema) {
  ProgramStatement changed = statement;
  std::vector<Expression> texts;
  for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
    texts.push_back(literal(fmt::format("${}", i + 1)));
  }
  for (const auto& [argument, computed] : plan.computed) {
    const Expression written = with_arguments(computed, changed.arguments);
    const std::string placeholder = fmt::format("${}", argument + 1);
    const bool is_whole =
        std::ranges::find(statement.statement.values, placeholder, &WrittenValue::expression) !=
        statement.statement.values.end();
    const bool stands_alone = is_whole || written.operands.empty();
    texts[argument] = stands_alone ? written : literal("(" + print_expression(written) + ")");
  }
  change_text(changed, named_text(statement.statement.text, texts), schema);
  // What the client computed has no place in the text any more.
  for (const auto& [argument, computed] : plan.computed) {
    const std::string placeholder = fmt::format("${}", argument + 1);
    if (count_of(placeholder, changed.statement.text) == 0) {
      changed.arguments[argument] = literal("null");
    }
  }
  return changed;
}

// Places whose values somebody uses: "b", "row.balance", and "row" where all of it is.
void add_used(const Expression& expression, std::set<std::string>& used) {
  const std::string name = name_of(expression);
  if (!name.empty()) used.insert(name);
  if (!name.empty()) return;
  for (const Expression& operand : expression.operands) add_used(operand, used);
}

void add_used(Block& block, std::set<std::string>& used) {
  for (Action& action : block) {
    program::for_each_expression(
        action, [&](Expression& expression) { add_used(expression, used); }, [](Expression&) {});
    program::for_each_block(action, [&](Block& inner) { add_used(inner, used); });
  }
}

// The read, whose row the client took, returns only what is used.
void drop_unused_outputs(RunStatement& read, const std::set<std::string>& used, bool is_record,
                         const Schema& schema) {
  const std::vector<OutputColumn>& outputs = read.statement.statement.output;
  const bool is_list = read.into.size() == outputs.size();
  if (read.returned || (!is_record && !is_list && !read.into.empty())) return;
  if (is_record && used.contains(read.into[0].text)) return;
  std::set<std::size_t> dropped;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    // Nobody takes the row any more.
    const std::string place = read.into.empty() ? ""
                              : is_record       ? read.into[0].text + "." + outputs[i].name
                                                : name_of(read.into[i]);
    if (!used.contains(place)) dropped.insert(i);
  }
  const std::string text = without_outputs(read.statement.statement, dropped);
  if (dropped.empty() || text.empty() || !change_text(read.statement, text, schema)) return;
  if (dropped.size() == outputs.size()) {
    read.into.clear();
  } else if (!is_record) {
    std::vector<Expression> into;
    for (std::size_t i = 0; i < read.into.size(); ++i) {
      if (!dropped.contains(i)) into.push_back(read.into[i]);
    }
    read.into = std::move(into);
  }
}

std::optional<Plan> plan_of(const Functionality& functionality, std::size_t statement,
                            const Schema& schema) {
  for (Plan& plan : SelfUpdateSearch(functionality, schema).run()) {
    if (plan.statement == statement) return std::move(plan);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::size_t> possible_self_updates(const Functionality& functionality,
                                               const Schema& schema) {
  std::vector<std::size_t> statements;
  const std::vector<ListedStatement> listed = list_statements(functionality);
  for (const Plan& plan : SelfUpdateSearch(functionality, schema).run()) {
    // A command of Redis has no other form.
    if (listed[plan.statement].statement->store.empty()) statements.push_back(plan.statement);
  }
  return statements;
}

std::string self_updated_text(const Functionality& functionality, std::size_t statement,
                              const Schema& schema) {
  const std::optional<Plan> plan = plan_of(functionality, statement, schema);
  if (!plan) return "";
  const ListedStatement listed = list_statements(functionality)[statement];
  const ProgramStatement changed = planned(*listed.statement, *plan, schema);
  return named_text(changed.statement.text, changed.arguments);
}

void make_self_update(Functionality& functionality, std::size_t statement, const Schema& schema) {
  const std::optional<Plan> plan = plan_of(functionality, statement, schema);
  if (!plan) return;
  ProgramStatement& update = *statements_in(functionality)[statement];
  update = planned(update, *plan, schema);
  program::simplify(functionality);
  std::set<std::string> used;
  add_used(functionality.body, used);
  const std::vector<ListedStatement> listed = list_statements(functionality);
  for (const std::size_t read : plan->reads) {
    visit_runs(functionality.body, [&](RunStatement& run) {
      if (&run.statement != listed[read].statement) return;
      drop_unused_outputs(run, used, is_record(functionality, run.into), schema);
    });
  }
}

}  // namespace heddle::find
