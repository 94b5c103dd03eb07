// The names of the databases that heddle makes on servers: heddle_RUN_OWN, where RUN is the mark of
// this process's run and OWN the database's, each of 64 random bits in hexadecimal digits.
//
// A name is told to the guard before the database is made, since heddle may die in between; so a
// name that somebody else has taken must be forgotten before anything else happens, or the guard
// would drop what is theirs. Numbers of processes would do for neither: others have them, too.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

/// On a server of heddle's own, where nobody else's databases are: names that people can guess.
std::string own_database_name(std::uint32_t number);

/// What tells the run of this process from every other one: 16 hexadecimal digits. A process that
/// was forked has one of its own. Thread-safe.
Result<std::string> run_mark();

/// A name that nobody else has, of this run. Thread-safe.
Result<std::string> draw_database_name();

/// The mark of the run whose database has that name; empty where the name has another form.
std::string_view run_mark_in(std::string_view name);

using NewNameDraw = std::function<Result<std::string>()>;

/// How names are drawn, and who is told of them.
struct NewNames {
  NewNameDraw draw = draw_database_name;
  /// Called before a database of that name is asked for: whoever hears it may have to drop it.
  std::function<void(const std::string&)> announce = [](const std::string&) {};
  /// Called once there is no database of that name, or one that is somebody else's.
  std::function<void(const std::string&)> forget = [](const std::string&) {};
};

enum class Creation : std::uint8_t { made, name_is_taken };

/// Draws names until `create` makes a database under one, and returns it. An error of `create`
/// leaves it open whether there is one now: then the name stays announced.
Result<std::string> create_under_new_name(
    const NewNames& names, const std::function<Result<Creation>(const std::string&)>& create);

}  // namespace heddle
