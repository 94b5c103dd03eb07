// Values of the client, read from PostgreSQL's own tree of `SELECT expression`.
#include "frontend/plpgsql/expression.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/plpgsql/scope.h"
#include "frontend/plpgsql/types.h"
#include "frontend/sql/reader.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/functions.h"
#include "frontend/sql/words/lexer.h"
#include "program/text.h"

namespace heddle::plpgsql {

namespace {

using sql::Node;
using sql::Tokens;

constexpr std::string_view kSelect = "SELECT ";
constexpr std::size_t kDeepestExpression = 500;

using Spelling = std::pair<std::string_view, std::string_view>;

constexpr std::array kTests = {
    Spelling{"IS_NULL", "is null"},       Spelling{"IS_NOT_NULL", "is not null"},
    Spelling{"IS_TRUE", "is true"},       Spelling{"IS_NOT_TRUE", "is not true"},
    Spelling{"IS_FALSE", "is false"},     Spelling{"IS_NOT_FALSE", "is not false"},
    Spelling{"IS_UNKNOWN", "is unknown"}, Spelling{"IS_NOT_UNKNOWN", "is not unknown"},
};

constexpr std::array kValueFunctions = {
    Spelling{"SVFOP_CURRENT_DATE", "current_date"},
    Spelling{"SVFOP_CURRENT_TIME", "current_time"},
    Spelling{"SVFOP_CURRENT_TIMESTAMP", "current_timestamp"},
    Spelling{"SVFOP_LOCALTIME", "localtime"},
    Spelling{"SVFOP_LOCALTIMESTAMP", "localtimestamp"},
    Spelling{"SVFOP_CURRENT_USER", "current_user"},
    Spelling{"SVFOP_SESSION_USER", "session_user"},
};

template <std::size_t size>
std::string spelling(const std::array<Spelling, size>& table, std::string_view name) {
  for (const auto& [from, to] : table) {
    if (from == name) return std::string(to);
  }
  return "";
}

class ValueReader {
 public:
  ValueReader(std::string_view text, const NameResolver& resolve, const FunctionFilter& is_routine)
      : tokens_(text), resolve_(resolve), is_routine_(is_routine) {}

  Expression read(const Node& node) {
    if (depth_ == kDeepestExpression) {
      fail("the expression is nested too deeply", node, Trouble::bound);
      return {};
    }
    ++depth_;
    Expression result = read_one(node);
    --depth_;
    return result;
  }

  std::optional<ReadTrouble> trouble;
  bool asks_store = false;

 private:
  void fail(std::string what, const Node& node, Trouble kind = Trouble::bad_input) {
    if (trouble) return;
    const std::size_t at = sql::first_location(node);
    trouble = ReadTrouble{.what = std::move(what),
                          .offset = at == sql::kNoOffset ? kSelect.size() : at,
                          .trouble = kind};
  }

  std::vector<Expression> read_all(const Node& list) {
    std::vector<Expression> values;
    for (const Node& item : list) values.push_back(read(item));
    return values;
  }

  // What only the store can compute.
  Expression of_store(std::string_view what, std::vector<Expression> operands) {
    asks_store = true;
    return {.kind = ExpressionKind::unknown,
            .text = std::string(what),
            .operands = std::move(operands)};
  }

  Expression read_one(const Node& node) {
    using Reader = Expression (ValueReader::*)(const Node&);
    struct Row {
      std::string_view type;
      Reader reader;
    };
    static constexpr std::array kReaders = {
        Row{"A_Const", &ValueReader::read_constant},
        Row{"ColumnRef", &ValueReader::read_name},
        Row{"ParamRef", &ValueReader::read_parameter},
        Row{"A_Expr", &ValueReader::read_operator},
        Row{"BoolExpr", &ValueReader::read_logic},
        Row{"NullTest", &ValueReader::read_test},
        Row{"BooleanTest", &ValueReader::read_test},
        Row{"CaseExpr", &ValueReader::read_case},
        Row{"CoalesceExpr", &ValueReader::read_coalesce},
        Row{"MinMaxExpr", &ValueReader::read_extreme},
        Row{"TypeCast", &ValueReader::read_cast},
        Row{"A_ArrayExpr", &ValueReader::read_array},
        Row{"RowExpr", &ValueReader::read_row},
        Row{"A_Indirection", &ValueReader::read_element},
        Row{"FuncCall", &ValueReader::read_call},
        Row{"SQLValueFunction", &ValueReader::read_value_function},
    };
    for (const Row& row : kReaders) {
      if (row.type == node.type()) return (this->*row.reader)(node.content());
    }
    return of_store(node.type(), {});  // subqueries
  }

