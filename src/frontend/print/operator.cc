// Operators.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/print.h"

namespace heddle::sql {
namespace {

constexpr std::string_view kComparisons[] = {"=", "<", ">", "<=", ">=", "<>"};

bool is_comparison(const std::string& symbol) {
  return std::find(std::begin(kComparisons), std::end(kComparisons), symbol) !=
         std::end(kComparisons);
}

std::string last_name(const Node& names) {
  std::string last;
  for (const Node& one : names) last = one.content().text("sval");
  return last;
}

// An infix operator by the word that the source has for it.
std::string source_word(const PrintSource& source, const Node& content) {
  const std::size_t location = location_of(content);
  const MysqlToken* token = location == kNoOffset ? nullptr : source.token_at(location);
  return token == nullptr ? "" : token->word;
}

// Signs that mean the same in every product's regular expressions.
bool is_simple_expression(const std::string& pattern) {
  constexpr std::string_view kSigns = "^$.*+?|()[]- _,:;@#/'\"=<>!%&";
  return std::all_of(pattern.begin(), pattern.end(),
                     [&](char c) {
                       const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
                       return is_letter || is_digit(c) || kSigns.find(c) != std::string_view::npos;
                     }) &&
         pattern.find("[:") == std::string::npos && pattern.find("(?") == std::string::npos &&
         pattern.find("***") == std::string::npos;
}

// A pattern of LIKE as one of GLOB; the backslash escapes.
std::optional<std::string> to_glob(const std::string& pattern) {
  std::string glob;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    char c = pattern[at];
    const bool escaped = c == '\\';
    if (escaped && ++at >= pattern.size()) return std::nullopt;
    c = pattern[at];
    if (!escaped && (c == '%' || c == '_')) {
      glob += c == '%' ? '*' : '?';
    } else if (c == '*' || c == '?' || c == '[') {
      glob += std::string("[") + c + "]";
    } else {
      glob += c;
    }
  }
  return glob;
}

// The other way round; none: a set of characters.
std::optional<std::string> to_like(const std::string& glob) {
  std::string pattern;
  for (char c : glob) {
    if (c == '[') return std::nullopt;
    if (c == '*' || c == '?') {
      pattern += c == '*' ? '%' : '_';
    } else {
      if (c == '%' || c == '_' || c == '\\') pattern += '\\';
      pattern += c;
    }
  }
  return pattern;
}

}  // namespace

std::string Printer::own_operator_name(const Node& names) {
  if (size_of(names) == 1) return last_name(names);
  std::vector<std::string> parts;
  for (const Node& one : names) {
    const std::string& part = one.content().text("sval");
    parts.push_back(&one == names.last ? part : name(part));
  }
  return "OPERATOR(" + join(parts, ".") + ")";
}

Piece Printer::print_operator(const Node& content) {
  struct Kind {
    std::string_view kind;
    Piece (Printer::*print)(const Node&);
  };
  static constexpr Kind kKinds[] = {
      {"AEXPR_OP", &Printer::print_plain_operator},
      {"AEXPR_OP_ANY", &Printer::print_any_of_array},
      {"AEXPR_OP_ALL", &Printer::print_any_of_array},
      {"AEXPR_DISTINCT", &Printer::print_distinct_from},
      {"AEXPR_NOT_DISTINCT", &Printer::print_distinct_from},
      {"AEXPR_NULLIF", &Printer::print_nullif},
      {"AEXPR_IN", &Printer::print_in},
      {"AEXPR_LIKE", &Printer::print_like},
      {"AEXPR_ILIKE", &Printer::print_like},
      {"AEXPR_SIMILAR", &Printer::print_similar},
      {"AEXPR_BETWEEN", &Printer::print_between},
      {"AEXPR_NOT_BETWEEN", &Printer::print_between},
      {"AEXPR_BETWEEN_SYM", &Printer::print_between},
      {"AEXPR_NOT_BETWEEN_SYM", &Printer::print_between},
  };
  if (!has_only(content, {"kind", "name", "lexpr", "rexpr"})) return {};
  for (const Kind& kind : kKinds) {
    if (content.text("kind") == kind.kind) return (this->*kind.print)(content);
  }
  return {lacks(content, content.text("kind"))};
}

