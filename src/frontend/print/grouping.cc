// The tree groups operators as PostgreSQL does. MySQL and SQLite let some of them bind more or less
// strongly: a || b + c is (a || b) + c in SQLite. So each operator is compared with the operators
// that are its operands: where no parentheses stand between the two, the dialect of the source must
// see the same one as the inner. Parentheses are known by the depth of the operators' tokens.
#include <algorithm>

#include "frontend/print/print.h"

namespace heddle::sql {
namespace {

constexpr int kNoLevel = -1;

struct Level {
  std::string_view symbol;
  int mysql;
  int sqlite;
};
constexpr Level kSymbolLevels[] = {
    {"=", 6, 6},   {"<>", 6, 6},   {"<", 6, 7},   {">", 6, 7},   {"<=", 6, 7},
    {">=", 6, 7},  {"|", 7, 8},    {"&", 8, 8},   {"<<", 9, 8},  {">>", 9, 8},
    {"+", 10, 9},  {"-", 10, 9},   {"*", 11, 10}, {"/", 11, 10}, {"%", 11, 10},
    {"^", 12, -1}, {"||", -1, 11}, {"~", 6, 6},   {"!~", 6, 6},
};
constexpr int kOr = 1;
constexpr int kXor = 2;
constexpr int kAnd = 3;
constexpr int kNot = 4;
constexpr int kBetweenOfMysql = 5;
constexpr int kComparison = 6;
constexpr int kSign = 13;
constexpr int kExclamation = 14;
constexpr int kCollation = 15;
constexpr int kCollationOfSqlite = 12;

int level_of_symbol(const std::string& symbol, Dialect dialect) {
  for (const Level& level : kSymbolLevels) {
    if (level.symbol == symbol) return dialect == Dialect::mysql ? level.mysql : level.sqlite;
  }
  return kComparison;
}

int level_of_operator(const Node& content, const PrintSource& source) {
  const std::string& kind = content.text("kind");
  const bool mysql = source.dialect == Dialect::mysql;
  if (kind == "AEXPR_NULLIF") return kNoLevel;
  if (kind.find("BETWEEN") != std::string::npos) return mysql ? kBetweenOfMysql : kComparison;
  if (kind != "AEXPR_OP") return kComparison;
  const std::string& symbol = content["name"].first->content().text("sval");
  if (!has(content, "lexpr")) return symbol == "!" ? kExclamation : kSign;
  const std::size_t location = location_of(content);
  const MysqlToken* token = location == kNoOffset ? nullptr : source.token_at(location);
  if (token != nullptr && token->word == "xor") return kXor;
  return level_of_symbol(symbol, source.dialect);
}

int level_of(const Node& node, const PrintSource& source) {
  const Node& content = node.content();
  const std::string_view type = node.type();
  if (type == "A_Expr") return level_of_operator(content, source);
  if (type == "NullTest" || type == "BooleanTest") return kComparison;
  if (type == "CollateClause") {
    return source.dialect == Dialect::mysql ? kCollation : kCollationOfSqlite;
  }
  if (type == "BoolExpr") {
    const std::string& kind = content.text("boolop");
    return kind == "OR_EXPR" ? kOr : kind == "AND_EXPR" ? kAnd : kNot;
  }
  if (type == "SubLink" && has(content, "testexpr")) return kComparison;
  return kNoLevel;
}

struct Operand {
  const Node* node;
  bool is_right;
};

std::vector<Operand> operands_of(const Node& node) {
  const Node& content = node.content();
  std::vector<Operand> operands;
  for (const char* field : {"lexpr", "arg", "testexpr"}) {
    if (has(content, field)) operands.push_back({&content[field], false});
  }
  if (has(content, "rexpr")) {
    const Node& right = content["rexpr"];
    const bool is_prefix = !has(content, "lexpr");
    if (right.type() != "List") operands.push_back({&right, !is_prefix});
    const bool is_between = content.text("kind").find("BETWEEN") != std::string::npos;
    if (right.type() == "List" && is_between) {
      for (const Node& bound : right.content()["items"]) operands.push_back({&bound, true});
    }
  }
  if (node.type() == "BoolExpr") {
    const bool is_not = content.text("boolop") == "NOT_EXPR";
    bool is_right = false;
    for (const Node& argument : content["args"]) {
      operands.push_back({&argument, is_right && !is_not});
      is_right = true;
    }
  }
  return operands;
}

}  // namespace

void Printer::check_grouping(const Node& node) {
  if (is_from(Dialect::postgres) || trouble_) return;
  const int level = level_of(node, source_);
  const std::size_t place = location_of(node.content());
  if (level == kNoLevel || place == kNoOffset) return;
  const std::size_t token = tokens_.index_at(place);
  for (const Operand& operand : operands_of(node)) {
    const int inner = level_of(*operand.node, source_);
    const std::size_t inner_place = location_of(operand.node->content());
    if (inner == kNoLevel || inner_place == kNoOffset || inner_place == place) continue;
    const std::size_t inner_token = tokens_.index_at(inner_place);
    if (token >= tokens_.size() || inner_token >= tokens_.size()) continue;
    if (tokens_[inner_token].depth != tokens_[token].depth) continue;
    if (inner > level || (inner == level && !operand.is_right)) continue;
    refuse(*operand.node, "these operators",
           "they may group otherwise in the dialect they are written in: put parentheses");
    return;
  }
}

}  // namespace heddle::sql
