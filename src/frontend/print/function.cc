// Calls of functions: the table of those that several dialects have, and those that need more than
// a pattern.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/print.h"

namespace heddle::sql {
namespace {

constexpr std::string_view kNone;

// A function as the tree of each dialect's text names it, and how each dialect writes it: `$1` is
// the first argument, `#1` the same in parentheses where it needs them. Empty: it has none.
struct FunctionRow {
  std::size_t arguments;
  std::array<std::string_view, 3> names;  // of Dialect's order: PostgreSQL, MySQL, SQLite
  std::array<std::string_view, 3> patterns;
};

constexpr FunctionRow kFunctions[] = {
    {1, {"lower", "lower", "lower"}, {"lower($1)", "LOWER($1)", "lower($1)"}},
    {1, {"", "lcase", ""}, {"lower($1)", "LOWER($1)", "lower($1)"}},
    {1, {"upper", "upper", "upper"}, {"upper($1)", "UPPER($1)", "upper($1)"}},
    {1, {"", "ucase", ""}, {"upper($1)", "UPPER($1)", "upper($1)"}},
    {1, {"abs", "abs", "abs"}, {"abs($1)", "ABS($1)", "abs($1)"}},
    {1, {"sign", "sign", "sign"}, {"sign($1)", "SIGN($1)", "sign($1)"}},
    {1, {"round", "round", "round"}, {"round($1)", "ROUND($1)", "round($1)"}},
    {2, {"round", "round", "round"}, {"round($1, $2)", "ROUND($1, $2)", "round($1, $2)"}},
    {1, {"floor", "floor", "floor"}, {"floor($1)", "FLOOR($1)", "floor($1)"}},
    {1, {"ceil", "ceil", "ceil"}, {"ceil($1)", "CEIL($1)", "ceil($1)"}},
    {1, {"ceiling", "ceiling", "ceiling"}, {"ceil($1)", "CEIL($1)", "ceil($1)"}},
    {1, {"sqrt", "sqrt", "sqrt"}, {"sqrt($1)", "SQRT($1)", "sqrt($1)"}},
    {2, {"power", "power", "power"}, {"power($1, $2)", "POW($1, $2)", "pow($1, $2)"}},
    {2, {"pow", "pow", "pow"}, {"power($1, $2)", "POW($1, $2)", "pow($1, $2)"}},
    {2, {"mod", "mod", ""}, {"#1 % #2", "#1 % #2", "#1 % #2"}},
    {2, {"div", "", ""}, {"div($1, $2)", "#1 DIV #2", "CAST(#1 / #2 AS INTEGER)"}},
    {1, {"length", "char_length", "length"}, {"length($1)", "CHAR_LENGTH($1)", "length($1)"}},
    {1, {"char_length", "character_length", ""}, {"length($1)", "CHAR_LENGTH($1)", "length($1)"}},
    {1, {"character_length", "", ""}, {"length($1)", "CHAR_LENGTH($1)", "length($1)"}},
    {1,
     {"octet_length", "length", ""},
     {"octet_length($1)", "LENGTH($1)", "length(CAST($1 AS BLOB))"}},
    {1, {"", "octet_length", ""}, {"octet_length($1)", "LENGTH($1)", "length(CAST($1 AS BLOB))"}},
    {1, {"btrim", "btrim", "btrim"}, {"trim($1)", "TRIM($1)", "trim($1)"}},
    {1, {"", "trim", "trim"}, {"trim($1)", "TRIM($1)", "trim($1)"}},
    {1, {"ltrim", "ltrim", "ltrim"}, {"ltrim($1)", "LTRIM($1)", "ltrim($1)"}},
    {1, {"rtrim", "rtrim", "rtrim"}, {"rtrim($1)", "RTRIM($1)", "rtrim($1)"}},
    {2, {"btrim", "", "btrim"}, {"btrim($1, $2)", kNone, "trim($1, $2)"}},
    {2, {"ltrim", "", "ltrim"}, {"ltrim($1, $2)", kNone, "ltrim($1, $2)"}},
    {2, {"rtrim", "", "rtrim"}, {"rtrim($1, $2)", kNone, "rtrim($1, $2)"}},
    {3,
     {"replace", "replace", "replace"},
     {"replace($1, $2, $3)", "REPLACE($1, $2, $3)", "replace($1, $2, $3)"}},
    {2, {"strpos", "instr", "instr"}, {"strpos($1, $2)", "INSTR($1, $2)", "instr($1, $2)"}},
    {2, {"position", "position", ""}, {"strpos($1, $2)", "INSTR($1, $2)", "instr($1, $2)"}},
    {2, {"", "locate", ""}, {"strpos($2, $1)", "INSTR($2, $1)", "instr($2, $1)"}},
    {1, {"reverse", "reverse", ""}, {"reverse($1)", "REVERSE($1)", kNone}},
    {2, {"repeat", "repeat", ""}, {"repeat($1, $2)", "REPEAT($1, $2)", kNone}},
    {1, {"md5", "md5", ""}, {"md5($1)", "MD5($1)", kNone}},
    {0, {"now", "now", ""}, {"now()", "NOW()", "CURRENT_TIMESTAMP"}},
    {0, {"", "curdate", ""}, {"CURRENT_DATE", "CURRENT_DATE", "CURRENT_DATE"}},
    {0,
     {"random", "rand", ""},
     {"random()", "RAND()", "(abs(random() % 9007199254740992) / 9007199254740992.0)"}},
    {0, {"gen_random_uuid", "uuid", ""}, {"gen_random_uuid()", "UUID()", kNone}},
    {1, {"pg_sleep", "sleep", ""}, {"pg_sleep($1)", "SLEEP($1)", kNone}},
    // PostgreSQL's locks of a session have other keys, and wait for ever.
    {2,
     {"heddle_get_lock", "get_lock", ""},
     {"heddle_get_lock($1, $2)", "GET_LOCK($1, $2)", kNone}},
    {1,
     {"heddle_release_lock", "release_lock", ""},
     {"heddle_release_lock($1)", "RELEASE_LOCK($1)", kNone}},
    {0,
     {"heddle_release_all_locks", "release_all_locks", ""},
     {"heddle_release_all_locks()", "RELEASE_ALL_LOCKS()", kNone}},
    {2, {"", "ifnull", "ifnull"}, {"COALESCE($1, $2)", "IFNULL($1, $2)", "ifnull($1, $2)"}},
    {3,
     {"", "if", "iif"},
     {"CASE WHEN $1 THEN $2 ELSE $3 END", "IF($1, $2, $3)", "iif($1, $2, $3)"}},
    {1, {"", "isnull", ""}, {"(#1 IS NULL)", "ISNULL($1)", "(#1 IS NULL)"}},
    {1, {"count", "count", "count"}, {"count($1)", "COUNT($1)", "count($1)"}},
    {1, {"sum", "sum", "sum"}, {"sum($1)", "SUM($1)", "sum($1)"}},
    {1, {"avg", "avg", "avg"}, {"avg($1)", "AVG($1)", "avg($1)"}},
    {1, {"min", "min", "min"}, {"min($1)", "MIN($1)", "min($1)"}},
    {1, {"max", "max", "max"}, {"max($1)", "MAX($1)", "max($1)"}},
    {0,
     {"row_number", "row_number", "row_number"},
     {"row_number()", "ROW_NUMBER()", "row_number()"}},
    {0, {"rank", "rank", "rank"}, {"rank()", "RANK()", "rank()"}},
    {0,
     {"dense_rank", "dense_rank", "dense_rank"},
     {"dense_rank()", "DENSE_RANK()", "dense_rank()"}},
    {0,
     {"percent_rank", "percent_rank", "percent_rank"},
     {"percent_rank()", "PERCENT_RANK()", "percent_rank()"}},
    {0, {"cume_dist", "cume_dist", "cume_dist"}, {"cume_dist()", "CUME_DIST()", "cume_dist()"}},
    {1, {"ntile", "ntile", "ntile"}, {"ntile($1)", "NTILE($1)", "ntile($1)"}},
    {1, {"lag", "lag", "lag"}, {"lag($1)", "LAG($1)", "lag($1)"}},
    {2, {"lag", "lag", "lag"}, {"lag($1, $2)", "LAG($1, $2)", "lag($1, $2)"}},
    {3, {"lag", "", "lag"}, {"lag($1, $2, $3)", kNone, "lag($1, $2, $3)"}},
    {1, {"lead", "lead", "lead"}, {"lead($1)", "LEAD($1)", "lead($1)"}},
    {2, {"lead", "lead", "lead"}, {"lead($1, $2)", "LEAD($1, $2)", "lead($1, $2)"}},
    {3, {"lead", "", "lead"}, {"lead($1, $2, $3)", kNone, "lead($1, $2, $3)"}},
    {1,
     {"first_value", "first_value", "first_value"},
     {"first_value($1)", "FIRST_VALUE($1)", "first_value($1)"}},
    {1,
     {"last_value", "last_value", "last_value"},
     {"last_value($1)", "LAST_VALUE($1)", "last_value($1)"}},
};

// EXTRACT's fields that are whole numbers everywhere, and strftime's letter.
struct ExtractRow {
  std::string_view field;
  std::string_view letter;
};
constexpr ExtractRow kExtracts[] = {
    {"year", "%Y"}, {"month", "%m"}, {"day", "%d"}, {"hour", "%H"}, {"minute", "%M"}};

std::size_t index_of(Dialect dialect) { return static_cast<std::size_t>(dialect); }

const FunctionRow* find_row(const std::string& function, std::size_t arguments, Dialect from) {
  const auto* const row =
      std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const FunctionRow& one) {
        return one.arguments == arguments && one.names[index_of(from)] == function;
      });
  return row == std::end(kFunctions) ? nullptr : row;
}