  // The tree drops the sign of negative numbers, so their text is taken.
  Expression read_constant(const Node& constant) {
    Expression literal;
    if (constant["isnull"].is_present()) return literal;
    if (constant["boolval"].is_present()) {
      literal.text = constant["boolval"].is_true("boolval") ? "true" : "false";
    } else if (constant["sval"].is_present()) {
      literal.text = program::string_text(constant["sval"].text("sval"));
    } else {
      // The parser takes the signs in front of a number for its own: - (-5).
      std::size_t at = tokens_.index_at(std::stoul(constant.text("location")));
      bool negative = false;
      for (; tokens_.is_symbol(at, '-') || tokens_.is_symbol(at, '('); ++at) {
        if (tokens_.is_symbol(at, '-')) negative = !negative;
      }
      literal.text = (negative ? "-" : "") + std::string(tokens_.text(at));
    }
    return literal;
  }

  Expression read_name(const Node& reference) {
    const std::vector<std::string> path = sql::string_list(reference["fields"]);
    if (path.empty()) {
      fail("* is no value", reference);
      return {};
    }
    if (auto known = resolve_(path)) return *known;
    const std::string name = join(path, ".");
    fail(fmt::format("there is no variable \"{}\"", name), reference);
    return {};
  }

  Expression read_parameter(const Node& parameter) {
    const std::string name = "$" + parameter.text("number");
    if (auto known = resolve_({name})) return *known;
    fail(fmt::format("there is no parameter {}", name), parameter);
    return {};
  }

  Expression read_operator(const Node& expression) {
    const std::string& kind = expression.text("kind");
    const std::vector<std::string> path = sql::string_list(expression["name"]);
    std::string name = path.empty() ? "" : path.back();
    if (kind == "AEXPR_OP") {
      std::vector<Expression> operands;
      if (expression["lexpr"].is_present()) operands.push_back(read(expression["lexpr"]));
      operands.push_back(read(expression["rexpr"]));
      if (auto rows = are_equal_rows(name, operands)) return *rows;
      return call(std::move(name), std::move(operands));
    }
    return read_special_operator(kind, name, expression);
  }

  Expression read_special_operator(const std::string& kind, const std::string& name,
                                   const Node& expression) {
    Expression left = read(expression["lexpr"]);
    if (kind == "AEXPR_IN" || kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") {
      std::vector<Expression> operands = {std::move(left)};
      for (Expression& value : read_all(expression["rexpr"].content()["items"])) {
        operands.push_back(std::move(value));
      }
      if (kind == "AEXPR_IN") return is_in(name == "=", std::move(operands));
      return call(kind == "AEXPR_BETWEEN" ? "between" : "not between", std::move(operands));
    }
    static constexpr std::array kNames = {
        Spelling{"AEXPR_DISTINCT=", "is distinct from"},
        Spelling{"AEXPR_NOT_DISTINCT=", "is not distinct from"},
        Spelling{"AEXPR_LIKE~~", "like"},
        Spelling{"AEXPR_LIKE!~~", "not like"},
        Spelling{"AEXPR_ILIKE~~*", "ilike"},
        Spelling{"AEXPR_ILIKE!~~*", "not ilike"},
        Spelling{"AEXPR_NULLIF=", "nullif"},
    };
    std::string known = spelling(kNames, kind + name);
    const bool is_any = kind == "AEXPR_OP_ANY" && name == "=";
    if (is_any || (kind == "AEXPR_OP_ALL" && name == "<>")) {
      Expression array = read(expression["rexpr"]);
      // Of the elements that stand there; an empty list is none of IN.
      if (array.kind == ExpressionKind::call && array.text == "array" && !array.operands.empty()) {
        array.operands.insert(array.operands.begin(), std::move(left));
        return is_in(is_any, std::move(array.operands));
      }
      return of_store(is_any ? "= any" : "<> all", {std::move(left), std::move(array)});
    }
    if (known.empty()) return of_store(name, {std::move(left), read(expression["rexpr"])});
    return call(std::move(known), {std::move(left), read(expression["rexpr"])});
  }

