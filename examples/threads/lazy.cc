// Two threads ask for the settings at once.
#include "lazy.h"

#include <heddle/sched.h>
#include <thread>

int main() {
  return heddle::sched::test(
      [] {
        TESTED lazy;
        std::thread other([&] {
          if (lazy.get().host != "localhost") heddle::sched::fail("the host is not set");
        });
        if (lazy.get().port != 8080) heddle::sched::fail("the port is not set");
        other.join();
      },
      {.executions = 5000});
}