std::vector<const Node*> elements(const Node& list) {
  std::vector<const Node*> nodes;
  for (const Node& one : list) nodes.push_back(&one);
  return nodes;
}

}  // namespace

std::string plain_function_name(const Node& names) {
  std::vector<std::string> parts;
  for (const Node& one : names) parts.push_back(one.content().text("sval"));
  const bool is_own = parts.size() == 2 && parts[0] == "pg_catalog";
  return parts.size() == 1 || is_own ? parts.back() : "";
}

Piece Printer::print_call(const Node& content) {
  if (!has_only(content, {"funcname", "args", "agg_order", "agg_filter", "over", "agg_within_group",
                          "agg_star", "agg_distinct", "func_variadic", "funcformat"})) {
    return {};
  }
  const std::string function = plain_function_name(content["funcname"]);
  if (is_same() && is_to(Dialect::postgres)) {
    const bool by_syntax = content.text("funcformat") == "COERCE_SQL_SYNTAX";
    return by_syntax ? print_syntax_call(content, function) : print_plain_call(content);
  }
  if (function.empty()) return {lacks(content, "a function of a schema")};
  const bool is_own = has(content, "agg_within_group") || content.is_true("func_variadic");
  if (is_own) return {lacks(content, "WITHIN GROUP or VARIADIC")};
  if (has(content, "agg_filter") && is_to(Dialect::mysql)) {
    return {lacks(content, "FILTER of an aggregate")};
  }
  bool handled = true;
  Piece piece = print_special_call(content, function, handled);
  if (handled) return piece;
  const FunctionRow* row = find_row(function, size_of(content["args"]), from_);
  if (row == nullptr && is_same()) return print_plain_call(content);
  return print_by_table(content, function);
}

