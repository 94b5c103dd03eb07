// What a test draws or asks the machine for is the same in each execution, in each process. The
// program starts itself: `numbers` prints what one execution was told, `find` finds a failure that
// depends on it, and with HEDDLE_REPLAY finds that one.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <pthread.h>
#include <random>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/random.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

// Not of the test's memory, which is gone when an execution ends.
char told[8192];
std::size_t told_size = 0;

template <class... Values>
void tell(const char* what, Values... values) {
  const heddle::sched::Ignore ignore;
  std::ostringstream line;
  line << what;
  ((line << ' ' << values), ...);
  line << '\n';
  const std::string text = line.str();
  if (told_size + text.size() > sizeof told) heddle::sched::fail("no room");
  std::memcpy(told + told_size, text.data(), text.size());
  told_size += text.size();
}

std::uint64_t read_from(int descriptor) {
  std::uint64_t number = 0;
  if (read(descriptor, &number, sizeof number) != sizeof number) heddle::sched::fail("no number");
  close(descriptor);
  return number;
}

void ask_generators() {
  // In this order, which arguments of a call do not have.
  const std::array first{std::rand(), std::rand(), static_cast<int>(random())};
  tell("rand", first[0], first[1], first[2]);
  tell("lrand48", lrand48());
  tell("mrand48", mrand48());
  tell("drand48", drand48());
  std::srand(7);
  srand48(7);
  tell("seeded", std::rand());
  tell("seeded", lrand48());
  char state[64];
  char* before = initstate(5, state, sizeof state);
  tell("other state", random());
  setstate(before);
  tell("old state", random());
  unsigned seed = 3;
  tell("rand_r", rand_r(&seed));
}

void ask_kernel() {
  std::array<std::uint64_t, 2> numbers{};
  if (getrandom(numbers.data(), sizeof numbers, 0) != sizeof numbers) {
    heddle::sched::fail("getrandom");
  }
  tell("getrandom", numbers[0], numbers[1]);
  if (getentropy(numbers.data(), sizeof numbers) != 0) heddle::sched::fail("getentropy");
  tell("getentropy", numbers[0], numbers[1]);
  syscall(SYS_getrandom, numbers.data(), sizeof numbers, 0);
  tell("SYS_getrandom", numbers[0], numbers[1]);
  std::random_device device;
  std::random_device other("/dev/urandom");
  tell("random_device", device());
  tell("random_device", other());
  tell("/dev/urandom", read_from(open("/dev/urandom", O_RDONLY)));
  tell("/dev/urandom", read_from(open("/dev/urandom", O_RDONLY | O_CLOEXEC)));
  std::ifstream file("/dev/random", std::ios::binary);
  std::uint64_t number = 0;
  file.read(reinterpret_cast<char*>(&number), sizeof number);
  tell("/dev/random", number);
}

void ask_machine() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  sched_getaffinity(0, sizeof processors, &processors);
  tell("processors", std::thread::hardware_concurrency(), sysconf(_SC_NPROCESSORS_ONLN),
       CPU_COUNT(&processors), sched_getcpu());
  tell("thread", gettid(), syscall(SYS_gettid));
}

void ask() {
  ask_generators();
  ask_kernel();
  ask_machine();
  std::thread other([] {
    std::random_device device;
    tell("another thread", device(), gettid(), sched_getcpu());
  });
  other.join();
}

void some_of_it_matters() {
  std::random_device device;
  std::atomic<int> turns = 0;
  const unsigned wanted = 1 + device() % 3 + static_cast<unsigned>(std::rand()) % 2;
  std::thread other([&] {
    for (unsigned i = 0; i < wanted; ++i) ++turns;
  });
  const int seen = turns.load();
  other.join();
  if (seen == 1 && std::thread::hardware_concurrency() == 4) heddle::sched::fail("seen in between");
}

std::string told_in_an_execution(std::uint64_t seed) {
  told_size = 0;
  const heddle::sched::Outcome outcome =
      heddle::sched::run(1, ask, {.seed = seed, .races = heddle::sched::Races::ignore});
  return std::string(told, told_size) + (outcome.passed ? "passed" : outcome.failure.what) + "\n";
}

int find() {
  const heddle::sched::Answer answer = heddle::sched::check(some_of_it_matters, {.quiet = true});
  std::printf("%s: %s\n%s\n", answer.failure.kind.c_str(), answer.failure.what.c_str(),
              answer.failure.token.c_str());
  return answer.passed ? 1 : 0;
}

std::string output_of(const std::string& environment, const std::string& arguments) {
  char path[4096] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return "";
  const std::string command =
      "env " + environment + " '" + std::string(path) + "' " + arguments + " 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char some[4096];
  while (const std::size_t count = std::fread(some, 1, sizeof some, pipe)) text.append(some, count);
  pclose(pipe);
  return text;
}

void executions_are_told_the_same() {
  const std::string first = told_in_an_execution(1);
  expect(first.find("passed") != std::string::npos && first.size() > 200, "told: " + first);
  expect(first == told_in_an_execution(1), "twice the same");
  expect(first != told_in_an_execution(2), "another seed, other numbers");
  expect(first.find("rand 1804289383 846930886 1681692777") != std::string::npos,
         "rand begins as the C library's does: " + first);
  expect(first.find("processors 4 4 4") != std::string::npos, "four processors");
}

void outside_it_is_the_machine() {
  std::random_device device;
  std::random_device other("/dev/urandom");
  expect(device() != device() || other() != other(), "numbers differ");
  expect(gettid() == getpid(), "the first thread is the process");
  bool refused = false;
  try {
    const std::random_device unknown("no such source");
  } catch (const std::exception&) {
    refused = true;
  }
  expect(refused, "a source that nobody knows");
}

void processes_are_told_the_same() {
  // The token knows the seed.
  constexpr int kProcesses = 100;
  const std::string numbers = output_of("", "numbers");
  expect(numbers == told_in_an_execution(1), "another process is told the same");
  const std::string found = output_of("-u HEDDLE_REPLAY HEDDLE_SEED=7", "find");
  const std::size_t line = found.find('\n');
  if (line == std::string::npos || found.find("seen in between") == std::string::npos) {
    expect(false, "nothing is found: " + found);
    return;
  }
  const std::string token = found.substr(line + 1, found.size() - line - 2);
  int same = 0;
  for (int i = 0; i < kProcesses; ++i) {
    if (output_of("HEDDLE_REPLAY=" + token, "find") == found) ++same;
  }
  expect(same == kProcesses, token + " replays " + std::to_string(same) + " times: " + found);
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "numbers") == 0) {
    std::printf("%s", told_in_an_execution(1).c_str());
    return 0;
  }
  if (count == 2 && std::strcmp(words[1], "find") == 0) return find();
  executions_are_told_the_same();
  outside_it_is_the_machine();
  processes_are_told_the_same();
  return expectations_met();
}
