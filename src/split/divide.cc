#include "split/divide.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "find/forms/statement_form.h"
#include "program/resolve.h"
#include "program/text.h"
#include "program/visit.h"
#include "split/actions.h"
#include "split/fresh_names.h"
#include "split/join_actions.h"

namespace heddle::chopping {

namespace {

// Columns by their names alone, the client's values as placeholders.
Expression in_text(const Expression& expression) {
  if (find::source_of(expression)) {
    return {.kind = ExpressionKind::variable, .text = expression.text, .operands = {}};
  }
  Expression copy = expression;
  if (expression.kind == ExpressionKind::variable && expression.text.starts_with('$')) {
    copy.kind = ExpressionKind::literal;
  }
  for (Expression& operand : copy.operands) operand = in_text(operand);
  return copy;
}

class Divider {
 public:
  Divider(Functionality& functionality, const Schema& schema, const TableServices& services,
          std::vector<Diagnostic>& notes, const ReferenceChecks* checks)
      : functionality_(functionality),
        schema_(schema),
        services_(services),
        notes_(notes),
        checks_(checks),
        follower_(functionality, schema, services),
        names_(functionality, schema) {
    const std::vector<ListedStatement> listed = list_statements(functionality);
    for (std::size_t i = 0; i < listed.size(); ++i) numbers_[listed[i].statement] = i;
  }

  std::map<std::size_t, std::size_t> run() {
    divide(functionality_.body);
    return std::move(parts_);
  }

 private:
  bool is_divided(const ProgramStatement& statement) const {
    return services_.of(statement.statement).size() > 1 && !statement.statement.tables.empty();
  }

  void divide(Block& block) {
    Block divided;
    for (std::size_t i = 0; i < block.size(); ++i) {
      Action& action = block[i];
      program::for_each_block(action, [&](Block& inner) { divide(inner); });
      if (auto* run = std::get_if<RunStatement>(&action.what);
          run != nullptr && is_divided(run->statement)) {
        if (follow(run->statement,
                   follower_.follow(*run, action.source,
                                    {counter_behind(block, i), may_ask(block, i + 1)}),
                   divided))
          continue;
        divide(*run, action.source, divided);
      } else if (auto* rows = std::get_if<RowLoop>(&action.what);
                 rows != nullptr && is_divided(rows->statement)) {
        if (follow(rows->statement, follower_.follow(*rows, action.source, may_ask(block, i + 1)),
                   divided))
          continue;
        divide(*rows, action.source, divided);
      } else if (auto* open = std::get_if<OpenRows>(&action.what);
                 open != nullptr && is_divided(open->statement)) {
        if (follow(open->statement, follower_.follow(*open, action.source), divided)) continue;
        divide(*open, action.source, divided);
      } else {
        check(action, divided);
        divided.push_back(std::move(action));
      }
    }
    block = std::move(divided);
  }

  // What a database does not check any more.
  void check(const Action& action, Block& divided) {
    const std::size_t asked = ask(action, divided);
    if (asked == 0) return;
    const auto& run = std::get<RunStatement>(action.what);
    parts_.try_emplace(numbers_.at(&run.statement), 1).first->second += asked;
  }

  // Puts what has to be asked before it there; how many statements that takes.
  std::size_t ask(const Action& action, Block& divided) {
    const auto* run = std::get_if<RunStatement>(&action.what);
    if (checks_ == nullptr || run == nullptr) return 0;
    Functionality alone;
    alone.body = checks_->before(*run, names_);
    const std::size_t asked = list_statements(alone).size();
    std::ranges::move(alone.body, std::back_inserter(divided));
    return asked;
  }

  // What counts the rows of the statement at that place; null: nobody does.
  static Action* counter_behind(Block& block, std::size_t at) {
    for (std::size_t i = at + 1; i < block.size(); ++i) {
      if (std::holds_alternative<CountRows>(block[i].what)) return &block[i];
      if (!std::holds_alternative<Assign>(block[i].what)) return nullptr;
    }
    return nullptr;
  }