// What stands behind the arguments.
std::string Printer::call_tail(const Node& content) {
  std::string text;
  if (has(content, "agg_filter")) {
    text += " FILTER (WHERE " + print_value(content["agg_filter"]) + ")";
  }
  if (!has(content, "over")) return text;
  const Node& over = content["over"];
  return text + " OVER " + (has(over, "name") ? name(over.text("name")) : print_window(over));
}

Piece Printer::print_plain_call(const Node& content) {
  std::vector<std::string> names;
  for (const Node& one : content["funcname"]) {
    const std::string& part = one.content().text("sval");
    // The other products do not take their own functions in quotes.
    const bool is_bare = !is_to(Dialect::postgres) && is_plain_name(part);
    names.push_back(is_bare ? part : name(part));
  }
  std::vector<std::string> arguments;
  const Node& given = content["args"];
  for (const Node& argument : given) {
    const bool is_last = &argument == given.last;
    const bool variadic = is_last && content.is_true("func_variadic");
    arguments.push_back((variadic ? "VARIADIC " : "") + print_value(argument));
  }
  std::string text = join(names, ".") + "(" + (content.is_true("agg_distinct") ? "DISTINCT " : "");
  text += content.is_true("agg_star") ? "*" : join(arguments, ", ");
  const std::string order = print_order(content["agg_order"], Node(), true);
  if (content.is_true("agg_within_group")) {
    text += ") WITHIN GROUP (ORDER BY " + order;
  } else if (!order.empty()) {
    text += " ORDER BY " + order;
  }
  return {text + ")" + call_tail(content)};
}

