#include "find/forms/named_locks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "frontend/sql/words/lexer.h"

namespace heddle::find {

namespace {

constexpr std::size_t kModes = 8;

// Of each mode, those that it excludes, in the order of the modes.
constexpr std::array<std::array<bool, kModes>, kModes> kExcludes = {{
    {false, false, false, false, false, false, false, true},
    {false, false, false, false, false, false, true, true},
    {false, false, false, false, true, true, true, true},
    {false, false, false, true, true, true, true, true},
    {false, false, true, true, false, true, true, true},
    {false, false, true, true, true, true, true, true},
    {false, true, true, true, true, true, true, true},
    {true, true, true, true, true, true, true, true},
}};

constexpr std::array<std::pair<std::string_view, TableLock>, kModes> kNames = {{
    {"access share", TableLock::access_share},
    {"row share", TableLock::row_share},
    {"row exclusive", TableLock::row_exclusive},
    {"share update exclusive", TableLock::share_update_exclusive},
    {"share", TableLock::share},
    {"share row exclusive", TableLock::share_row_exclusive},
    {"exclusive", TableLock::exclusive},
    {"access exclusive", TableLock::access_exclusive},
}};

// LOCK TABLE a, b IN mode MODE; without a mode it is the strongest one.
TableLock mode_of(const sql::Tokens& tokens) {
  std::size_t in = 0;
  while (in < tokens.size() && tokens.word(in) != "in") ++in;
  std::string name;
  for (std::size_t i = in + 1; i < tokens.size() && tokens.word(i) != "mode"; ++i) {
    name += (name.empty() ? "" : " ") + tokens.word(i);
  }
  const auto* const found =
      std::ranges::find(kNames, name, [](const auto& one) { return one.first; });
  return found == kNames.end() ? TableLock::access_exclusive : found->second;
}

bool is_of_client(const Expression& expression) {
  if (expression.kind == ExpressionKind::unknown || expression.kind == ExpressionKind::field) {
    return false;
  }
  return std::ranges::all_of(expression.operands, is_of_client);
}

// pg_advisory_xact_lock(a) or (a, b), and the same of those that others may hold, too.
bool read_advisory(const std::string& text,
                   const std::function<Expression(const std::string&)>& read, NamedLock& lock) {
  const sql::Tokens tokens(text);
  const std::size_t name = tokens.size() > 2 && tokens.is_symbol(1, '.') ? 2 : 0;
  const bool is_shared = tokens.word(name) == "pg_advisory_xact_lock_shared";
  if (!is_shared && tokens.word(name) != "pg_advisory_xact_lock") return false;
  std::size_t first = name + 2;
  for (std::size_t i = first; i < tokens.size(); ++i) {
    const bool is_outer = tokens[i].depth <= tokens[name].depth + 1;
    const bool closes = tokens.is_symbol(i, ')') && i + 1 == tokens.size();
    if (!closes && !(is_outer && tokens.is_symbol(i, ','))) continue;
    if (first == i) return false;
    lock.key.push_back(read(std::string(tokens.text(first, i))));
    first = i + 1;
  }
  lock.mode = is_shared ? TableLock::share : TableLock::access_exclusive;
  return !lock.key.empty() && std::ranges::all_of(lock.key, is_of_client);
}

}  // namespace

bool exclude_each_other(TableLock a, TableLock b) {
  return kExcludes[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

std::vector<NamedLock> named_locks(const Statement& statement, Dialect dialect,
                                   const std::function<Expression(const std::string&)>& read) {
  std::vector<NamedLock> locks;
  if (dialect != Dialect::postgres) return locks;
  if (statement.kind == StatementKind::lock_table) {
    const TableLock mode = mode_of(sql::Tokens(statement.text));
    for (const TableUse& use : statement.tables) {
      locks.push_back({.table = use.table, .mode = mode});
    }
  }
  // With rows it may run for none.
  if (statement.kind != StatementKind::select || !statement.tables.empty()) return locks;
  for (const OutputColumn& output : statement.output) {
    NamedLock lock;
    if (read_advisory(output.expression, read, lock)) locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace heddle::find
