#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace heddle {

void run_parallel(std::size_t count, std::size_t jobs,
                  const std::function<void(std::size_t)>& work) {
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min(jobs, count); ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // namespace heddle
