// The private directory of one throwaway server: who owns it, how long it lives, how it goes.
//
// Its name is heddle-XXXXXX. Its owner holds a lock on the file `lock` in it for as long as it
// lives; a directory whose lock can be taken belongs to nobody any more, and the next run removes
// it with whatever still runs in it. Processes belong to a directory when they work in its `data`,
// as everything that PostgreSQL starts does, and the one process of the other servers: numbers of
// processes are reused, this is not.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "heddle/result.h"

namespace heddle {

class ThrowawayDirectory {
 public:
  // Makes one under `roots`, the first that will do. `account` is who the server will run as, where
  // that is someone else. Told to the guard.
  static Result<std::unique_ptr<ThrowawayDirectory>> create(const std::vector<std::string>& roots,
                                                            const std::optional<Account>& account);

  ThrowawayDirectory(const ThrowawayDirectory&) = delete;
  ThrowawayDirectory& operator=(const ThrowawayDirectory&) = delete;
  // Ends what runs in it and removes it.
  ~ThrowawayDirectory();

  const std::string& path() const { return path_; }
  std::string data() const { return path_ + "/data"; }
  std::string socket_directory() const { return path_ + "/socket"; }
  std::string log() const { return path_ + "/log"; }

 private:
  explicit ThrowawayDirectory(std::string path) : path_(std::move(path)) {}

  Result<void> populate(const std::optional<Account>& account);
  // False when another heddle took the directory for an old one, just as it was made.
  bool lock();

  std::string path_;
  FileDescriptor lock_;
};

// Where directories are made: $TMPDIR when it is set, else memory if there is plenty, else /tmp.
std::vector<std::string> throwaway_roots();

// Removes the directories under `roots` whose owners are dead. Those of other users, of living
// owners and those being made just now are left alone.
void remove_leftovers(const std::vector<std::string>& roots);

// Where leftovers may be: wherever throwaway_roots() might ever say.
std::vector<std::string> leftover_roots();

// Ends the server of a throwaway directory, if one runs there, gently (immediate shutdown) and then
// not, and waits for it; then removes the directory. For the guard and for leftovers.
void destroy_throwaway(const std::string& path);

// Ends all processes that work in `data`, as above.
void end_server(const std::string& data);

// The processes of servers that work in `data`.
std::vector<pid_t> processes_in(const std::string& data);

}  // namespace heddle
