// A program with its own main: two threads of eight loads and stores of two atomic objects, as in
// bench/sched_times.cc.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> x = 0;
std::atomic<int> y = 0;

void run() {
  for (int i = 0; i < 2; ++i) {
    x.store(i);
    (void)y.load();
    y.store(i);
    (void)x.load();
  }
}

}  // namespace

int main() {
  std::thread one(run);
  std::thread other(run);
  one.join();
  other.join();
}