  // (a, b) = (c, d) is a = c AND b = d; none: it compares no rows, or otherwise.
  static std::optional<Expression> are_equal_rows(const std::string& name,
                                                  const std::vector<Expression>& sides) {
    const auto is_row = [](const Expression& side) {
      return side.kind == ExpressionKind::call && side.text == "row";
    };
    const bool are_rows = sides.size() == 2 && is_row(sides[0]) && is_row(sides[1]) &&
                          sides[0].operands.size() == sides[1].operands.size() &&
                          !sides[0].operands.empty();
    if (!are_rows || (name != "=" && name != "<>")) return std::nullopt;
    std::vector<Expression> equal;
    for (std::size_t i = 0; i < sides[0].operands.size(); ++i) {
      equal.push_back(call("=", {sides[0].operands[i], sides[1].operands[i]}));
    }
    Expression all = equal.size() == 1 ? std::move(equal.front()) : call("and", std::move(equal));
    return name == "=" ? std::move(all) : call("not", {std::move(all)});
  }

  static Expression is_in(bool is_in, std::vector<Expression> operands) {
    std::vector<Expression> ways;
    for (std::size_t i = 1; i < operands.size(); ++i) {
      auto way = are_equal_rows("=", {operands[0], operands[i]});
      if (!way) return call(is_in ? "in" : "not in", std::move(operands));
      ways.push_back(std::move(*way));
    }
    Expression any = ways.size() == 1 ? std::move(ways.front()) : call("or", std::move(ways));
    return is_in ? std::move(any) : call("not", {std::move(any)});
  }

  Expression read_logic(const Node& logic) {
    const std::string& kind = logic.text("boolop");
    return call(kind == "NOT_EXPR"   ? "not"
                : kind == "AND_EXPR" ? "and"
                                     : "or",
                read_all(logic["args"]));
  }

  Expression read_test(const Node& test) {
    const std::string& kind =
        test["nulltesttype"].is_present() ? test.text("nulltesttype") : test.text("booltesttype");
    return call(spelling(kTests, kind), {read(test["arg"])});
  }

  // CASE x WHEN y is CASE WHEN x = y.
  Expression read_case(const Node& choice) {
    Expression result{.kind = ExpressionKind::choice, .text = "", .operands = {}};
    for (const Node& item : choice["args"]) {
      Expression condition = read(item.content()["expr"]);
      if (choice["arg"].is_present()) {
        condition = call("=", {read(choice["arg"]), std::move(condition)});
      }
      result.operands.push_back(std::move(condition));
      result.operands.push_back(read(item.content()["result"]));
    }
    if (choice["defresult"].is_present()) result.operands.push_back(read(choice["defresult"]));
    return result;
  }

  Expression read_coalesce(const Node& content) {
    return call("coalesce", read_all(content["args"]));
  }
  Expression read_extreme(const Node& content) {
    return call(content.text("op") == "IS_LEAST" ? "least" : "greatest", read_all(content["args"]));
  }
  Expression read_array(const Node& content) {
    return call("array", read_all(content["elements"]));
  }

  Expression read_row(const Node& content) { return call("row", read_all(content["args"])); }

  Expression read_cast(const Node& cast) {
    return {.kind = ExpressionKind::cast,
            .text = type_text(cast["typeName"]),
            .operands = {read(cast["arg"])}};
  }