// PostgreSQL keeps apart f(a, b) and what has words between the arguments.
Piece Printer::print_syntax_call(const Node& content, const std::string& function) {
  const std::vector<const Node*> arguments = elements(content["args"]);
  const auto text = [&](std::size_t i) { return print_value(*arguments[i]); };
  const auto inner = [&](std::size_t i) { return operand(*arguments[i], Binding::whole); };
  const std::size_t size = arguments.size();
  if (function == "timezone" && size == 2) {
    return {inner(1) + " AT TIME ZONE " + inner(0), Binding::other};
  }
  if (function == "extract" && size == 2) {
    const auto field = string_constant(*arguments[0]);
    const bool is_word =
        field && std::any_of(std::begin(kExtracts), std::end(kExtracts),
                             [&](const ExtractRow& one) { return one.field == *field; });
    return {"EXTRACT(" + (is_word ? *field : text(0)) + " FROM " + text(1) + ")"};
  }
  if (function == "overlaps" && size == 4) {
    return {fmt::format("({}, {}) OVERLAPS ({}, {})", text(0), text(1), text(2), text(3)),
            Binding::other};
  }
  if (function == "position" && size == 2) {
    return {"POSITION(" + inner(1) + " IN " + inner(0) + ")"};
  }
  if (function == "substring" && (size == 2 || size == 3)) {
    return {"SUBSTRING(" + text(0) + " FROM " + text(1) + (size == 3 ? " FOR " + text(2) : "") +
            ")"};
  }
  if (function == "overlay" && (size == 3 || size == 4)) {
    return {"OVERLAY(" + text(0) + " PLACING " + text(1) + " FROM " + text(2) +
            (size == 4 ? " FOR " + text(3) : "") + ")"};
  }
  const std::string side = function == "ltrim"   ? "LEADING "
                           : function == "rtrim" ? "TRAILING "
                                                 : "";
  const bool trims = is_one_of(function, {"btrim", "ltrim", "rtrim"});
  if (trims && size > 0) {
    std::string characters = side;
    if (size > 1) characters += text(1) + " ";
    return {"TRIM(" + characters + (characters.empty() ? "" : "FROM ") + text(0) + ")"};
  }
  return {lacks(content, function)};
}

