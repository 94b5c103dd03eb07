// The guard: a small process that removes what heddle made outside of itself when heddle dies, in
// whatever way, kill -9 included.
//
// It is forked before anything is made and holds one end of a socket; heddle tells it what to
// remove, and what it has removed itself. When heddle's end closes, heddle is dead or done, and the
// guard removes what is left on its list and ends. At a normal end heddle waits for it.
//
// The guard knows nothing of what it removes: each kind of it is a row that says how, and the room
// that makes such things has the row.
#pragma once

#include <chrono>
#include <string>

#include "heddle/result.h"

namespace heddle {

// How things of one kind are removed. REQUIRES: constants of the program, since the guard, a fork
// of this process, finds them where they are here.
struct GuardedKind {
  // Removes the thing of that name; `where` is what else it takes to reach it, such as an address.
  // False: it could not be done yet. Called in the guard.
  bool (*remove)(const std::string& name, const std::string& where);
  // For how long it is asked again; zero: it is asked once. What is quick to give up goes first.
  std::chrono::seconds patience;
};

// For what lies on a server, which may be slow to notice that its client is dead.
constexpr std::chrono::seconds kServerPatience{60};

// Starts the guard, unless it runs. All below do so too, but the fork is best made while the
// process has a single thread. Thread-safe, like all below.
Result<void> guard_start();

// What is about to be made, and what is not there any more, or somebody else's.
void guard_add(const GuardedKind& kind, const std::string& name, const std::string& where = "");
void guard_forget(const GuardedKind& kind, const std::string& name);

}  // namespace heddle
