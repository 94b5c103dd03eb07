#include "frontend/redis/parse.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/redis/commands.h"
#include "frontend/redis/split.h"

namespace heddle {

namespace {

constexpr std::string_view kEquals = "key = ";
constexpr std::string_view kIn = "key IN (";

// Options of SET that do not ask for what was there; a number follows each.
constexpr std::array<std::string_view, 4> kBlindOptions = {"ex", "px", "exat", "pxat"};

bool is_blind_set(const std::vector<std::string>& arguments) {
  for (std::size_t i = 3; i < arguments.size(); i += 2) {
    if (std::ranges::find(kBlindOptions, to_lower(arguments[i])) == kBlindOptions.end()) {
      return false;
    }
  }
  return true;
}

bool stores(const std::vector<std::string>& arguments) {
  return has_redis_option(arguments, 2, "store") || has_redis_option(arguments, 2, "storedist");
}

void apply_use(RedisUse use, const std::vector<std::string>& arguments, TableUse& table) {
  switch (use) {
    case RedisUse::none:
      break;
    case RedisUse::read:
      table.read = true;
      break;
    case RedisUse::write:
      table.written = true;
      break;
    case RedisUse::read_and_write:
      table.read = table.written = true;
      break;
    case RedisUse::write_or_options:
      table.written = true;
      table.read = !is_blind_set(arguments);
      break;
    case RedisUse::read_or_store:
      table.read = true;
      table.written = stores(arguments);
  }
}

// REQUIRES: the command uses keys.
void add_table(const RedisCommandRow& row, const std::vector<std::string>& arguments,
               Statement& statement) {
  TableUse& table = statement.tables.emplace_back();
  table.table = kRedisTable;
  apply_use(row.use, arguments, table);
  std::vector<std::string> columns = {kRedisValueColumn};
  if (row.expires) columns.insert(columns.begin(), kRedisExpiresColumn);
  if (table.read) table.columns_read = columns;
  if (table.written) table.columns_written = std::move(columns);
  const auto keys = redis_keys(row, arguments);
  if (!keys) {
    statement.over_approximated.emplace_back("keys that the text does not name");
    return;
  }
  statement.predicate = statement.filter = redis_predicate(*keys);
  statement.predicate_columns = {kRedisKeyColumn};
  statement.single_table_predicate = true;
}

Statement read_command(const RedisCommand& command) {
  Statement statement;
  statement.text = command.text;
  statement.position = command.position;
  statement.returns_rows = true;
  const RedisCommandRow* const row = find_redis_command(command.arguments);
  if (row == nullptr) {
    statement.over_approximated.push_back("the command " + command.arguments[0]);
    return statement;
  }
  statement.kind = row->kind;
  statement.calls_unknown_function = row->kind == StatementKind::call;
  if (row->use != RedisUse::none) add_table(*row, command.arguments, statement);
  // Without STORE these only read.
  if (row->use == RedisUse::read_or_store && !statement.tables[0].written) {
    statement.kind = StatementKind::select;
  }
  // XADD takes the identifier that it is given.
  const bool is_given = equal_ignoring_case(command.arguments[0], "xadd") &&
                        !has_redis_option(command.arguments, 2, "*");
  if (row->generated && !is_given) {
    OutputColumn& output = statement.output.emplace_back();
    output.name = kRedisValueColumn;
    output.generated = true;
  }
  return statement;
}

}  // namespace

Result<std::vector<Statement>> parse_redis(std::string_view text) {
  auto commands = split_redis(text);
  if (!commands) return commands.error();
  std::vector<Statement> statements;
  for (const RedisCommand& command : *commands) statements.push_back(read_command(command));
  return statements;
}

std::string redis_predicate(const std::vector<std::string>& keys) {
  std::vector<std::string> literals;
  for (const std::string& key : keys) {
    std::string literal = "'";
    for (const char c : key) {
      if (c == '\'') literal += c;
      literal += c;
    }
    literals.push_back(literal + "'");
  }
  if (literals.size() == 1) return std::string(kEquals) + literals.front();
  return fmt::format("{}{})", kIn, join(literals, ", "));
}

std::optional<std::vector<std::string>> keys_of_redis_predicate(std::string_view predicate) {
  const bool is_list = predicate.starts_with(kIn);
  if (!is_list && !predicate.starts_with(kEquals)) return std::nullopt;
  std::size_t next = is_list ? kIn.size() : kEquals.size();
  std::vector<std::string> keys;
  while (true) {
    if (next >= predicate.size() || predicate[next] != '\'') return std::nullopt;
    std::string& key = keys.emplace_back();
    for (++next; next < predicate.size(); ++next) {
      if (predicate[next] == '\'') {
        if (next + 1 >= predicate.size() || predicate[next + 1] != '\'') break;
        ++next;
      }
      key += predicate[next];
    }
    if (next >= predicate.size()) return std::nullopt;
    const std::string_view rest = predicate.substr(next + 1);
    if (rest == (is_list ? ")" : "")) return keys;
    if (!is_list || !rest.starts_with(", ")) return std::nullopt;
    next += 3;
  }
}

}  // namespace heddle