Piece Printer::print_by_table(const Node& content, const std::string& function) {
  const std::vector<const Node*> arguments = elements(content["args"]);
  const bool is_count = content.is_true("agg_star") && function == "count";
  const FunctionRow* row = find_row(function, arguments.size(), from_);
  if (row == nullptr && !is_count) {
    return {refuse(content, fmt::format("{} of {} arguments", function, arguments.size()),
                   "heddle knows no function there that does the same")};
  }
  const std::string_view pattern = is_count ? "count(*)" : row->patterns[index_of(to_)];
  if (pattern.empty()) return {lacks(content, function)};
  if (has(content, "agg_order")) return {lacks(content, "ORDER BY in " + function)};
  std::string text = fill_pattern(pattern, arguments);
  if (content.is_true("agg_distinct")) text.insert(text.find('(') + 1, "DISTINCT ");
  const bool is_call =
      text.ends_with(')') || text.find(' ') == std::string::npos || text.ends_with(" END");
  return {text + call_tail(content), is_call ? Binding::whole : Binding::product};
}

std::string Printer::fill_pattern(std::string_view pattern,
                                  const std::vector<const Node*>& arguments) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool is_argument = pattern[at] == '$' || pattern[at] == '#';
    if (!is_argument) {
      text += pattern[at];
      continue;
    }
    const bool is_operand = pattern[at] == '#';
    const Node& argument = *arguments[static_cast<std::size_t>(pattern[++at] - '1')];
    text += is_operand ? operand(argument, Binding::whole) : print_value(argument);
  }
  return text;
}

Piece Printer::print_special_call(const Node& content, const std::string& function, bool& handled) {
  const std::size_t size = size_of(content["args"]);
  if (function == kIntervalCall) return print_interval(content);
  if (function == "current_setting" && is_from(Dialect::mysql)) return print_variable(content);
  if (is_one_of(function, {"string_agg", "group_concat"})) {
    return print_joined_strings(content, function);
  }
  if (is_one_of(function, {"substring", "substr"})) return print_substring(content, function);
  if (function == "concat") return print_concat(content);
  if (function == "extract" && size == 2) return print_extract(content);
  if (is_one_of(function, {"nextval", "currval", "lastval"}))
    return print_sequence(content, function);
  const bool is_unit_call = is_one_of(function, {"timestampdiff", "timestampadd"}) && is_same() &&
                            size == 3 && string_constant(*content["args"].first);
  if (is_unit_call) {
    const std::vector<const Node*> arguments = elements(content["args"]);
    return {fmt::format("{}({}, {}, {})", function, *string_constant(*arguments[0]),
                        print_value(*arguments[1]), print_value(*arguments[2]))};
  }
  const bool is_trim = is_one_of(function, {"btrim", "ltrim", "rtrim"}) && size == 2;
  if (is_trim && (is_from(Dialect::mysql) || is_to(Dialect::mysql))) {
    // A set of characters in the others, one string in MySQL: the same when it is one character.
    const std::vector<const Node*> arguments = elements(content["args"]);
    const auto characters = string_constant(*arguments[1]);
    const bool is_clear = characters && characters->size() == 1;
    if (!is_clear && !is_same()) return {lacks(content, "TRIM of these characters")};
    const std::string side = function == "btrim"   ? "BOTH"
                             : function == "ltrim" ? "LEADING"
                                                   : "TRAILING";
    const std::string what = print_value(*arguments[1]);
    const std::string whole = print_value(*arguments[0]);
    if (is_to(Dialect::sqlite)) {
      return {(function == "btrim" ? "trim" : function) + "(" + whole + ", " + what + ")"};
    }
    return {fmt::format("TRIM({} {} FROM {})", side, what, whole)};
  }
  const bool is_extreme =
      is_from(Dialect::sqlite) && size > 1 && is_one_of(function, {"max", "min"});
  if (is_extreme && !is_same()) {
    const std::string word = function == "max" ? "GREATEST" : "LEAST";
    const std::string values = print_values_of(content["args"]);
    if (is_to(Dialect::mysql)) return {word + "(" + values + ")"};
    if (is_volatile(content["args"])) return {lacks(content, function + " of these arguments")};
    std::vector<std::string> nulls;
    for (const Node& one : content["args"])
      nulls.push_back(operand(one, Binding::other) + " IS NULL");
    return {
        fmt::format("CASE WHEN {} THEN NULL ELSE {}({}) END", join(nulls, " OR "), word, values)};
  }
  if (function == "datetime" && is_from(Dialect::sqlite) && !is_same()) {
    const bool is_now =
        size == 0 || (size == 1 && string_constant(*content["args"].first) == "now");
    return {is_now ? "CURRENT_TIMESTAMP" : lacks(content, "datetime of these arguments")};
  }
  handled = false;
  return {};
}

