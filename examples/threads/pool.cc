// Two threads need two connections each, and there are two.
#include "pool.h"

#include <heddle/sched.h>
#include <thread>

int main() {
  return heddle::sched::test(
      [] {
        TESTED pool(2);
        std::atomic<int> used = 0;
        const auto work = [&] {
          pool.take(2);
          if (used.fetch_add(2) != 0) heddle::sched::fail("a connection is used by two threads");
          used.fetch_sub(2);
          pool.give_back(2);
        };
        std::thread other(work);
        work();
        other.join();
      },
      {.executions = 5000});
}