Piece Printer::join_operands(const Node& content, const std::string& symbol, Binding binding) {
  // Of all others the dialects do not agree who binds stronger.
  const bool is_arithmetic = binding == Binding::sum || binding == Binding::product;
  const auto stronger =
      is_arithmetic ? static_cast<Binding>(static_cast<int>(binding) + 1) : Binding::whole;
  const std::string left = operand(content["lexpr"], is_arithmetic ? binding : stronger);
  return {left + " " + symbol + " " + operand(content["rexpr"], stronger), binding};
}

Piece Printer::print_plain_operator(const Node& content) {
  const std::string symbol = last_name(content["name"]);
  const bool is_qualified = size_of(content["name"]) != 1;
  if (is_qualified) return print_own_operator(content);
  if (!has(content, "lexpr")) return print_unary(content, symbol);
  if (source_word(source_, content) == "xor") {
    if (!is_to(Dialect::mysql)) return {lacks(content, "XOR")};
    return {operand(content["lexpr"], Binding::whole) + " XOR " +
                operand(content["rexpr"], Binding::whole),
            Binding::or_};
  }
  if (is_comparison(symbol)) {
    const auto side = [&](const char* field) { return operand(content[field], Binding::other); };
    return {side("lexpr") + " " + symbol + " " + side("rexpr"), Binding::comparison};
  }
  if (symbol == "/") return print_division(content);
  const bool is_arithmetic = symbol == "+" || symbol == "-" || symbol == "*" || symbol == "%";
  if (is_arithmetic) return print_arithmetic(content, symbol);
  if (symbol == "||") return print_concatenation(content);
  if (symbol.size() <= 3 && symbol.find('~') != std::string::npos &&
      symbol.find('#') == std::string::npos) {
    return print_regular(content, symbol);
  }
  return print_bits(content, symbol);
}

Piece Printer::print_unary(const Node& content, const std::string& symbol) {
  if (symbol == "+" || symbol == "-") {
    return {symbol + " " + operand(content["rexpr"], Binding::whole), Binding::sign};
  }
  if (symbol == "!" && is_from(Dialect::mysql)) {
    // What follows binds otherwise there: only a value that stands alone is clear.
    if (content["rexpr"].type() == "A_Expr") {
      return {refuse(content, "! before an operator", "say NOT, and parentheses")};
    }
    return {"NOT " + operand(content["rexpr"], Binding::not_), Binding::not_};
  }
  const bool is_bits = symbol == "~" && !is_from(Dialect::mysql) && !is_to(Dialect::mysql);
  if (!is_same() && !is_bits) return {lacks(content, "the operator " + symbol)};
  return {symbol + " " + operand(content["rexpr"], Binding::whole), Binding::other};
}

Piece Printer::print_arithmetic(const Node& content, const std::string& symbol) {
  for (const char* side : {"lexpr", "rexpr"}) {
    const Node& one = content[side];
    const bool is_interval =
        one.type() == "FuncCall" && plain_function_name(one.content()["funcname"]) == kIntervalCall;
    if (is_interval && is_to(Dialect::sqlite)) return {lacks(one, "INTERVAL")};
    // Of a date and an interval MySQL makes a date, PostgreSQL a timestamp.
    const Node& other = content[std::string_view(side) == "lexpr" ? "rexpr" : "lexpr"];
    const bool is_clock =
        other.type() == "SQLValueFunction" ||
        (other.type() == "FuncCall" && plain_function_name(other.content()["funcname"]) == "now");
    if (is_interval && is_to(Dialect::postgres) && !is_clock) {
      return {lacks(one, "INTERVAL beside what may be a date")};
    }
  }
  const bool is_sum = symbol == "+" || symbol == "-";
  return join_operands(content, symbol, is_sum ? Binding::sum : Binding::product);
}