// string_agg(x, s ORDER BY y), GROUP_CONCAT(x ORDER BY y SEPARATOR s), group_concat(x, s)
Piece Printer::print_joined_strings(const Node& content, const std::string& function) {
  const std::vector<const Node*> arguments = elements(content["args"]);
  const bool is_known = function == (is_from(Dialect::postgres) ? "string_agg" : "group_concat");
  if (!is_known || arguments.empty() || arguments.size() > 2) return {lacks(content, function)};
  const std::string distinct = content.is_true("agg_distinct") ? "DISTINCT " : "";
  std::string value = print_value(*arguments[0]);
  const std::string separator =
      arguments.size() == 2 ? print_value(*arguments[1]) : quote_string(",");
  std::string order = print_order(content["agg_order"], Node(), true);
  if (!order.empty()) order = " ORDER BY " + order;
  if (is_to(Dialect::mysql)) {
    const bool is_written = arguments.size() == 1 || string_constant(*arguments[1]);
    if (!is_written) return {lacks(content, "a separator that is not written out")};
    return {"GROUP_CONCAT(" + distinct + value + order + " SEPARATOR " + separator + ")" +
            call_tail(content)};
  }
  if (is_to(Dialect::postgres)) {
    return {"string_agg(" + distinct + "CAST(" + value + " AS text), " + separator + order + ")" +
            call_tail(content)};
  }
  if (!order.empty()) return {lacks(content, "ORDER BY in " + function)};
  const bool is_comma = separator == "','";
  if (!distinct.empty() && !is_comma) return {lacks(content, "DISTINCT with this separator")};
  if (is_comma && !(is_same() && arguments.size() == 2 && distinct.empty())) {
    return {"group_concat(" + distinct + value + ")" + call_tail(content)};
  }
  return {"group_concat(" + value + ", " + separator + ")" + call_tail(content)};
}

// What is before the first character, or counted from the end, differs.
Piece Printer::print_substring(const Node& content, const std::string& function) {
  const std::vector<const Node*> arguments = elements(content["args"]);
  if (arguments.size() != 2 && arguments.size() != 3) return {lacks(content, function)};
  const Node& start = *arguments[1];
  const bool is_positive = is_integer_constant(start) && has(start.content()["ival"], "ival");
  if (!is_same() && !is_positive) {
    return {refuse(content, function + " from this position",
                   "only positions that are written out, from 1 on, mean the same everywhere")};
  }
  const std::string word = is_to(Dialect::mysql) ? "SUBSTRING" : "substr";
  return {word + "(" + print_values_of(content["args"]) + ")"};
}

