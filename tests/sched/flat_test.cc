// Memory, descriptors and threads do not grow with the number of executions, whether these pass or
// are abandoned in their middle.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Options;

std::uint64_t scale() {
  const char* text = std::getenv("HEDDLE_TEST_SCALE");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

struct Used {
  long pages = 0;
  long descriptors = 0;
  long threads = 0;
};

Used used_now() {
  Used used;
  std::ifstream file("/proc/self/statm");
  long size = 0;
  file >> size >> used.pages;
  const auto count = [](const char* folder) {
    return std::distance(std::filesystem::directory_iterator(folder),
                         std::filesystem::directory_iterator());
  };
  used.descriptors = count("/proc/self/fd");
  used.threads = count("/proc/self/task");
  return used;
}

void stays_flat(const char* what, const Used& before) {
  const Used after = used_now();
  constexpr long kMostPages = 1024;  // four megabytes
  expect(after.pages <= before.pages + kMostPages, std::string(what) + ": pages " +
                                                       std::to_string(before.pages) + " and " +
                                                       std::to_string(after.pages));
  expect(after.descriptors == before.descriptors && after.threads == before.threads,
         std::string(what) + ": descriptors " + std::to_string(after.descriptors) + ", threads " +
             std::to_string(after.threads));
}

// What an execution allocates, also of what it never gives back when it is abandoned.
void work(bool fails) {
  const auto values = std::make_unique<std::vector<std::string>>(20, std::string(50, 'x'));
  std::mutex mutex;
  std::atomic<int> order = 0;
  const auto add = [&] {
    const std::lock_guard lock(mutex);
    values->push_back(std::string(100, 'y'));
    ++order;
    if (fails) heddle::sched::fail("in the middle, with the mutex locked");
  };
  std::thread one(add);
  std::thread other(add);
  one.join();
  other.join();
}

void passing_ones() {
  const auto body = [] { work(false); };
  Options options{.strategy = heddle::sched::Strategy::random, .executions = 2000, .seconds = 3600};
  expect(heddle::sched::check(body, options).passed, "it passes");
  const Used before = used_now();
  options.executions = std::min<std::uint64_t>(10'000'000, 50'000 * scale() * scale());
  expect(heddle::sched::check(body, options).passed, "it passes");
  stays_flat("passing", before);
}

void abandoned_ones() {
  const auto fails_each = [](std::uint64_t count) {
    for (std::uint64_t seed = 0; seed < count; ++seed) {
      const auto outcome = heddle::sched::run(seed, [] { work(true); });
      expect(!outcome.passed, "each fails");
    }
  };
  fails_each(200);
  const Used before = used_now();
  fails_each(std::min<std::uint64_t>(100'000, 1'000 * scale() * scale()));
  stays_flat("abandoned", before);
}

}  // namespace

int main() {
  passing_ones();
  abandoned_ones();
  return expectations_met();
}