  Expression read_element(const Node& access) {
    Expression value = read(access["arg"]);
    for (const Node& step : access["indirection"]) {
      if (step.type() == "String") {
        value = {.kind = ExpressionKind::field,
                 .text = step.content().text("sval"),
                 .operands = {std::move(value)}};
      } else if (step.type() == "A_Indices" && !step.content()["lidx"].is_present()) {
        value = {.kind = ExpressionKind::element,
                 .text = "",
                 .operands = {std::move(value), read(step.content()["uidx"])}};
      } else {
        value = of_store("element", {std::move(value)});
      }
    }
    return value;
  }

  Expression read_call(const Node& function) {
    std::vector<std::string> path = sql::string_list(function["funcname"]);
    if (path.size() == 2 && path[0] == "pg_catalog") path.erase(path.begin());
    const std::string name = join(path, ".");
    std::vector<Expression> operands = read_all(function["args"]);
    if (name == program::kUnknownFunction && !operands.empty() &&
        operands[0].kind == ExpressionKind::literal) {
      return read_unknown(std::move(operands));
    }
    if (is_routine_ && is_routine_(path.back())) {
      return call(std::string(kRoutineCall) + path.back(), std::move(operands));
    }
    const sql::FunctionTraits traits = sql::find_function(name, Dialect::postgres);
    // Syntax of its own, such as EXTRACT(year FROM x), sequences and locks are the store's matter.
    const bool locks = name.find("_advisory_") != std::string::npos;
    if (!traits.known || traits.generated || traits.aggregate || traits.set_returning || locks ||
        function.text("funcformat") == "COERCE_SQL_SYNTAX" || function["agg_star"].is_present()) {
      return of_store(name, std::move(operands));
    }
    return call(name, std::move(operands));
  }

  static Expression read_unknown(std::vector<Expression> operands) {
    std::string what = operands.front().text;
    if (what.size() >= 2) what = what.substr(1, what.size() - 2);
    for (std::size_t i = 0; (i = what.find("''", i)) != std::string::npos; ++i) what.erase(i, 1);
    operands.erase(operands.begin());
    return {
        .kind = ExpressionKind::unknown, .text = std::move(what), .operands = std::move(operands)};
  }

  Expression read_value_function(const Node& function) {
    return of_store(spelling(kValueFunctions, function.text("op")), {});
  }

  Tokens tokens_;
  const NameResolver& resolve_;
  const FunctionFilter& is_routine_;
  std::size_t depth_ = 0;
};

}  // namespace

Read<ReadValue> read_value(std::string_view text, const Names& names) {
  return read_value(text,
                    [&](const std::vector<std::string>& path) { return names.resolve(path); });
}

Read<ReadValue> read_value(std::string_view text, const NameResolver& resolve,
                           const FunctionFilter& is_routine) {
  Read<ReadValue> result;
  const std::string query = std::string(kSelect) + std::string(text);
  const sql::ParseOutcome parsed = sql::parse_tree(query);
  const auto fail = [&](ReadTrouble trouble) {
    trouble.offset -= std::min(trouble.offset, kSelect.size());
    result.is_ok = false;
    result.trouble = std::move(trouble);
    return result;
  };
  if (!parsed.is_ok) {
    return fail({parsed.trouble.message, parsed.trouble.offset, parsed.trouble.trouble});
  }
  const Node* select =
      parsed.tree.statements.size() == 1 ? parsed.tree.statements[0].node : nullptr;
  if (select == nullptr || select->type() != "SelectStmt") return fail({"not one expression"});
  const Node& content = select->content();
  // `x := a FROM t WHERE ...` is a query in PL/pgSQL.
  const bool is_query = content["fromClause"].is_present() ||
                        content["op"].scalar != "SETOP_NONE" ||
                        content["targetList"].first == nullptr ||
                        content["targetList"].first != content["targetList"].last;
  if (is_query) {
    result.value.asks_store = true;
    return result;
  }
  ValueReader reader(query, resolve, is_routine);
  result.value.value = reader.read(content["targetList"].first->content()["val"]);
  if (reader.trouble && !reader.asks_store) return fail(std::move(*reader.trouble));
  result.value.asks_store = reader.asks_store;
  return result;
}

}  // namespace heddle::plpgsql
