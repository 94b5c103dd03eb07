// Code without hooks can stop the driver: an endless loop that accesses nothing, a wait for what
// never comes. Whoever watches is another process, the parent of the one that executes.
#pragma once

#include <cstddef>
#include <string>

#include "sched/runtime/flight.h"

namespace heddle::sched::runtime {

struct WatchdogOptions {
  double seconds = 0;             // so long may pass without a step; 0: nobody watches
  bool owns_descendants = false;  // whatever processes are left at the end are ended
  std::string command;            // what starts the program; empty: its name
  // What is printed when so long has passed.
  std::string (*describe)(const Flight& flight, double seconds,
                          const std::string& command) = nullptr;
};

// Forks: the child returns, with flights that are watched; the parent stays until the child ends
// and then ends in the same way. Does nothing if somebody watches already, under a debugger, and
// where the process has more than one thread.
void start_watchdog(const WatchdogOptions& options);

// The flight of a process that makes executions: 0 is whoever called `start_watchdog`, the others
// its workers. Called in that process.
constexpr std::size_t kMostFlights = 65;
void use_watched_flight(std::size_t number);

}  // namespace heddle::sched::runtime
