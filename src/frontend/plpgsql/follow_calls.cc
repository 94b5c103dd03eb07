// Calls stand in statements: what has a call of a function in it is never a value of the client
// (expression.h), so that SELECT f(x) INTO y, PERFORM f(x), y := f(x) and conditions all are
// statements without FROM. Their values are read once more, now with calls; what AND, OR, CASE and
// COALESCE decide stands in branches, so that a call happens when PostgreSQL makes it. A query
// whose only source is a call, and the values of an INSERT, are followed, too.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "frontend/plpgsql/called_text.h"
#include "frontend/plpgsql/expression.h"
#include "frontend/plpgsql/inline_queries.h"
#include "frontend/plpgsql/routine_body.h"
#include "frontend/plpgsql/routines.h"
#include "frontend/plpgsql/scope.h"
#include "frontend/sql/reader.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/views/see_through.h"
#include "program/conflict_keys.h"
#include "program/connections.h"
#include "program/resolve.h"
#include "program/text.h"
#include "program/visit.h"

namespace heddle::plpgsql {

namespace {

constexpr std::size_t kMostOfOne = 3;         // calls of one routine, one in another
constexpr std::size_t kMostActions = 20'000;  // of one functionality

using sql::Node;
using sql::Tokens;

class CallFollower {
 public:
  CallFollower(const std::vector<Functionality>& originals, const std::vector<Routine>& routines,
               Program& program, Functionality& functionality)
      : originals_(originals),
        routines_(routines),
        program_(program),
        functionality_(functionality),
        names_(functionality, program.schema) {}

  void follow() {
    const auto self = std::ranges::find(originals_, functionality_.name, &Functionality::name);
    if (self != originals_.end()) stack_.push_back(&*self);
    follow_in(functionality_.body);
  }

 private:
  void follow_in(Block& block) {
    Block followed;
    for (Action& action : block) {
      const bool is_loop = std::holds_alternative<Loop>(action.what) ||
                           std::holds_alternative<RowLoop>(action.what) ||
                           std::holds_alternative<CountLoop>(action.what) ||
                           std::holds_alternative<ElementLoop>(action.what);
      loops_ += is_loop ? 1 : 0;
      program::for_each_block(action, [&](Block& inner) { follow_in(inner); });
      loops_ -= is_loop ? 1 : 0;
      const ProgramStatement* statement = program::statement_of(action);
      if (statement == nullptr || !names_routine(*statement)) {
        followed.push_back(std::move(action));
        continue;
      }
      source_ = action.source;
      if (puts_queries_in(*program::statement_of(action))) {
        followed.push_back(std::move(action));
        continue;
      }
      Block instead;
      const std::size_t variables = functionality_.variables.size();
      if (replace(action, instead)) {
        program::move_to_connection(instead, statement->connection);
        forget_notes(*statement);
        std::ranges::move(instead, std::back_inserter(followed));
      } else {
        functionality_.variables.resize(variables);
        followed.push_back(std::move(action));
      }
    }
    block = std::move(followed);
  }

  bool names_routine(const ProgramStatement& statement) const {
    if (statement.made_text) return false;
    const Tokens tokens(statement.statement.text);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens.is_symbol(i + 1, '(') && is_routine(tokens.word(i))) return true;
    }
    return false;
  }
  // Whether nothing is left to be followed then.
  bool puts_queries_in(ProgramStatement& statement) {
    const ProgramStatement before = statement;
    const auto routine = [&](const std::string& name, std::size_t arguments) {
      const Routine* found = find(name, arguments);
      return std::pair(found, found == nullptr ? nullptr : &originals_[found->functionality]);
    };
    if (!inline_queries(statement, routine, program_.schema)) return false;
    forget_notes(before);
    return !names_routine(statement);
  }

  bool is_routine(std::string_view name) const {
    return std::ranges::any_of(routines_, [&](const Routine& routine) {
      return originals_[routine.functionality].name == name;
    });
  }