// Of integers, PostgreSQL and SQLite cut the quotient off, MySQL does not; it has DIV for that.
Piece Printer::print_division(const Node& content) {
  const bool is_div = source_word(source_, content) == "div";
  if (is_same()) return join_operands(content, is_div ? "DIV" : "/", Binding::product);
  const Node& left = content["lexpr"];
  const Node& right = content["rexpr"];
  const auto is_fraction = [](const Node& node) {
    return node.type() == "A_Const" && has(node.content(), "fval") &&
           node.content()["fval"].text("fval").find('.') != std::string::npos;
  };
  const bool integers = is_integer_constant(left) && is_integer_constant(right);
  const bool fractions = is_fraction(left) || is_fraction(right);
  if (is_div) {
    if (is_to(Dialect::postgres))
      return {"div(" + print_value(left) + ", " + print_value(right) + ")"};
    const Piece quotient = join_operands(content, "/", Binding::product);
    return {"CAST(" + quotient.text + " AS INTEGER)"};
  }
  const bool both_cut = !is_from(Dialect::mysql) && !is_to(Dialect::mysql);
  if (both_cut || fractions) return join_operands(content, "/", Binding::product);
  if (is_to(Dialect::mysql) && integers) return join_operands(content, "DIV", Binding::product);
  const bool by_number =
      is_from(Dialect::mysql) && is_integer_constant(right) && has(right.content()["ival"], "ival");
  if (by_number) {
    return {operand(left, Binding::product) + " / " + print_value(right) + ".0", Binding::product};
  }
  return {refuse(content, "/",
                 "integers are divided otherwise there: write one operand with a decimal point, "
                 "or DIV in MySQL")};
}

// MySQL's bits are those of unsigned numbers.
Piece Printer::print_bits(const Node& content, const std::string& symbol) {
  const bool is_plain = symbol == "&" || symbol == "|" || symbol == "<<" || symbol == ">>";
  if (is_same()) {
    const bool is_known = is_to(Dialect::postgres) || is_plain || symbol == "^";
    if (!is_known) return {lacks(content, "the operator " + symbol)};
    return join_operands(content, symbol, Binding::other);
  }
  const auto is_positive = [](const Node& node) {
    return is_integer_constant(node) && has(node.content()["ival"], "ival");
  };
  const bool is_masked = is_positive(content["lexpr"]) || is_positive(content["rexpr"]);
  const std::string left = operand(content["lexpr"], Binding::whole);
  const std::string right = operand(content["rexpr"], Binding::whole);
  if (symbol == "&" && is_masked) return {left + " & " + right, Binding::other};
  const bool is_set = symbol == "&" || symbol == "|";
  if (is_set && is_to(Dialect::mysql)) {
    return {fmt::format("CAST({} {} {} AS SIGNED)", left, symbol, right)};
  }
  if (is_set && !is_from(Dialect::mysql))
    return {left + " " + symbol + " " + right, Binding::other};
  if (symbol == "^" && is_from(Dialect::postgres) && is_to(Dialect::mysql)) {
    return {"POW(" + print_value(content["lexpr"]) + ", " + print_value(content["rexpr"]) + ")"};
  }
  return {lacks(content, "the operator " + symbol)};
}

Piece Printer::print_concatenation(const Node& content) {
  for (const char* side : {"lexpr", "rexpr"}) {
    const bool is_array = content[side].type() == "A_ArrayExpr";
    if (is_array && !is_to(Dialect::postgres)) return {lacks(content[side], "an array")};
  }
  if (!is_to(Dialect::mysql)) return join_operands(content, "||", Binding::other);
  return {"CONCAT(" + print_value(content["lexpr"]) + ", " + print_value(content["rexpr"]) + ")"};
}

