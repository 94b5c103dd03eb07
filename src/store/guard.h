// The guard: a small process that removes what heddle made outside of itself when heddle dies, in
// whatever way, kill -9 included.
//
// It is forked before anything is made and holds one end of a socket; heddle tells it what to
// remove, and what it has removed itself. When heddle's end closes, heddle is dead or done, and the
// guard removes what is left on its list and ends. At a normal end heddle waits for it.
#pragma once

#include <string>

#include "heddle/result.h"

namespace heddle {

// Starts the guard, unless it runs. All below do so too, but the fork is best made while the
// process has a single thread. Thread-safe, like all below.
Result<void> guard_start();

// A throwaway server's directory (throwaway_directory.h): what runs there is ended, then it is
// removed.
void guard_add_directory(const std::string& path);
void guard_forget_directory(const std::string& path);

// A database that heddle is about to make on a given server, which `conninfo` reaches: libpq's, or
// an address of MariaDB or Redis. Of Redis it is a logical database that heddle has claimed, and
// its name is its number with the address behind it, because all servers have the same numbers.
void guard_add_database(const std::string& conninfo, const std::string& name);
void guard_forget_database(const std::string& name);

}  // namespace heddle