  // Whether somebody behind a place in the block may ask if there was a row.
  static bool may_ask(Block& block, std::size_t from) {
    for (std::size_t i = from; i < block.size(); ++i) {
      if (uses_variable(block[i], "found")) return true;
      const Action::What& what = block[i].what;
      if (std::holds_alternative<RunStatement>(what) || std::holds_alternative<RowLoop>(what) ||
          std::holds_alternative<Return>(what)) {
        return false;
      }
    }
    return true;
  }

  // Takes over what the caller does in place of the statement, if that is known.
  bool follow(const ProgramStatement& statement, FollowedJoin followed, Block& divided) {
    reason_ = std::move(followed.reason);
    if (!reason_.empty()) return false;
    std::size_t& parts = parts_[numbers_.at(&statement)];
    parts = followed.statements.size();
    note(statement, followed.statements);
    check(followed.actions, parts);
    for (Action& action : followed.actions) divided.push_back(std::move(action));
    return true;
  }

  // The same of what a statement became.
  void check(Block& block, std::size_t& parts) {
    Block checked;
    for (Action& action : block) {
      program::for_each_block(action, [&](Block& inner) { check(inner, parts); });
      parts += ask(action, checked);
      checked.push_back(std::move(action));
    }
    block = std::move(checked);
  }

  // The statement in each of its services, a write last.
  std::vector<ProgramStatement> parts_of(const ProgramStatement& statement) {
    std::vector<std::size_t> order;
    std::optional<std::size_t> written;
    for (const TableUse& use : statement.statement.tables) {
      const auto service = services_.of(use);
      if (!service) continue;
      if (use.written) written = service;
      if (std::ranges::find(order, *service) == order.end()) order.push_back(*service);
    }
    std::vector<ProgramStatement> parts;
    for (const std::size_t service : order) {
      if (service != written) add_reads(statement, service, parts);
    }
    if (written) parts.push_back(write_of(statement, *written));
    parts_[numbers_.at(&statement)] = parts.size();
    note(statement, parts);
    return parts;
  }

  void note(const ProgramStatement& statement, const std::vector<ProgramStatement>& parts) {
    std::vector<std::string> texts;
    for (const ProgramStatement& part : parts) {
      if (part.statement.tables.empty()) continue;
      texts.push_back(named_text(part.statement.text, part.arguments));
    }
    notes_.push_back(
        {.what = fmt::format("{}: its tables belong to several services", functionality_.name),
         .what_to_do =
             (reason_.empty()
                  ? "each does its part, and the caller joins what they return: "
                  : fmt::format("each does its part, and the caller joins what they return, which "
                                "is not followed, as {}: ",
                                reason_)) +
             join(texts, "; "),
         .file = statement.source.file,
         .position = statement.source.position});
  }

  // One for each table of the service.
  void add_reads(const ProgramStatement& statement, std::size_t service,
                 std::vector<ProgramStatement>& parts) const {
    const find::StatementForm form = find::form_of(statement, schema_, true);
    for (std::size_t i = 0; i < statement.statement.tables.size(); ++i) {
      const TableUse& use = statement.statement.tables[i];
      if (services_.of(use) != service) continue;
      std::vector<Expression> conditions;
      for (const Expression& conjunct : form.conjuncts) {
        if (sources_in(conjunct) == std::vector{i} && is_known(conjunct)) {
          conditions.push_back(in_text(conjunct));
        }
      }
      parts.push_back(read_of(statement, use, conditions));
    }
  }

  ProgramStatement read_of(const ProgramStatement& statement, const TableUse& use,
                           const std::vector<Expression>& conditions) const {
    std::vector<std::string> columns;
    for (const std::string& column : use.columns_read) {
      columns.push_back(column == "*" ? column : program::name_text(column));
    }
    if (columns.empty()) columns.emplace_back("1");
    const std::string text = fmt::format("SELECT {} FROM {}{}", join(columns, ", "),
                                         program::name_text(use.table), where_text(conditions));
    ProgramStatement part;
    part.source = statement.source;
    part.arguments = statement.arguments;
    part.store = statement.store;
    Result<std::vector<Statement>> read = parse_statements(text, schema_.dialect);
    if (read && read->size() == 1) part.statement = std::move(read->front());
    program::resolve_columns(part.statement, schema_);
    return part;
  }

