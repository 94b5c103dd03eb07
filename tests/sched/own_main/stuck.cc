// Code that does not come back, and that heddle is not told of.
#include <mutex>
#include <string_view>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace {

std::mutex mutex;

__attribute__((noinline, no_sanitize("thread"))) void go_round() {
  for (volatile int i = 0;;) (void)i;
}

__attribute__((noinline)) int wait_for_nothing() { return static_cast<int>(syscall(SYS_pause)); }

// This is told of: nobody writes.
long read_nothing() {
  int ends[2];
  char letter = 0;
  return pipe(ends) == 0 ? read(ends[0], &letter, 1) : -1;
}

}  // namespace

int main(int argc, char** argv) {
  std::thread other([] {
    const std::lock_guard one(mutex);
    const std::lock_guard again(mutex);
  });
  std::this_thread::yield();
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (how == "wait") return wait_for_nothing();
  if (how == "read") return read_nothing() == 1 ? 0 : 1;
  go_round();
  other.join();
}
