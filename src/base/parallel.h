// Independent pieces of work side by side.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

// Runs work(i) for each i below `count`, on as many threads as `jobs` says, of which this is one;
// 0: as many as the machine has processors. Returns when all are done. REQUIRES: work may run on
// any thread, and throws nothing.
void run_parallel(std::size_t count, std::size_t jobs,
                  const std::function<void(std::size_t)>& work);

}  // namespace heddle
