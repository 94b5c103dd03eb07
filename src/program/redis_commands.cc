#include "program/redis_commands.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "program/text.h"
#include "program/visit.h"

namespace heddle::program {

namespace {

using Use = RedisAnswerUse;
using sql::TokenKind;
using sql::Tokens;

#define HEDDLE_REDIS_PUT "INSERT INTO redis (key, value, expires) VALUES "
#define HEDDLE_REDIS_OVER \
  " ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires"
#define HEDDLE_REDIS_ADD(change)                                       \
  HEDDLE_REDIS_PUT "($1, " change                                      \
                   ", false) ON CONFLICT (key) DO UPDATE SET value = " \
                   "redis.value + " change " RETURNING value"

// A time to live never ends within a run, so that it is set or not.
constexpr std::array kShapes = {
    RedisShape{"get", "GET $1", "SELECT value FROM redis WHERE key = $1", Use::row, 1},
    RedisShape{"exists", "EXISTS $1", "SELECT 1 FROM redis WHERE key = $1", Use::exists, 1},
    RedisShape{"set", "SET $1 $2", HEDDLE_REDIS_PUT "($1, $2, false)" HEDDLE_REDIS_OVER,
               Use::changed, 2},
    RedisShape{"setex", "SETEX $1 $2 $3", HEDDLE_REDIS_PUT "($1, $3, $2 > 0)" HEDDLE_REDIS_OVER,
               Use::changed, 3},
    RedisShape{"setnx", "SETNX $1 $2",
               HEDDLE_REDIS_PUT "($1, $2, false) ON CONFLICT (key) DO NOTHING", Use::changed, 2},
    RedisShape{"setnxex", "SET $1 $3 NX EX $2",
               HEDDLE_REDIS_PUT "($1, $3, $2 > 0) ON CONFLICT (key) DO NOTHING", Use::changed, 3},
    RedisShape{"setxx", "SET $1 $2 XX",
               "UPDATE redis SET value = $2, expires = false WHERE key = $1", Use::changed, 2},
    RedisShape{"setxxex", "SET $1 $3 XX EX $2",
               "UPDATE redis SET value = $3, expires = $2 > 0 WHERE key = $1", Use::changed, 3},
    RedisShape{"del", "DEL $1", "DELETE FROM redis WHERE key = $1", Use::changed, 1},
    RedisShape{"incr", "INCR $1", HEDDLE_REDIS_ADD("1"), Use::value, 1},
    RedisShape{"incrby", "INCRBY $1 $2", HEDDLE_REDIS_ADD("$2"), Use::value, 2},
    RedisShape{"decr", "DECR $1",
               HEDDLE_REDIS_PUT "($1, 0 - 1, false) ON CONFLICT (key) DO UPDATE SET value = "
                                "redis.value - 1 RETURNING value",
               Use::value, 1},
    RedisShape{"decrby", "DECRBY $1 $2",
               HEDDLE_REDIS_PUT "($1, 0 - $2, false) ON CONFLICT (key) DO UPDATE SET value = "
                                "redis.value - $2 RETURNING value",
               Use::value, 2},
    RedisShape{"expire", "EXPIRE $1 $2", "UPDATE redis SET expires = $2 > 0 WHERE key = $1",
               Use::changed, 2},
    RedisShape{"persist", "PERSIST $1",
               "UPDATE redis SET expires = false WHERE key = $1 AND expires", Use::changed, 1},
    RedisShape{"psetex", "PSETEX $1 $2 $3", HEDDLE_REDIS_PUT "($1, $3, $2 >= 1)" HEDDLE_REDIS_OVER,
               Use::changed, 3},
    RedisShape{"pexpire", "PEXPIRE $1 $2", "UPDATE redis SET expires = $2 >= 1 WHERE key = $1",
               Use::changed, 2},
    RedisShape{"multi", "MULTI", "SELECT redis_multi()", Use::nothing, 0},
    RedisShape{"exec", "EXEC", "SELECT redis_exec()", Use::nothing, 0},
};

#undef HEDDLE_REDIS_PUT
#undef HEDDLE_REDIS_OVER
#undef HEDDLE_REDIS_ADD

// No table of the program has a key of that name.
constexpr const char* kKeyName = "the keys of Redis";

// The number of `$3`; none: the token is something else.
std::optional<std::size_t> parameter_of(std::string_view token) {
  if (!token.starts_with('$')) return std::nullopt;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(token.data() + 1, token.data() + token.size(), number);
  const bool is_whole = error == std::errc() && end == token.data() + token.size();
  return is_whole && number > 0 ? std::optional(number) : std::nullopt;
}

// Behind the literal or placeholder that begins there; `at`: there is none.
std::size_t end_of_value(const Tokens& tokens, std::size_t at) {
  std::size_t end = at;
  if (tokens.is_symbol(end, '-')) ++end;
  if (end >= tokens.size()) return at;
  const TokenKind kind = tokens[end].kind;
  const bool is_value = kind == TokenKind::parameter || kind == TokenKind::string ||
                        kind == TokenKind::number || tokens.word(end) == "null";
  return is_value ? end + 1 : at;
}

// The arguments with which the text has that shape.
std::optional<std::vector<std::string>> match(const Tokens& shape, const Tokens& text) {
  std::vector<std::string> arguments;
  std::size_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto number = parameter_of(shape.text(i));
    if (!number) {
      const bool is_same = at < text.size() && equal_ignoring_case(shape.text(i), text.text(at));
      if (!is_same) return std::nullopt;
      ++at;
      continue;
    }
    const std::size_t end = end_of_value(text, at);
    if (end == at) return std::nullopt;
    if (arguments.size() < *number) arguments.resize(*number);
    arguments[*number - 1] = std::string(text.text(at, end));
    at = end;
  }
  return at == text.size() ? std::optional(std::move(arguments)) : std::nullopt;
}

const std::vector<std::pair<const RedisShape*, Tokens>>& shape_tokens() {
  static const auto all = [] {
    std::vector<std::pair<const RedisShape*, Tokens>> tokens;
    for (const RedisShape& shape : kShapes) tokens.emplace_back(&shape, Tokens(shape.sql));
    return tokens;
  }();
  return all;
}

// heddle_unknown('LPUSH', ...
std::string unknown_of(const std::string& command, const std::vector<std::string>& operands) {
  return fmt::format("{}({}{}{})", kUnknownFunction, string_text(command),
                     operands.empty() ? "" : ", ", join(operands, ", "));
}

// The place of the name behind heddle_unknown(; none: there is none.
std::optional<std::size_t> place_of_name(const Tokens& tokens) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens.word(i) == kUnknownFunction && tokens.is_symbol(i + 1, '(') &&
        tokens[i + 2].kind == TokenKind::string) {
      return i + 2;
    }
  }
  return std::nullopt;
}