  // What was said of the statement as one that calls code nobody knows.
  void forget_notes(const ProgramStatement& statement) {
    std::erase_if(program_.notes, [&](const Diagnostic& note) {
      const bool is_here = note.file == statement.source.file &&
                           note.position.line == statement.source.position.line &&
                           note.position.column == statement.source.position.column;
      return is_here && std::ranges::any_of(statement.approximated, [&](const std::string& what) {
               return note.what.starts_with(what);
             });
    });
  }

  void note(std::string what) {
    const bool is_said = std::ranges::any_of(program_.notes, [&](const Diagnostic& other) {
      return other.what == what && other.file == source_.file &&
             other.position.line == source_.position.line;
    });
    if (is_said) return;
    program_.notes.push_back({.what = std::move(what),
                              .what_to_do = "it is taken to read and write anything",
                              .file = source_.file,
                              .position = source_.position});
  }

  template <class What>
  void add(Block& block, What what) {
    block.push_back({.source = source_, .what = std::move(what)});
  }

  bool replace(Action& action, Block& out) {
    if (auto* run = std::get_if<RunStatement>(&action.what)) return replace(*run, out);
    if (auto* rows = std::get_if<RowLoop>(&action.what)) return replace(*rows, out);
    auto* open = std::get_if<OpenRows>(&action.what);
    if (open == nullptr) return false;
    auto query = query_of(open->statement, out);
    if (!query) return false;
    OpenRows opened = *open;
    opened.statement = std::move(*query);
    add(out, std::move(opened));
    return true;
  }

  bool replace(const RunStatement& run, Block& out) {
    const Tokens tokens(run.statement.statement.text);
    if (tokens.word(0) == "call") return replace_call(run, tokens, out);
    const sql::ParseOutcome parsed = sql::parse_tree(run.statement.statement.text);
    if (!parsed.is_ok || parsed.tree.statements.size() != 1) return false;
    const Node& node = *parsed.tree.statements.front().node;
    if (node.type() != "SelectStmt") return replace_inside(run, tokens, out);
    const Node& select = node.content();
    if (select["fromClause"].is_present()) {
      return replace_source(run, tokens, out) || replace_inside(run, tokens, out);
    }
    return replace_values(run, tokens, out);
  }

  // SELECT f(a), g(b) [INTO ...], or a value in which calls are.
  bool replace_values(const RunStatement& run, const Tokens& tokens, Block& out) {
    std::vector<Expression> values;
    std::size_t begin = 1;
    for (std::size_t i = 1; i <= tokens.size(); ++i) {
      const bool ends = i == tokens.size() || (tokens[i].depth == 0 && tokens.is_symbol(i, ','));
      if (!ends) continue;
      auto value = value_of(tokens.text(begin, i), run.statement, out);
      if (!value) return false;
      values.push_back(std::move(*value));
      begin = i + 1;
    }
    std::vector<std::string> names;
    for (const OutputColumn& output : run.statement.statement.output) names.push_back(output.name);
    return give(run, std::move(values), names, out);
  }

  bool is_row(const Expression& value) const {
    for (const auto* variables : {&functionality_.variables, &functionality_.parameters}) {
      const auto known = std::ranges::find(*variables, value.text, &Variable::name);
      if (known == variables->end() || value.kind != ExpressionKind::variable) continue;
      return known->type == "record" || known->type.ends_with("%ROWTYPE") ||
             find_table(program_.schema, known->type, Dialect::postgres) != nullptr;
    }
    return false;
  }