// ~ is PostgreSQL's regular expressions; from MySQL it is REGEXP, from SQLite GLOB.
Piece Printer::print_regular(const Node& content, const std::string& symbol) {
  const bool negated = symbol.starts_with('!');
  const bool binary = is_from(Dialect::mysql) && source_.is_binary(location_of(content));
  const std::string left = operand(content["lexpr"], Binding::other);
  if (is_same()) {
    if (is_to(Dialect::postgres)) return join_operands(content, symbol, Binding::other);
    const std::string word = is_to(Dialect::sqlite) ? "GLOB "
                             : binary               ? "REGEXP BINARY "
                                                    : "REGEXP ";
    return {left + (negated ? " NOT " : " ") + word + operand(content["rexpr"], Binding::other),
            Binding::comparison};
  }
  const auto pattern = string_constant(content["rexpr"]);
  if (is_from(Dialect::sqlite)) {
    const auto like = pattern ? to_like(*pattern) : std::nullopt;
    if (!like) return {lacks(content, "GLOB with this pattern")};
    const std::string words = is_to(Dialect::mysql) ? " LIKE BINARY " : " LIKE ";
    return {left + (negated ? " NOT" : "") + words + print_string(*like, to_), Binding::comparison};
  }
  const bool is_known = symbol == "~" || symbol == "!~" || symbol == "~*" || symbol == "!~*";
  if (is_to(Dialect::sqlite) || !is_known) return {lacks(content, "a regular expression")};
  if (!pattern || !is_simple_expression(*pattern)) {
    return {refuse(content, "this regular expression", "theirs are not the same language")};
  }
  const std::string text = print_string(*pattern, to_);
  if (is_to(Dialect::postgres)) {
    return {left + (negated ? " !~" : " ~") + (binary ? " " : "* ") + text, Binding::other};
  }
  const bool any_case = symbol.ends_with('*');
  return {left + (negated ? " NOT" : "") + " REGEXP " + (any_case ? "" : "BINARY ") + text,
          Binding::comparison};
}

Piece Printer::print_own_operator(const Node& content) {
  if (!is_to(Dialect::postgres) || !is_same()) return {lacks(content, "OPERATOR()")};
  const std::string symbol = own_operator_name(content["name"]);
  const std::string right = operand(content["rexpr"], Binding::whole);
  if (!has(content, "lexpr")) return {symbol + " " + right, Binding::other};
  return {operand(content["lexpr"], Binding::whole) + " " + symbol + " " + right, Binding::other};
}

Piece Printer::print_distinct_from(const Node& content) {
  const bool distinct = content.text("kind") == "AEXPR_DISTINCT";
  const std::string left = operand(content["lexpr"], Binding::other);
  const std::string right = operand(content["rexpr"], Binding::other);
  if (is_to(Dialect::postgres)) {
    return {left + (distinct ? " IS DISTINCT FROM " : " IS NOT DISTINCT FROM ") + right,
            Binding::comparison};
  }
  if (is_to(Dialect::sqlite)) {
    // IS TRUE and the like would ask something else.
    const bool is_word =
        content["rexpr"].type() == "A_Const" && has(content["rexpr"].content(), "boolval");
    return {left + (distinct ? " IS NOT " : " IS ") + (is_word ? "(+" + right + ")" : right),
            Binding::comparison};
  }
  const std::string same = left + " <=> " + right;
  if (distinct) return {"NOT " + same, Binding::not_};
  return {same, Binding::comparison};
}

Piece Printer::print_nullif(const Node& content) {
  return {"NULLIF(" + print_value(content["lexpr"]) + ", " + print_value(content["rexpr"]) + ")"};
}

Piece Printer::print_in(const Node& content) {
  const bool negated = last_name(content["name"]) == "<>";
  return {operand(content["lexpr"], Binding::other) + (negated ? " NOT IN " : " IN ") +
              print_value(content["rexpr"]),
          Binding::comparison};
}

Piece Printer::print_any_of_array(const Node& content) {
  const bool any = content.text("kind") == "AEXPR_OP_ANY";
  const std::string symbol = own_operator_name(content["name"]);
  const std::string left = operand(content["lexpr"], Binding::other);
  if (is_to(Dialect::postgres)) {
    return {left + " " + symbol + (any ? " ANY (" : " ALL (") + print_value(content["rexpr"]) + ")",
            Binding::comparison};
  }
  const bool is_in = (any && symbol == "=") || (!any && symbol == "<>");
  const Node& array = content["rexpr"];
  const bool is_list =
      array.type() == "A_ArrayExpr" && array.content()["elements"].first != nullptr;
  if (!is_in || !is_list) return {lacks(content, "ANY or ALL of an array")};
  return {left + (any ? " IN (" : " NOT IN (") + print_values_of(array.content()["elements"]) + ")",
          Binding::comparison};
}

