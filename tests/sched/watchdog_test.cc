// A test that does not come back is ended by the process that watches it, which tells where its
// threads are. The program starts itself: with the name of a way, it does not come back.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

__attribute__((noinline, no_sanitize("thread"))) void go_round() {
  for (volatile int i = 0;;) (void)i;
}

__attribute__((noinline)) void wait_for_nothing() {
  if (pause() == 0) std::abort();
}

int do_not_come_back(std::string_view how) {
  const auto body = [how] {
    std::mutex mutex;
    std::thread other([&] { const std::lock_guard lock(mutex); });
    {
      const std::lock_guard lock(mutex);
      std::this_thread::yield();
      if (how == "loop") go_round();
      if (how == "wait") wait_for_nothing();
    }
    other.join();
  };
  return heddle::sched::test(body, {.strategy = heddle::sched::Strategy::random});
}

struct Ended {
  int code = 0;
  std::string text;
};

Ended start(const std::string& environment, const std::string& words) {
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) return {};
  FILE* pipe = popen(
      ("env " + environment + " '" + std::string(path.data()) + "' " + words + " 2>&1").c_str(),
      "r");
  if (pipe == nullptr) return {};
  Ended ended;
  std::array<char, 4096> some{};
  while (const std::size_t count = std::fread(some.data(), 1, some.size(), pipe)) {
    ended.text.append(some.data(), count);
  }
  ended.code = WEXITSTATUS(pclose(pipe));
  return ended;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

void it_is_told_and_ended(const std::string& how, const std::string& function,
                          const std::string& environment) {
  const Ended ended = start("HEDDLE_WATCHDOG=1 " + environment, how);
  expect(ended.code == 1, how + ": " + std::to_string(ended.code));
  expect(contains(ended.text, "heddle: stuck: no thread came to a step for 1 seconds"), ended.text);
  expect(contains(ended.text, function + " at watchdog_test.cc:"), ended.text);
  const std::size_t token = ended.text.find("HEDDLE_REPLAY=");
  expect(token != std::string::npos, ended.text);
}

}  // namespace

int main(int count, char** words) {
  if (count == 2) return do_not_come_back(words[1]);
  it_is_told_and_ended("loop", "go_round()", "A=1");
  it_is_told_and_ended("wait", "wait_for_nothing()", "A=1");
  it_is_told_and_ended("wait", "wait_for_nothing()", "HEDDLE_SCHED_SWITCH=handover");
  return expectations_met();
}
