// A test that does not come back is ended by the process that watches it, which tells where its
// threads are. The program starts itself: with the name of a way, it does not come back.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "heddle/sched.h"
#include "heddle/sched_property.h"
#include "tests/sched/expect.h"

namespace {

__attribute__((noinline, no_sanitize("thread"))) void go_round() {
  for (volatile int i = 0;;) (void)i;
}

__attribute__((noinline)) void wait_for_nothing() {
  if (syscall(SYS_pause) == 0) std::abort();
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

// Comes back unless it is asked for what was never put in.
struct Box {
  std::mutex mutex;
  int full = 0;

  void put() {
    const std::lock_guard lock(mutex);
    ++full;
  }
  void take() {
    const std::lock_guard lock(mutex);
    if (full == 0) wait_for_nothing();
    --full;
  }
};

int do_not_come_back_from_a_command() {
  heddle::sched::Property<Box, int> property;
  property.command(
              "put", [](Box& box) { box.put(); }, [](int& full) { ++full; })
      .command("take", [](Box& box) { box.take(); }, [](int& full) { --full; });
  return heddle::sched::test(property);
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

// Its token has the commands, so that the same one does not come back again.
void a_property_is_stuck_again() {
  const Ended ended = start("HEDDLE_WATCHDOG=1", "property");
  expect(ended.code == 1 && contains(ended.text, "wait_for_nothing() at"), ended.text);
  const std::size_t begin = ended.text.find("HEDDLE_REPLAY=");
  expect(begin != std::string::npos, ended.text);
  if (begin == std::string::npos) return;
  const std::string token = ended.text.substr(begin, ended.text.find(' ', begin) - begin);
  expect(token.starts_with("HEDDLE_REPLAY=p"), token);
  const Ended again = start("HEDDLE_WATCHDOG=1 " + token, "property");
  expect(again.code == 1 && contains(again.text, "wait_for_nothing() at"), again.text);
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::string_view(words[1]) == "property") {
    return do_not_come_back_from_a_command();
  }
  if (count == 2) return do_not_come_back(words[1]);
  it_is_told_and_ended("loop", "go_round()", "A=1");
  it_is_told_and_ended("wait", "wait_for_nothing()", "A=1");
  it_is_told_and_ended("wait", "wait_for_nothing()", "HEDDLE_SCHED_SWITCH=handover");
  a_property_is_stuck_again();
  return expectations_met();
}
