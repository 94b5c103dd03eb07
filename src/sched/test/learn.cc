// What threads share is learned by executions, and a single execution has none before it. A child
// process makes them, so that the test's body runs once as far as its own process can tell.
#include <cerrno>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "sched/test/test.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::uint64_t kWalks = 8;  // how many executions with nothing new are enough

void learn(Test& test) {
  test.execute(*sequential());
  const auto in_turn = round_robin();
  for (int i = 0; i < 2; ++i) test.execute(*in_turn);
  std::size_t shared = engine().shadow().shared_granules();
  for (std::uint64_t walk = 0; walk < kWalks; ++walk) {
    test.execute(*random_walk(walk));
    if (engine().shadow().shared_granules() == shared) continue;
    shared = engine().shadow().shared_granules();
    walk = 0;
  }
}

bool write_all(int to, const std::vector<std::uintptr_t>& addresses) {
  const auto* next = reinterpret_cast<const char*>(addresses.data());
  std::size_t left = addresses.size() * sizeof(std::uintptr_t);
  while (left > 0) {
    const ssize_t written = write(to, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    left -= static_cast<std::size_t>(written);
  }
  return true;
}

// What was cut off is not read.
std::vector<std::uintptr_t> read_all(int from) {
  std::vector<char> bytes;
  char some[4096];
  for (;;) {
    const ssize_t count = read(from, some, sizeof some);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    bytes.insert(bytes.end(), some, some + count);
  }
  const auto* addresses = reinterpret_cast<const std::uintptr_t*>(bytes.data());
  return {addresses, addresses + bytes.size() / sizeof(std::uintptr_t)};
}

}  // namespace

void Test::learn_shared() {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    close(pipe_ends[0]);
    engine().enter_child();
    learn(*this);
    const bool told = write_all(pipe_ends[1], engine().shadow().shared());
    _exit(told ? 0 : 1);
  }
  close(pipe_ends[1]);
  if (child > 0) {
    for (const std::uintptr_t address : read_all(pipe_ends[0])) engine().shadow().share(address);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  close(pipe_ends[0]);
}

}  // namespace heddle::sched::runtime
