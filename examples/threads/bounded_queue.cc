// Two producers and two consumers share a queue of one place.
#include "bounded_queue.h"

#include <thread>

int main() {
  return heddle::sched::test(
      [] {
        TESTED queue(1);
        int first = 0;
        int second = 0;
        std::thread threads[] = {
            std::thread([&] { first = queue.pop(); }), std::thread([&] { second = queue.pop(); }),
            std::thread([&] { queue.push(1); }), std::thread([&] { queue.push(2); })};
        for (std::thread& thread : threads) thread.join();
        if (first + second != 3) heddle::sched::fail("an item is lost, or popped twice");
      },
      {.executions = 5000});
}
