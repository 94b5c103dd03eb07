#include "split/subqueries.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/words/lexer.h"
#include "program/resolve.h"
#include "program/text.h"

namespace heddle::chopping {

namespace {

using sql::Tokens;

std::size_t parameter_number(std::string_view token) {
  std::size_t number = 0;
  std::from_chars(token.data() + 1, token.data() + token.size(), number);
  return number;
}

// Where the bracket that opens at `open` closes; tokens.size(): nowhere.
std::size_t closing(const Tokens& tokens, std::size_t open) {
  for (std::size_t i = open + 1; i < tokens.size(); ++i) {
    if (tokens.is_symbol(i, ')') && tokens[i].depth == tokens[open].depth) return i;
  }
  return tokens.size();
}

class Lifter {
 public:
  Lifter(const ProgramStatement& statement, const Schema& schema, const TableServices& services,
         FreshNames& names)
      : schema_(schema), services_(services), names_(names) {
    lifted_.statement = statement;
  }

  LiftedStatement lift() {
    while (lifted_.reason.empty()) {
      const Tokens tokens(lifted_.statement.statement.text);
      const std::optional<std::size_t> open = first_subquery(tokens);
      if (!open) break;
      replace(tokens, *open);
    }
    return std::move(lifted_);
  }

 private:
  static std::optional<std::size_t> first_subquery(const Tokens& tokens) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens.is_symbol(i, '(') && tokens.word(i + 1) == "select") return i;
    }
    return std::nullopt;
  }

  void replace(const Tokens& tokens, std::size_t open) {
    const std::size_t close = closing(tokens, open);
    const std::string before = open == 0 ? "" : tokens.word(open - 1);
    static const std::set<std::string> kOther = {"exists", "any", "all", "some", "array"};
    if (close == tokens.size() || kOther.contains(before)) {
      lifted_.reason = "it asks for rows of a subquery in another way than IN or for one value";
      return;
    }
    const bool is_list = before == "in";
    if (is_list && open >= 2 && tokens.word(open - 2) == "not") {
      lifted_.reason = "it has NOT IN with a subquery";
      return;
    }
    const std::string inner(tokens.text(open + 1, close));
    const std::optional<ProgramStatement> asked =
        statement_with(inner, lifted_.statement.arguments, lifted_.statement, schema_);
    if (!asked || !can_stand_alone(*asked)) {
      if (lifted_.reason.empty()) lifted_.reason = "its subquery cannot be asked alone";
      return;
    }
    std::vector<Expression>& arguments = lifted_.statement.arguments;
    const std::size_t number = arguments.size() + 1;
    if (is_list) {
      list(inner, *asked, number);
    } else {
      take_value(*asked);
    }
    if (lifted_.reason.empty()) rewrite(tokens, is_list ? open - 1 : open, close, number, is_list);
  }

  void rewrite(const Tokens& tokens, std::size_t first, std::size_t close, std::size_t number,
               bool is_list) {
    const std::string_view text = tokens.sql();
    const std::string changed = std::string(text.substr(0, tokens[first].offset)) +
                                fmt::format("{}${}", is_list ? "= " : "", number) +
                                std::string(text.substr(tokens[close].offset + tokens[close].size));
    Result<std::vector<Statement>> read = parse_statements(changed, Dialect::postgres);
    if (!read || read->size() != 1) {
      lifted_.reason = "it joins the rows of a subquery";
      return;
    }
    lifted_.statement.statement = std::move(read->front());
    program::resolve_columns(lifted_.statement.statement, schema_);
  }

  // Of one service, and with no column of what is around it.
  bool can_stand_alone(ProgramStatement asked) const {
    Statement& statement = asked.statement;
    if (statement.kind != StatementKind::select || statement.output.size() != 1) return false;
    if (services_.of(statement).size() != 1 || statement.tables.empty()) return false;
    const Tokens tokens(statement.text);
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (!tokens.is_symbol(i + 1, '.') || tokens.word(i).empty()) continue;
      const std::string word = tokens.word(i);
      const bool is_own = std::ranges::any_of(statement.tables, [&](const TableUse& use) {
        return use.alias == word || use.table == word || use.schema == word;
      });
      if (!is_own) return false;
    }
    return program::resolve_columns(statement, schema_).empty();
  }

  void list(const std::string& inner, const ProgramStatement& asked, std::size_t number) {
    const Tokens tokens(inner);
    static const std::set<std::string> kSets = {"union", "intersect", "except", "with"};
    bool is_plain = !asked.statement.limited && !asked.statement.ordered;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (kSets.contains(tokens.word(i))) is_plain = false;
    }
    const std::string& column = asked.statement.output[0].name;
    if (!is_plain || column.empty() || column == "*") {
      lifted_.reason = "the subquery of its IN is no plain query";
      return;
    }
    const bool has_distinct = tokens.word(1) == "distinct";
    const std::string text =
        has_distinct ? inner : "SELECT DISTINCT " + inner.substr(tokens[1].offset);
    lifted_.lists[number] = {
        .text = text, .column = column, .service = *services_.of(asked.statement).begin()};
    lifted_.statement.arguments.emplace_back();
  }

  void take_value(const ProgramStatement& asked) {
    const std::string& column = asked.statement.output[0].name;
    if (column.empty() || column == "*") {
      lifted_.reason = "the value of its subquery has no name";
      return;
    }
    const Expression row = names_.variable(asked.statement.tables[0].table + "_value", "record");
    lifted_.before.push_back(
        {.statement = asked, .into = {row}, .strict = false, .returned = false});
    lifted_.statement.arguments.push_back(
        {.kind = ExpressionKind::field, .text = column, .operands = {row}});
  }

  const Schema& schema_;
  const TableServices& services_;
  FreshNames& names_;
  LiftedStatement lifted_;
};

}  // namespace

LiftedStatement lift_subqueries(const ProgramStatement& statement, const Schema& schema,
                                const TableServices& services, FreshNames& names) {
  return Lifter(statement, schema, services, names).lift();
}

std::optional<ProgramStatement> statement_with(std::string_view text,
                                               const std::vector<Expression>& arguments,
                                               const ProgramStatement& like, const Schema& schema) {
  const Tokens tokens(text);
  ProgramStatement made;
  made.source = like.source;
  made.store = like.store;
  std::map<std::size_t, std::size_t> numbers;
  std::string numbered;
  std::size_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != sql::TokenKind::parameter) continue;
    const std::size_t number = parameter_number(tokens.text(i));
    if (number == 0 || number > arguments.size()) return std::nullopt;
    const auto [at, is_new] = numbers.emplace(number, numbers.size() + 1);
    if (is_new) made.arguments.push_back(arguments[number - 1]);
    numbered += text.substr(done, tokens[i].offset - done);
    numbered += fmt::format("${}", at->second);
    done = tokens[i].offset + tokens[i].size;
  }
  numbered += text.substr(done);
  Result<std::vector<Statement>> read = parse_statements(numbered, Dialect::postgres);
  if (!read || read->size() != 1) return std::nullopt;
  made.statement = std::move(read->front());
  program::resolve_columns(made.statement, schema);
  return made;
}

}  // namespace heddle::chopping