bool is_on_redis(const Tokens& tokens) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const std::string before = tokens.word(i - 1);
    const bool names_table = before == "from" || before == "into" || before == "update";
    if (names_table && tokens.word(i) == kRedisStore) return true;
  }
  return false;
}

// The key, and what stands behind the name.
std::optional<RedisCommandText> other_command_of(const Tokens& tokens) {
  const auto name = place_of_name(tokens);
  if (!name || !is_on_redis(tokens)) return std::nullopt;
  RedisCommandText command;
  const std::string_view quoted = tokens.text(*name);
  command.name = quoted.substr(1, quoted.size() - 2);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool is_inserted = tokens.word(i) == "values" && tokens.is_symbol(i + 1, '(');
    const bool is_asked = tokens.word(i) == "key" && tokens.is_symbol(i + 1, '=');
    const std::size_t end = end_of_value(tokens, i + 2);
    if ((!is_inserted && !is_asked) || end == i + 2) continue;
    command.arguments.emplace_back(tokens.text(i + 2, end));
    break;
  }
  for (std::size_t at = *name + 1; tokens.is_symbol(at, ',');) {
    std::size_t end = end_of_value(tokens, at + 1);
    if (end == at + 1) {
      ++end;  // the column
    } else {
      command.arguments.emplace_back(tokens.text(at + 1, end));
    }
    at = end;
  }
  return command;
}