// concat takes NULL for nothing in PostgreSQL; in MySQL NULL makes the whole NULL.
Piece Printer::print_concat(const Node& content) {
  std::vector<std::string> parts;
  for (const Node& argument : content["args"]) {
    const std::string text = print_value(argument);
    const std::string part = operand(argument, Binding::whole);
    if (is_to(Dialect::postgres)) parts.push_back("CAST(" + text + " AS text)");
    if (is_to(Dialect::mysql)) parts.push_back(is_same() ? text : "COALESCE(" + text + ", '')");
    if (is_to(Dialect::sqlite)) {
      parts.push_back(is_from(Dialect::mysql) ? part : "COALESCE(" + text + ", '')");
    }
  }
  if (is_from(Dialect::sqlite)) return {lacks(content, "concat")};
  if (parts.empty()) return {lacks(content, "concat of nothing")};
  if (is_to(Dialect::mysql)) return {"CONCAT(" + join(parts, ", ") + ")"};
  return {"(" + join(parts, " || ") + (parts.size() == 1 ? " || ''" : "") + ")"};
}

Piece Printer::print_extract(const Node& content) {
  const std::vector<const Node*> arguments = elements(content["args"]);
  const auto field = string_constant(*arguments[0]);
  const std::string value = print_value(*arguments[1]);
  if (field && is_same()) return {"EXTRACT(" + *field + " FROM " + value + ")"};
  for (const ExtractRow& row : kExtracts) {
    if (!field || to_lower(*field) != row.field) continue;
    if (!is_to(Dialect::sqlite)) return {fmt::format("EXTRACT({} FROM {})", row.field, value)};
    return {fmt::format("CAST(strftime('{}', {}) AS INTEGER)", row.letter, value)};
  }
  return {lacks(content, "EXTRACT of this field")};
}

// PostgreSQL names a sequence by a string, MariaDB by a name.
Piece Printer::print_sequence(const Node& content, const std::string& function) {
  const std::vector<const Node*> arguments = elements(content["args"]);
  const std::string in_mysql = function == "nextval" ? "NEXTVAL" : "LASTVAL";
  if (is_to(Dialect::sqlite) || is_from(Dialect::sqlite)) return {lacks(content, function)};
  if (arguments.size() != 1) return {lacks(content, function + " of these arguments")};
  if (is_from(Dialect::mysql)) {
    if (arguments[0]->type() != "ColumnRef" || function == "currval") {
      return {lacks(content, function + " of these arguments")};
    }
    const std::string sequence = print_value(*arguments[0]);
    if (is_to(Dialect::mysql)) return {in_mysql + "(" + sequence + ")"};
    return {(function == "nextval" ? "nextval(" : "currval(") + quote_string(sequence) + ")"};
  }
  const auto sequence = string_constant(*arguments[0]);
  if (!sequence || !is_plain_name(*sequence) || function == "lastval") {
    return {lacks(content, function + " of a sequence that is not written out")};
  }
  return {in_mysql + "(" + name(to_lower(*sequence)) + ")"};
}

Piece Printer::print_interval(const Node& content) {
  const std::vector<const Node*> arguments = elements(content["args"]);
  const std::string unit = string_constant(*arguments[1]).value_or("");
  if (is_to(Dialect::mysql)) {
    return {"INTERVAL " + operand(*arguments[0], Binding::whole) + " " + to_lower(unit)};
  }
  const bool is_known =
      is_integer_constant(*arguments[0]) &&
      is_one_of(unit, {"second", "minute", "hour", "day", "week", "month", "year"});
  if (!is_to(Dialect::postgres) || !is_known) return {lacks(content, "this INTERVAL")};
  return {fmt::format("CAST('{} {}' AS interval)", print_value(*arguments[0]), unit)};
}

// @x, which stands in the tree as a call.
Piece Printer::print_variable(const Node& content) {
  const std::size_t location = location_of(content);
  const MysqlToken* token = location == kNoOffset ? nullptr : source_.token_at(location);
  const bool is_variable = token != nullptr && token->kind == MysqlTokenKind::variable;
  if (!is_variable || !is_same()) return {lacks(content, "a variable of the session")};
  return {std::string(source_.sql.substr(token->offset, token->size))};
}

}  // namespace heddle::sql
