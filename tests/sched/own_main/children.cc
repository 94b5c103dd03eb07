// Processes and signals of the program's own: children that exit in several ways, a shell, and a
// thread that waits for the signal to stop. With "wrong" that thread sets the flag without the
// lock.
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <queue>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

std::mutex mutex;
std::condition_variable changed;
std::queue<int> tasks;
std::atomic<bool> stopped = false;

int code_of_child(void (*end)(int), int code) {
  const pid_t child = fork();
  if (child == 0) end(code);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

void wait_for_stop(const sigset_t& signals, bool right) {
  int signal = 0;
  while (sigwait(&signals, &signal) == 0 && signal != SIGTERM) {
  }
  if (right) {
    const std::lock_guard lock(mutex);
    stopped = true;
  } else {
    stopped = true;
  }
  changed.notify_all();
}

int work() {
  int done = 0;
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [] { return stopped || !tasks.empty(); });
    if (tasks.empty()) return done;
    tasks.pop();
    ++done;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool right = argc < 2 || std::string_view(argv[1]) != "wrong";
  if (code_of_child(_exit, 5) != 5 || code_of_child(std::exit, 6) != 6) return 1;
  if (std::system("exit 7") != 7 << 8) return 1;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread stopper([&] { wait_for_stop(signals, right); });
  int done = 0;
  std::thread worker([&] { done = work(); });
  {
    const std::lock_guard lock(mutex);
    tasks.push(1);
  }
  changed.notify_one();
  pthread_kill(stopper.native_handle(), SIGUSR1);
  kill(getpid(), SIGTERM);
  stopper.join();
  worker.join();
  return done == 1 ? 0 : 1;
}