  // SELECT $1 AS a, $2 AS b INTO row
  bool give_row(const RunStatement& run, std::vector<Expression> values,
                const std::vector<std::string>& names, Block& out) {
    if (names.size() != values.size()) return false;
    RunStatement row{.statement = {}, .into = run.into, .strict = run.strict};
    row.statement.source = source_;
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (names[i].empty() || is_row(values[i])) return false;
      Expression value = std::move(values[i]);
      if (value.kind != ExpressionKind::variable) {
        const std::string name = new_variable("value", "text");
        add(out, Assign{.target = variable(name), .value = std::move(value)});
        value = variable(name);
      }
      text += fmt::format("{}${} AS {}", i == 0 ? "SELECT " : ", ", i + 1,
                          program::name_text(names[i]));
      row.statement.arguments.push_back(std::move(value));
    }
    auto read = parse_statements(text, Dialect::postgres);
    if (!read || read->size() != 1) return false;
    row.statement.statement = std::move(read->front());
    add(out, std::move(row));
    return true;
  }

  // What a statement gives: into variables, or to the caller.
  bool give(const RunStatement& run, std::vector<Expression> values,
            const std::vector<std::string>& names, Block& out) {
    if (run.returned) {
      const bool is_set = functionality_.returns.value_or("").starts_with("SETOF ");
      is_set ? add(out, ReturnRow{std::move(values)}) : add(out, Return{std::move(values)});
      return true;
    }
    if (run.into.empty()) return true;
    const bool is_one = run.into.size() == 1 && values.size() == 1;
    if (run.into.size() == 1 && is_row(run.into[0]) && !(is_one && is_row(values[0]))) {
      return give_row(run, std::move(values), names, out);
    }
    if (run.into.size() != values.size()) return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      add(out, Assign{.target = run.into[i], .value = std::move(values[i])});
    }
    if (uses_found()) {
      add(out, Assign{.target = variable("found"),
                      .value = {.kind = ExpressionKind::literal, .text = "true", .operands = {}}});
    }
    return true;
  }

  bool uses_found() {
    if (!uses_found_) uses_found_ = plpgsql::uses_found(functionality_.body);
    return *uses_found_;
  }
  // The value of a text, with calls done in `out`.
  std::optional<Expression> value_of(std::string_view text, const ProgramStatement& statement,
                                     Block& out) {
    const NameResolver resolve =
        [&](const std::vector<std::string>& path) -> std::optional<Expression> {
      if (path.size() != 1 || !path[0].starts_with('$')) return std::nullopt;
      const std::size_t number = std::stoul(path[0].substr(1));
      if (number == 0 || number > statement.arguments.size()) return std::nullopt;
      return statement.arguments[number - 1];
    };
    const FunctionFilter known = [&](const std::string& name) { return is_routine(name); };
    Read<ReadValue> read = read_value(text, resolve, known);
    if (!read.is_ok || read.value.asks_store) return std::nullopt;
    return done(std::move(read.value.value), out);
  }

  static bool has_call(const Expression& expression) {
    return expression.text.starts_with(kRoutineCall) ||
           std::ranges::any_of(expression.operands, has_call);
  }

  std::string new_variable(const std::string& base, const std::string& type) {
    std::string name = names_.take(base);
    functionality_.variables.push_back({name, type});
    return name;
  }

  // The value without calls, which are done in `out` when it is asked for.
  std::optional<Expression> done(Expression value, Block& out) {
    if (!has_call(value)) return value;
    if (value.kind == ExpressionKind::choice || value.text == "and" || value.text == "or" ||
        value.text == "coalesce") {
      return decided(value, out);
    }
    for (Expression& operand : value.operands) {
      auto one = done(std::move(operand), out);
      if (!one) return std::nullopt;
      operand = std::move(*one);
    }
    if (!value.text.starts_with(kRoutineCall)) return value;
    const std::string name = value.text.substr(kRoutineCall.size());
    const auto results = call(name, std::move(value.operands), false, out);
    if (!results || results->size() > 1) return std::nullopt;
    return results->empty() ? Expression{} : variable(results->front());
  }

  // CASE, AND, OR, COALESCE: the rest is computed where the beginning does not decide.
  std::optional<Expression> decided(Expression& value, Block& out) {
    std::vector<Expression>& parts = value.operands;
    const bool is_logic = value.text == "and" || value.text == "or";
    const std::string type = is_logic ? "boolean" : type_of(value);
    Expression result = variable(new_variable("value", type));
    Block* rest = &out;
    const auto set = [&](Expression part, Block& block) {
      auto one = done(std::move(part), block);
      if (one) add(block, Assign{.target = result, .value = std::move(*one)});
      return one.has_value();
    };
    if (value.kind == ExpressionKind::choice) {
      std::size_t i = 0;
      for (; i + 1 < parts.size(); i += 2) {
        auto condition = done(std::move(parts[i]), *rest);
        if (!condition) return std::nullopt;
        Branch branch{.condition = std::move(*condition), .then = {}, .otherwise = {}};
        if (!set(std::move(parts[i + 1]), branch.then)) return std::nullopt;
        add(*rest, std::move(branch));
        rest = &std::get<Branch>(rest->back().what).otherwise;
      }
      if (!set(i < parts.size() ? std::move(parts[i]) : Expression{}, *rest)) return std::nullopt;
      return result;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!set(std::move(parts[i]), *rest)) return std::nullopt;
      if (i + 1 == parts.size()) break;
      Expression goes_on = value.text == "and"  ? result
                           : value.text == "or" ? plpgsql::call("not", {result})
                                                : plpgsql::call("is null", {result});
      if (is_logic) goes_on = plpgsql::call("coalesce", {goes_on, literal("true")});
      add(*rest, Branch{.condition = std::move(goes_on), .then = {}, .otherwise = {}});
      rest = &std::get<Branch>(rest->back().what).then;
    }
    return result;
  }
  static Expression literal(std::string text) {
    return {.kind = ExpressionKind::literal, .text = std::move(text), .operands = {}};
  }

  // Of the first call in the value.
  std::string type_of(const Expression& value) const {
    if (value.text.starts_with(kRoutineCall)) {
      const Routine* routine = find(value.text.substr(kRoutineCall.size()), value.operands.size());
      if (routine != nullptr) return originals_[routine->functionality].returns.value_or("text");
    }
    for (const Expression& operand : value.operands) {
      if (has_call(operand)) return type_of(operand);
    }
    return "text";
  }

  const Routine* find(const std::string& name, std::size_t arguments) const {
    return find_routine(routines_, originals_, name, arguments);
  }

  const Routine* followable(const std::string& name, std::size_t arguments) {
    const Routine* routine = find(name, arguments);
    if (routine == nullptr) {
      note(fmt::format("which {}() is called is not known", name));
      return nullptr;
    }
    const Functionality& called = originals_[routine->functionality];
    if (static_cast<std::size_t>(std::ranges::count(stack_, &called)) >= kMostOfOne) {
      note(fmt::format("{}() calls itself, which is followed {} times", name, kMostOfOne));
      return nullptr;
    }
    actions_ += count_all(called.body);
    if (actions_ > kMostActions) {
      note(fmt::format("what {}() does is too much to be followed", name));
      return nullptr;
    }
    return routine;
  }

  // Assigns what is given to the parameters; what is left out has its default.
  bool pass(const Routine& routine, const std::vector<std::string>& given,
            std::vector<Expression> arguments, Block& out) {
    std::vector<const RoutineParameter*> parameters;
    for (const RoutineParameter& parameter : routine.parameters) {
      if (parameter.is_given) parameters.push_back(&parameter);
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      std::optional<Expression> value;
      if (i < arguments.size()) {
        value = std::move(arguments[i]);
      } else {
        value = value_of(parameters[i]->default_text, {}, out);
      }
      if (!value) return false;
      add(out, Assign{.target = variable(given[i]), .value = std::move(*value)});
    }
    return true;
  }

  // What the routine does; the variables that have its results. None: it is not followed.
  std::optional<std::vector<std::string>> call(const std::string& name,
                                               std::vector<Expression> arguments, bool may_commit,
                                               Block& out) {
    const Routine* routine = followable(name, arguments.size());
    if (routine == nullptr) return std::nullopt;
    const Functionality& called = originals_[routine->functionality];
    if (is_set(called) || returns_rows(called.body)) {
      note(fmt::format("{}() returns rows, which is followed in FROM alone", name));
      return std::nullopt;
    }
    RoutineBody body = body_of_call(called, *routine, may_commit, loops_ > 0, names_);
    std::ranges::move(body.variables, std::back_inserter(functionality_.variables));
    if (!pass(*routine, body.given, std::move(arguments), out)) return std::nullopt;
    const SourceLocation here = source_;
    stack_.push_back(&called);
    follow_in(body.block);
    stack_.pop_back();
    source_ = here;
    std::ranges::move(body.block, std::back_inserter(out));
    functionality_.states_boundaries = functionality_.states_boundaries || called.states_boundaries;
    return std::move(body.results);
  }

  // CALL p(a, b): what gives a result is a variable.
  bool replace_call(const RunStatement& run, const Tokens& tokens, Block& out) {
    std::size_t at = 1;
    while (tokens.is_symbol(at + 1, '.')) at += 2;
    const auto text = call_at(tokens, at);
    if (!text) return false;
    const Routine* routine = find(text->name, text->arguments.size());
    if (routine == nullptr) return followable(text->name, text->arguments.size()) != nullptr;
    const bool names_all = text->arguments.size() == routine->parameters.size();
    std::vector<Expression> given;
    std::vector<Expression> targets;
    for (std::size_t i = 0; i < text->arguments.size(); ++i) {
      const RoutineParameter& parameter = routine->parameters[i];
      if (!names_all && !parameter.is_given) return false;
      auto value = value_of(text->arguments[i], run.statement, out);
      if (!value) return false;
      if (parameter.is_result) targets.push_back(*value);
      if (parameter.is_given) given.push_back(std::move(*value));
    }
    const auto results = call(text->name, std::move(given), true, out);
    if (!results) return false;
    for (std::size_t i = 0; i < targets.size() && i < results->size(); ++i) {
      const bool may_be_set =
          targets[i].kind == ExpressionKind::variable || targets[i].kind == ExpressionKind::field;
      if (may_be_set) {
        add(out, Assign{.target = targets[i], .value = variable((*results)[i])});
      }
    }
    return true;
  }

  std::optional<std::vector<Expression>> arguments_of(const CallText& call,
                                                      const ProgramStatement& statement,
                                                      Block& out) {
    std::vector<Expression> arguments;
    for (const std::string& text : call.arguments) {
      auto value = value_of(text, statement, out);
      if (!value) return std::nullopt;
      arguments.push_back(std::move(*value));
    }
    return arguments;
  }

  // The query of a routine that does nothing else.
  std::optional<ProgramStatement> query_of(const ProgramStatement& statement, Block& out) {
    const Tokens tokens(statement.statement.text);
    const auto text = only_source(tokens);
    if (!text || !is_routine(text->name)) return std::nullopt;
    const Routine* routine = followable(text->name, text->arguments.size());
    if (routine == nullptr) return std::nullopt;
    auto arguments = arguments_of(*text, statement, out);
    RoutineQuery query = query_of_call(originals_[routine->functionality], *routine, names_);
    if (!arguments || query.statement.statement.text.empty() || names_routine(query.statement)) {
      return std::nullopt;
    }
    std::ranges::move(query.variables, std::back_inserter(functionality_.variables));
    if (!pass(*routine, query.given, std::move(*arguments), out)) return std::nullopt;
    return std::move(query.statement);
  }

  // Whether the fields that a row has are called as those of the query.
  bool has_names_of(const std::vector<Expression>& into, const ProgramStatement& query,
                    const ProgramStatement& statement) const {
    if (into.size() != 1) return true;
    const auto text = only_source(Tokens(statement.statement.text));
    const Routine* routine = text ? find(text->name, text->arguments.size()) : nullptr;
    if (routine == nullptr) return false;
    std::vector<std::string> names;
    for (const RoutineParameter& parameter : routine->parameters) {
      if (parameter.is_result) names.push_back(parameter.name);
    }
    if (names.empty()) return true;
    return std::ranges::equal(names, query.statement.output, {}, {}, &OutputColumn::name);
  }

  bool replace(const RowLoop& rows, Block& out) {
    auto query = query_of(rows.statement, out);
    if (!query || !has_names_of(rows.into, *query, rows.statement)) return false;
    RowLoop loop = rows;
    loop.statement = std::move(*query);
    add(out, std::move(loop));
    return true;
  }

  bool replace_source(const RunStatement& run, const Tokens& tokens, Block& out) {
    const auto text = only_source(tokens);
    if (!text) return false;
    const Routine* routine = find(text->name, text->arguments.size());
    if (routine == nullptr) return false;
    const Functionality& called = originals_[routine->functionality];
    if (!is_set(called) && !returns_rows(called.body)) {
      auto arguments = arguments_of(*text, run.statement, out);
      auto results = arguments ? call(text->name, std::move(*arguments), false, out) : std::nullopt;
      if (!results) return false;
      std::vector<Expression> values;
      for (const std::string& result : *results) values.push_back(variable(result));
      return give(run, std::move(values), names_of_results(*routine, called), out);
    }
    auto query = query_of(run.statement, out);
    if (!query || !has_names_of(run.into, *query, run.statement)) return false;
    RunStatement instead = run;
    instead.statement = std::move(*query);
    add(out, std::move(instead));
    return true;
  }

  // INSERT ... VALUES (f(a)), UPDATE ... SET x = f(a): calls with values of the client alone. Where
  // the statement may come to no row, the call must not write.
  bool replace_inside(const RunStatement& run, const Tokens& tokens, Block& out) {
    const Statement& statement = run.statement.statement;
    const bool is_row = statement.kind == StatementKind::insert && statement.predicate.empty() &&
                        !statement.values.empty();
    RunStatement instead = run;
    std::string made;
    std::size_t from = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto text = is_routine(tokens.word(i)) ? call_at(tokens, i) : std::nullopt;
      if (!text) continue;
      const Routine* routine = find(text->name, text->arguments.size());
      if (routine == nullptr) return false;
      if (!is_row && may_write(originals_[routine->functionality].body)) return false;
      auto arguments = arguments_of(*text, run.statement, out);
      if (!arguments) return false;
      const auto results = call(text->name, std::move(*arguments), false, out);
      if (!results || results->size() != 1) return false;
      instead.statement.arguments.push_back(variable(results->front()));
      made += from < i ? std::string(tokens.text(from, i)) + " " : "";
      made += "$" + std::to_string(instead.statement.arguments.size());
      const bool goes_on = tokens.is_symbol(text->end, ',') || tokens.is_symbol(text->end, ')');
      made += goes_on ? "" : " ";
      from = text->end;
      i = text->end - 1;
    }
    if (from < tokens.size()) made += tokens.text(from, tokens.size());
    auto read = parse_statements(made, Dialect::postgres);
    if (!read || read->size() != 1) return false;
    instead.statement.statement = std::move(read->front());
    resolve_again(instead.statement);
    add(out, std::move(instead));
    return true;
  }

  void resolve_again(ProgramStatement& statement) {
    views::see_through(statement.statement, program_.schema);
    static_cast<void>(program::resolve_columns(statement.statement, program_.schema));
    program::judge_conflict(statement.statement, program_.schema);
    statement.approximated = statement.statement.over_approximated;
  }

  const std::vector<Functionality>& originals_;
  const std::vector<Routine>& routines_;
  Program& program_;
  Functionality& functionality_;
  FreeNames names_;
  std::vector<const Functionality*> stack_;  // whose calls are followed, one in another
  std::size_t loops_ = 0;
  std::size_t actions_ = 0;
  SourceLocation source_;
  std::optional<bool> uses_found_;
};

}  // namespace

void follow_calls(Program& program, const std::vector<Routine>& routines) {
  if (routines.empty()) return;
  const std::vector<Functionality> originals = program.functionalities;
  for (Functionality& functionality : program.functionalities) {
    CallFollower(originals, routines, program, functionality).follow();
  }
}

}  // namespace heddle::plpgsql