  static std::string where_text(const std::vector<Expression>& conditions) {
    if (conditions.empty()) return "";
    if (conditions.size() == 1) return " WHERE " + print_expression(conditions[0]);
    return " WHERE " +
           print_expression({.kind = ExpressionKind::call, .text = "and", .operands = conditions});
  }

  // What it writes it computes from what the caller has read.
  ProgramStatement write_of(const ProgramStatement& statement, std::size_t service) const {
    ProgramStatement part = statement;
    std::erase_if(part.statement.tables,
                  [&](const TableUse& use) { return services_.of(use) != service; });
    part.statement.single_table_predicate = false;
    part.approximated.emplace_back("it reads tables of other services");
    return part;
  }

  static Action reading(const ProgramStatement& part) {
    return {
        .source = part.source,
        .what = RunStatement{.statement = part, .into = {}, .strict = false, .returned = false}};
  }

  static Action unknown_value(const Expression& target, const ProgramStatement& of) {
    return {.source = of.source,
            .what = Assign{.target = target,
                           .value = {.kind = ExpressionKind::unknown,
                                     .text = "what the services return, joined",
                                     .operands = {}}}};
  }

  void divide(RunStatement& run, const SourceLocation& source, Block& divided) {
    const ProgramStatement whole = run.statement;
    std::vector<ProgramStatement> parts = parts_of(run.statement);
    const bool writes = parts.back().statement.kind != StatementKind::select;
    const std::vector<Expression> into = writes ? std::vector<Expression>{} : run.into;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) divided.push_back(reading(parts[i]));
    run.statement = std::move(parts.back());
    if (!writes) run.into.clear();
    divided.push_back({.source = source, .what = std::move(run)});
    for (const Expression& target : into) divided.push_back(unknown_value(target, whole));
  }

  // The caller goes through the rows of the first service and asks the others about each.
  void divide(RowLoop& rows, const SourceLocation& source, Block& divided) {
    const ProgramStatement whole = rows.statement;
    std::vector<ProgramStatement> parts = parts_of(rows.statement);
    Block body;
    for (std::size_t i = 1; i < parts.size(); ++i) body.push_back(reading(parts[i]));
    for (const Expression& target : rows.into) body.push_back(unknown_value(target, whole));
    for (Action& action : rows.body) body.push_back(std::move(action));
    rows.statement = std::move(parts.front());
    rows.body = std::move(body);
    divided.push_back({.source = source, .what = std::move(rows)});
  }

  void divide(OpenRows& open, const SourceLocation& source, Block& divided) {
    std::vector<ProgramStatement> parts = parts_of(open.statement);
    for (std::size_t i = 1; i < parts.size(); ++i) divided.push_back(reading(parts[i]));
    open.statement = std::move(parts.front());
    divided.push_back({.source = source, .what = std::move(open)});
  }

  Functionality& functionality_;
  const Schema& schema_;
  const TableServices& services_;
  std::vector<Diagnostic>& notes_;
  const ReferenceChecks* checks_;
  JoinFollower follower_;
  FreshNames names_;
  std::string reason_;  // why the last statement is not followed
  std::map<const ProgramStatement*, std::size_t> numbers_;
  std::map<std::size_t, std::size_t> parts_;
};

}  // namespace

std::map<std::size_t, std::size_t> divide_statements(Functionality& functionality,
                                                     const Schema& schema,
                                                     const TableServices& services,
                                                     std::vector<Diagnostic>& notes,
                                                     const ReferenceChecks* checks) {
  return Divider(functionality, schema, services, notes, checks).run();
}

}  // namespace heddle::chopping
