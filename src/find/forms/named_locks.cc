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

// What a function does with advisory locks.
struct LockFunction {
  std::string_view name;
  bool releases = false;
  bool is_shared = false;
  bool is_of_session = false;
  bool is_tried = false;
};

constexpr std::array<LockFunction, 11> kPostgresFunctions = {{
    {.name = "pg_advisory_xact_lock"},
    {.name = "pg_advisory_xact_lock_shared", .is_shared = true},
    {.name = "pg_try_advisory_xact_lock", .is_tried = true},
    {.name = "pg_try_advisory_xact_lock_shared", .is_shared = true, .is_tried = true},
    {.name = "pg_advisory_lock", .is_of_session = true},
    {.name = "pg_advisory_lock_shared", .is_shared = true, .is_of_session = true},
    {.name = "pg_try_advisory_lock", .is_of_session = true, .is_tried = true},
    {.name = "pg_try_advisory_lock_shared",
     .is_shared = true,
     .is_of_session = true,
     .is_tried = true},
    {.name = "pg_advisory_unlock", .releases = true},
    {.name = "pg_advisory_unlock_shared", .releases = true, .is_shared = true},
    {.name = "pg_advisory_unlock_all", .releases = true},
}};

// GET_LOCK() and its like in PostgreSQL's words.
constexpr std::array<LockFunction, 3> kMysqlFunctions = {{
    {.name = "heddle_get_lock", .is_of_session = true, .is_tried = true},
    {.name = "heddle_release_lock", .releases = true},
    {.name = "heddle_release_all_locks", .releases = true},
}};

const LockFunction* find_function(const std::string& name, Dialect dialect) {
  const auto find_in = [&](const auto& functions) -> const LockFunction* {
    const auto* const found = std::ranges::find(functions, name, &LockFunction::name);
    return found == functions.end() ? nullptr : found;
  };
  if (dialect == Dialect::postgres) return find_in(kPostgresFunctions);
  return dialect == Dialect::mysql ? find_in(kMysqlFunctions) : nullptr;
}

// An output that is one call, perhaps of a function in a schema.
class LockCall {
 public:
  explicit LockCall(const std::string& text) : tokens_(text) {
    name_ = tokens_.size() > 2 && tokens_.is_symbol(1, '.') ? 2 : 0;
    if (tokens_.size() < name_ + 3 || !tokens_.is_symbol(name_ + 1, '(')) return;
    std::size_t first = name_ + 2;
    for (std::size_t i = first; i < tokens_.size(); ++i) {
      const bool is_outer = tokens_[i].depth <= tokens_[name_].depth + 1;
      const bool closes = tokens_.is_symbol(i, ')') && i + 1 == tokens_.size();
      if (!closes && !(is_outer && tokens_.is_symbol(i, ','))) continue;
      is_whole_ = closes;
      if (first < i) arguments_.emplace_back(tokens_.text(first, i));
      first = i + 1;
    }
  }

  // Empty: it is no call, or something is behind it.
  std::string name() const { return is_whole_ ? tokens_.word(name_) : ""; }
  const std::vector<std::string>& arguments() const { return arguments_; }

 private:
  sql::Tokens tokens_;
  std::size_t name_ = 0;
  bool is_whole_ = false;
  std::vector<std::string> arguments_;
};

// GET_LOCK waits for ever if it is told a negative time.
bool waits_for_ever(const std::vector<std::string>& arguments) {
  return arguments.size() == 2 && arguments[1].starts_with('-');
}

void read_call(const LockCall& call, const LockFunction& function, std::size_t output,
               const std::function<Expression(const std::string&)>& read, NamedLocks& locks) {
  std::vector<std::string> keys = call.arguments();
  const bool is_mysql = function.name == "heddle_get_lock";
  const bool is_tried = function.is_tried && !(is_mysql && waits_for_ever(keys));
  if (is_mysql && keys.size() > 1) keys.resize(1);
  NamedLock lock{.mode = function.is_shared ? TableLock::share : TableLock::access_exclusive,
                 .is_of_session = function.is_of_session};
  if (is_tried) lock.tried = output;
  for (const std::string& key : keys) lock.key.push_back(read(key));
  const bool is_known = std::ranges::all_of(lock.key, is_of_client);
  if (!function.releases) {
    if (is_known && !lock.key.empty()) locks.taken.push_back(std::move(lock));
    return;
  }
  if (!is_known) lock.key.clear();
  locks.released.push_back(std::move(lock));
}

}  // namespace

bool exclude_each_other(TableLock a, TableLock b) {
  return kExcludes[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

NamedLocks named_locks(const Statement& statement, Dialect dialect,
                       const std::function<Expression(const std::string&)>& read) {
  NamedLocks locks;
  if (statement.kind == StatementKind::lock_table && dialect == Dialect::postgres) {
    const TableLock mode = mode_of(sql::Tokens(statement.text));
    for (const TableUse& use : statement.tables) {
      locks.taken.push_back({.table = use.table, .mode = mode});
    }
  }
  // With rows it may run for none.
  if (statement.kind != StatementKind::select || !statement.tables.empty()) return locks;
  for (std::size_t i = 0; i < statement.output.size(); ++i) {
    const LockCall call(statement.output[i].expression);
    const LockFunction* const function = find_function(call.name(), dialect);
    if (function != nullptr) read_call(call, *function, i, read, locks);
  }
  return locks;
}

}  // namespace heddle::find