bool is_shape(const ProgramStatement& statement, std::string_view name) {
  if (!is_redis(statement)) return false;
  const auto command = redis_command_of(statement.statement.text);
  return command && command->shape != nullptr && command->shape->name == name;
}

bool uses_redis_in(const Block& block) {
  return std::ranges::any_of(block, [](const Action& action) {
    const ProgramStatement* statement = statement_of(action);
    bool uses = statement != nullptr && is_redis(*statement);
    for_each_block(action, [&](const Block& inner) { uses = uses || uses_redis_in(inner); });
    return uses;
  });
}

void mark_commands(Block& block) {
  for (Action& action : block) {
    ProgramStatement* statement = statement_of(action);
    if (statement != nullptr && redis_command_of(statement->statement.text)) {
      take_for_redis(*statement);
    }
    for_each_block(action, [](Block& inner) { mark_commands(inner); });
  }
}

// it's for 'it''s'
std::string unquoted(std::string_view literal) {
  std::string text;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    text += literal[i];
    if (literal[i] == '\'') ++i;
  }
  return text;
}

// As redis-cli takes any bytes.
std::string in_quotes(std::string_view word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view(":_-./@+").find(c) != std::string_view::npos;
  });
  if (is_plain) return std::string(word);
  std::string text = "\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

// As redis-cli shows words: with quotes where there is something to quote.
std::string shown_word(const std::string& word) {
  const bool is_string = word.size() > 1 && word.front() == '\'' && word.back() == '\'';
  if (!is_string) return word;
  const std::string_view inner = std::string_view(word).substr(1, word.size() - 2);
  const bool is_plain = !inner.empty() && std::ranges::all_of(inner, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ':' || c == '_' || c == '-' ||
           c == '.' || c == '/';
  });
  return is_plain ? std::string(inner) : word;
}

}  // namespace

Table redis_table() {
  const auto column = [](const char* name, ValueType type, const char* text) {
    return TableColumn{.name = name, .type = {.type = type, .text = text}, .not_null = true};
  };
  return {
      .name = std::string(kRedisStore),
      .columns = {column("key", ValueType::text, "text"), column("value", ValueType::text, "text"),
                  column("expires", ValueType::boolean, "boolean")},
      .primary_key = {"key"},
      .primary_key_name = kKeyName};
}

bool is_redis_table(const Table& table) {
  return table.name == kRedisStore && table.primary_key_name == kKeyName;
}

bool has_redis_table(const Schema& schema) {
  return std::ranges::any_of(schema.tables, is_redis_table);
}

bool uses_redis(const Functionality& functionality) { return uses_redis_in(functionality.body); }

bool uses_redis(const Program& program) {
  return std::ranges::any_of(program.functionalities,
                             [](const Functionality& one) { return uses_redis(one); });
}

const RedisShape* find_redis_shape(std::string_view name) {
  const auto* const found = std::ranges::find(kShapes, name, &RedisShape::name);
  return found == kShapes.end() ? nullptr : found;
}

std::string redis_sql(const RedisShape& shape, const std::vector<std::string>& arguments) {
  const Tokens tokens(shape.sql);
  std::string text;
  std::size_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto number = parameter_of(tokens.text(i));
    if (!number || *number > arguments.size()) continue;
    text += shape.sql.substr(done, tokens[i].offset - done);
    text += arguments[*number - 1];
    done = tokens[i].offset + tokens[i].size;
  }
  return text + std::string(shape.sql.substr(done));
}