Piece Printer::print_similar(const Node& content) {
  if (!is_to(Dialect::postgres)) return {lacks(content, "SIMILAR TO")};
  const bool negated = last_name(content["name"]) == "!~";
  const Node& arguments = content["rexpr"].content()["args"];
  std::string text = operand(content["lexpr"], Binding::other) +
                     (negated ? " NOT SIMILAR TO " : " SIMILAR TO ") +
                     operand(*arguments.first, Binding::other);
  const Node* escape = arguments.first->next;
  if (escape != nullptr) text += " ESCAPE " + operand(*escape, Binding::other);
  return {text, Binding::comparison};
}

Piece Printer::print_between(const Node& content) {
  const std::string& kind = content.text("kind");
  const bool symmetric = kind.ends_with("_SYM");
  if (symmetric && !is_to(Dialect::postgres)) return {lacks(content, "BETWEEN SYMMETRIC")};
  const Node& bounds = content["rexpr"].content()["items"];
  std::string text = operand(content["lexpr"], Binding::other);
  text += kind.find("NOT") == std::string::npos ? " BETWEEN " : " NOT BETWEEN ";
  if (symmetric) text += "SYMMETRIC ";
  return {text + operand(*bounds.first, Binding::other) + " AND " +
              operand(*bounds.first->next, Binding::other),
          Binding::comparison};
}

// PostgreSQL's LIKE compares case. MySQL's does as the collation says, SQLite's never does: both
// are taken for ILIKE. SQLite's has no escape unless it says so, the others' have the backslash.
Piece Printer::print_like(const Node& content) {
  const bool negated = last_name(content["name"]).starts_with('!');
  const bool binary = is_from(Dialect::mysql) && source_.is_binary(location_of(content));
  const bool any_case =
      content.text("kind") == "AEXPR_ILIKE" || (!is_from(Dialect::postgres) && !binary);
  const Node& right = content["rexpr"];
  const bool has_escape = right.type() == "FuncCall" &&
                          plain_function_name(right.content()["funcname"]) == "like_escape";
  const Node& pattern = has_escape ? *right.content()["args"].first : right;
  std::string subject = operand(content["lexpr"], Binding::other);
  std::string text = operand(pattern, Binding::other);
  std::string escape;
  const auto constant = string_constant(pattern);
  const bool may_escape = !constant || constant->find('\\') != std::string::npos;
  if (has_escape) {
    escape = " ESCAPE " + operand(*pattern.next, Binding::other);
  } else if (is_from(Dialect::sqlite) && !is_same() && may_escape) {
    if (is_to(Dialect::postgres)) escape = " ESCAPE ''";
    if (is_to(Dialect::mysql)) {
      const std::string doubled = print_string("\\\\", to_);
      text = fmt::format("REPLACE({}, {}, {})", text, print_string("\\", to_), doubled);
    }
  } else if (!is_from(Dialect::sqlite) && is_to(Dialect::sqlite) && may_escape) {
    escape = " ESCAPE '\\'";
  }
  const std::string no = negated ? " NOT" : "";
  if (is_to(Dialect::postgres)) {
    const bool says_like = is_same() ? content.text("kind") == "AEXPR_LIKE" : binary;
    return {subject + no + (says_like ? " LIKE " : " ILIKE ") + text + escape, Binding::comparison};
  }
  if ((!is_from(Dialect::postgres) && !binary) || (any_case && is_to(Dialect::sqlite))) {
    return {subject + no + " LIKE " + text + escape, Binding::comparison};
  }
  if (is_to(Dialect::sqlite)) {
    const auto glob = constant && !has_escape ? to_glob(*constant) : std::nullopt;
    if (!glob)
      return {lacks(content, "LIKE that compares case with a pattern that is not written out")};
    return {subject + no + " GLOB " + print_string(*glob, to_), Binding::comparison};
  }
  if (any_case) {
    subject = "LOWER(" + print_value(content["lexpr"]) + ")";
    text = "LOWER(" + print_value(pattern) + ")";
  }
  return {subject + no + " LIKE BINARY " + text + escape, Binding::comparison};
}

}  // namespace heddle::sql
