// Ways in which a program ends. Each of them comes only if the other thread was first, or was not.
#include <atomic>
#include <cassert>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

std::atomic<bool> came = false;

struct Journal {
  ~Journal() { is_open = false; }
  std::atomic<bool> is_open = true;
};
Journal journal;

struct Counted {
  ~Counted() { std::printf("ended\n"); }
  int uses = 0;
};
thread_local Counted counted;

void write_journal() {
  for (int i = 0; i < 3; ++i) {
    if (!journal.is_open) std::abort();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void end_if_first(const std::string& how) {
  if (came) return;
  if (how == "assert") assert(came);
  if (how == "exit") std::exit(4);
  if (how == "_exit") _exit(5);
  if (how == "quick_exit") std::quick_exit(6);
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "null") std::puts(*reinterpret_cast<char* volatile*>(sizeof(int)));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "detach") {
    std::thread(write_journal).detach();
    return 0;
  }
  std::thread other([&how] {
    ++counted.uses;
    if (how == "throw here" && came) throw std::logic_error("too late");
    came = true;
  });
  if (how == "main first") {
    other.detach();
    ++counted.uses;
    pthread_exit(nullptr);
  }
  if (how == "throw" && came) throw std::runtime_error("too early");
  if (how == "leave" && came) return 0;
  std::thread first(end_if_first, how);
  first.join();
  came = true;
  other.join();
}