std::string redis_sql_of_other(const std::string& command, bool writes,
                               const std::vector<std::string>& arguments) {
  const std::string& key = arguments.front();
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (!writes) {
    rest.insert(rest.begin(), "value");
    return fmt::format("SELECT {} FROM redis WHERE key = {}", unknown_of(command, rest), key);
  }
  return fmt::format(
      "INSERT INTO redis (key, value, expires) VALUES ({}, {}, false) ON CONFLICT (key) DO UPDATE "
      "SET value = {} RETURNING value",
      key, unknown_of(command, rest), unknown_of(command, {"redis.value"}));
}

std::string redis_sql_of_anything(const std::string& command) {
  return fmt::format("UPDATE redis SET value = {}, expires = {}", unknown_of(command, {"value"}),
                     unknown_of(command, {"expires"}));
}

void take_for_redis(ProgramStatement& statement) {
  statement.store = kRedisStore;
  const auto command = redis_command_of(statement.statement.text);
  if (!command) return;
  if (begins_redis_group(statement) || ends_redis_group(statement)) {
    Statement group;
    group.kind = StatementKind::set;
    group.text = std::move(statement.statement.text);
    group.position = statement.statement.position;
    statement.statement = std::move(group);
    statement.approximated.clear();
    return;
  }
  statement.statement.calls_unknown_function = false;
  statement.statement.over_approximated.clear();
  statement.approximated.clear();
  if (command->shape == nullptr) {
    statement.approximated.push_back(fmt::format("the command {} of Redis", command->name));
  }
}

std::vector<std::string> RedisCommandText::words() const {
  std::vector<std::string> all;
  if (shape == nullptr) {
    all.push_back(name);
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  for (const std::string& word : split(shape->command, ' ')) {
    const auto number = parameter_of(word);
    const bool is_known = number && *number <= arguments.size();
    all.push_back(is_known ? arguments[*number - 1] : word);
  }
  return all;
}

std::optional<RedisCommandText> redis_command_of(std::string_view sql) {
  const Tokens tokens(sql);
  for (const auto& [shape, pattern] : shape_tokens()) {
    if (auto arguments = match(pattern, tokens)) {
      return RedisCommandText{.shape = shape, .name = {}, .arguments = std::move(*arguments)};
    }
  }
  return other_command_of(tokens);
}

std::string redis_text_with(const RedisCommandText& command,
                            const std::vector<std::optional<std::string>>& values) {
  RedisCommandText lasting = command;
  const std::string_view name = command.shape == nullptr ? "" : command.shape->name;
  const bool in_seconds = name.ends_with("ex") || name == "expire";
  const bool in_milliseconds = name == "psetex" || name == "pexpire";
  if (in_seconds || in_milliseconds) lasting.arguments[1] = in_seconds ? "1000000" : "1000000000";
  std::vector<std::string> words;
  for (const std::string& word : lasting.words()) {
    std::string plain = word;
    if (const auto number = parameter_of(word)) {
      const bool is_given = *number <= values.size() && values[*number - 1];
      plain = is_given ? *values[*number - 1] : "";
    } else if (word.starts_with('\'')) {
      plain = unquoted(word);
    }
    words.push_back(in_quotes(plain));
  }
  return join(words, " ");
}

std::string redis_set_text(const std::string& key, const std::string& value, bool expires) {
  return fmt::format("SET {} {}{}", in_quotes(key), in_quotes(value), expires ? " EX 1000000" : "");
}

bool begins_redis_group(const ProgramStatement& statement) { return is_shape(statement, "multi"); }

bool ends_redis_group(const ProgramStatement& statement) { return is_shape(statement, "exec"); }

std::string shown_statement(const ProgramStatement& statement) {
  const auto command =
      is_redis(statement) ? redis_command_of(statement.statement.text) : std::nullopt;
  if (!command) return named_text(statement.statement.text, statement.arguments);
  std::vector<std::string> words;
  for (const std::string& word : command->words()) {
    words.push_back(shown_word(named_text(word, statement.arguments)));
  }
  return join(words, " ");
}

void mark_redis_commands(Program& program) {
  for (Functionality& functionality : program.functionalities) mark_commands(functionality.body);
}

}  // namespace heddle::program
