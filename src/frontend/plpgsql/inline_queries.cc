#include "frontend/plpgsql/inline_queries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text.h"
#include "frontend/plpgsql/called_text.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/views/changed_view.h"
#include "frontend/views/see_through.h"
#include "program/resolve.h"
#include "program/text.h"

namespace heddle::plpgsql {

namespace {

using sql::Tokens;

// The only thing that the routine does; null: it does something else, or more.
const ProgramStatement* query_of_routine(const Functionality& called) {
  if (called.body.size() != 1) return nullptr;
  const auto* run = std::get_if<RunStatement>(&called.body.front().what);
  const bool is_query = run != nullptr && run->returned && run->into.empty() &&
                        run->statement.statement.kind == StatementKind::select &&
                        run->statement.approximated.empty() && !run->statement.made_text;
  return is_query ? &run->statement : nullptr;
}

// FOR UPDATE locks no rows of functions.
bool locks_rows(const Tokens& tokens) {
  static constexpr std::array<std::string_view, 4> kLocks = {"update", "share", "no", "key"};
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool is_lock = std::ranges::find(kLocks, tokens.word(i + 1)) != kLocks.end();
    if (tokens.word(i) == "for" && is_lock) return true;
  }
  return false;
}

// What stands for the parameter in a call; none: what a query gives is asked for once, not each
// time, and a column is one of a table beside it, which a derived table does not see.
std::optional<std::string> given_text(const Routine& routine, const std::string& parameter,
                                      const CallText& call) {
  std::size_t number = 0;
  for (const RoutineParameter& one : routine.parameters) {
    if (!one.is_given) continue;
    if (one.name == parameter) {
      const std::string text =
          number < call.arguments.size() ? call.arguments[number] : one.default_text;
      const Tokens tokens(text);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string word = tokens.word(i);
        const bool is_name = tokens[i].kind == sql::TokenKind::quoted_name ||
                             (!word.empty() && word != "null" && word != "true" && word != "false");
        if (is_name || tokens.is_symbol(i, '(')) return std::nullopt;
      }
      if (tokens.size() == 0) return std::nullopt;
      return tokens.size() == 1 ? text : "(" + text + ")";
    }
    ++number;
  }
  return std::nullopt;
}

// The query with the call's arguments in the place of parameters.
std::optional<std::string> query_with(const ProgramStatement& query, const Routine& routine,
                                      const CallText& call) {
  const std::string& text = query.statement.text;
  const Tokens tokens(text);
  std::string made;
  std::size_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != sql::TokenKind::parameter) continue;
    const std::string_view digits = tokens.text(i).substr(1);
    std::size_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (number == 0 || number > query.arguments.size()) return std::nullopt;
    const Expression& argument = query.arguments[number - 1];
    if (argument.kind != ExpressionKind::variable) return std::nullopt;
    const auto given = given_text(routine, argument.text, call);
    if (!given) return std::nullopt;
    made += text.substr(done, tokens[i].offset - done) + *given;
    done = tokens[i].offset + tokens[i].size;
  }
  return made + text.substr(done);
}

// How its columns are called: those of RETURNS TABLE; of one value, as the table.
std::optional<std::string> with_columns(const std::string& query, const Routine& routine,
                                        const Functionality& called, const std::string& alias) {
  std::vector<std::string> names;
  for (const RoutineParameter& parameter : routine.parameters) {
    if (parameter.is_result) names.push_back(parameter.name);
  }
  const std::vector<OutputColumn>& output = query_of_routine(called)->statement.output;
  const bool is_row = output.size() != 1 || output[0].expression.ends_with('*');
  if (names.empty() && is_row) return query;
  if (names.empty()) names.push_back(alias);
  return views::with_output_names(query, names);
}

// FROM f(a), JOIN f(a) and what follows a comma in FROM.
bool is_in_from(const Tokens& tokens, std::size_t at) {
  if (at == 0) return false;
  const std::string before = tokens.word(at - 1);
  if (before == "from" || before == "join" || before == "lateral") return true;
  if (!tokens.is_symbol(at - 1, ',')) return false;
  static constexpr std::array<std::string_view, 5> kOthers = {"select", "where", "group", "order",
                                                              "set"};
  for (std::size_t i = at - 1; i > 0; --i) {
    if (tokens[i - 1].depth != tokens[at].depth) continue;
    const std::string word = tokens.word(i - 1);
    if (word == "from") return true;
    if (std::ranges::find(kOthers, word) != kOthers.end()) return false;
  }
  return false;
}

std::optional<std::string> with_queries_of_routines(const Statement& statement,
                                                    const FindRoutine& find) {
  const Tokens tokens(statement.text);
  if (locks_rows(tokens)) return std::nullopt;
  std::string made;
  std::size_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.is_symbol(i + 1, '(') || !is_in_from(tokens, i)) continue;
    const auto call = call_at(tokens, i);
    if (!call || tokens.word(call->end) == "with") continue;
    const auto [routine, called] = find(call->name, call->arguments.size());
    if (routine == nullptr || !is_set(*called)) continue;
    const ProgramStatement* query = query_of_routine(*called);
    auto text = query == nullptr ? std::nullopt : query_with(*query, *routine, *call);
    if (!text) continue;
    static constexpr std::array<std::string_view, 14> kClauses = {
        "where", "join",  "on",    "inner", "left",  "right", "full",
        "cross", "order", "group", "limit", "union", "for",   "natural"};
    const std::size_t name = call->end + (tokens.word(call->end) == "as" ? 1 : 0);
    const std::string next = tokens.word(name);
    const bool has_alias =
        name > call->end || (!next.empty() && std::ranges::find(kClauses, next) == kClauses.end() &&
                             tokens[name].kind == sql::TokenKind::word);
    text = with_columns(*text, *routine, *called, has_alias ? next : call->name);
    if (!text) continue;
    made += statement.text.substr(done, tokens[i].offset - done) + "(" + *text + ")";
    if (!has_alias) made += " AS " + program::name_text(call->name);
    done = tokens[call->end - 1].offset + tokens[call->end - 1].size;
    i = call->end - 1;
  }
  if (done == 0) return std::nullopt;
  return made + statement.text.substr(done);
}

}  // namespace

bool inline_queries(ProgramStatement& statement, const FindRoutine& find, const Schema& schema) {
  const auto text = with_queries_of_routines(statement.statement, find);
  if (!text) return false;
  auto read = parse_statements(*text, Dialect::postgres);
  if (!read || read->size() != 1) return false;
  read->front().position = statement.statement.position;
  statement.statement = std::move(read->front());
  views::see_through(statement.statement, schema);
  static_cast<void>(program::resolve_columns(statement.statement, schema));
  statement.approximated = statement.statement.over_approximated;
  return true;
}

}  // namespace heddle::plpgsql
