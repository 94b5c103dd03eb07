// Commands of Redis in a program: statements on the table `redis`, whose rows are keys, in
// PostgreSQL's words, so that all that knows statements knows them. One table says which command is
// which statement; the store is sent the command, and reports show it.
//
// GET user:1 is SELECT value FROM redis WHERE key = 'user:1'. What Redis does as one command and
// SQL has no single statement for is several between MULTI and EXEC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/program.h"

namespace heddle::program {

// ProgramStatement::store of a command, and the table that it is on.
inline constexpr std::string_view kRedisStore = "redis";

// What the answer of a command is to the statement that it is.
enum class RedisAnswerUse : std::uint8_t {
  row,      // the value of its only row; nil: it has none
  value,    // the same, and nil is a null in it
  exists,   // a row where it is not 0
  changed,  // the number of rows that it changed; also OK, and nil for none
  nothing,
};

struct RedisShape {
  std::string_view name;     // one word, as programs in SQL have it
  std::string_view command;  // as Redis takes it, with $1, $2, ...
  std::string_view sql;      // with the same
  RedisAnswerUse answer = RedisAnswerUse::nothing;
  std::size_t arguments = 1;
};

// The rows are keys: key, value, and whether a time to live is set.
Table redis_table();
// Whether the table is that one, and not one of the program's own with the same name.
bool is_redis_table(const Table& table);
bool has_redis_table(const Schema& schema);

inline bool is_redis(const ProgramStatement& statement) { return statement.store == kRedisStore; }
bool uses_redis(const Program& program);
bool uses_redis(const Functionality& functionality);

// Null: there is none of that name.
const RedisShape* find_redis_shape(std::string_view name);
// Its statement with these for $1, $2, ...: literals of SQL and placeholders.
std::string redis_sql(const RedisShape& shape, const std::vector<std::string>& arguments);
// Makes the command of a statement that was parsed from such a text.
void take_for_redis(ProgramStatement& statement);

// Of a command that is read as what it may do to its key, or to any: the others have
// names.
std::string redis_sql_of_other(const std::string& command, bool writes,
                               const std::vector<std::string>& arguments);
std::string redis_sql_of_anything(const std::string& command);

// What a text of redis_sql() is.
struct RedisCommandText {
  const RedisShape* shape = nullptr;   // null: it is one that is only known by what it may do
  std::string name;                    // then: its name
  std::vector<std::string> arguments;  // as they stand in the text, for $1, $2, ...
  // The command's words, the arguments as they stand.
  std::vector<std::string> words() const;
};
// None: it is none.
std::optional<RedisCommandText> redis_command_of(std::string_view sql);

// The command as the store takes it, with these values for $1, $2, ... A time to live is made so
// long that it does not end within a run.
std::string redis_text_with(const RedisCommandText& command,
                            const std::vector<std::optional<std::string>>& values);

// The command that makes a key as it is at first.
std::string redis_set_text(const std::string& key, const std::string& value, bool expires);

// Whether it begins a group of commands that are executed as one, or ends one.
bool begins_redis_group(const ProgramStatement& statement);
bool ends_redis_group(const ProgramStatement& statement);

// What reports show of a statement: a command, or the text, with the client's names in it.
std::string shown_statement(const ProgramStatement& statement);

// Takes the statements on the table `redis` for commands, where the program has been read from what
// print_program() says.
void mark_redis_commands(Program& program);

}  // namespace heddle::program
