// A server of two threads accepts three requests and shuts down.
#include "server.h"

#include <atomic>
#include <heddle/sched.h>

int main() {
  return heddle::sched::test(
      [] {
        std::atomic<int> answered = 0;
        TESTED server(2);
        for (int i = 0; i < 3; ++i) server.accept([&answered] { ++answered; });
        server.shut_down();
        if (answered != 3) heddle::sched::fail("a request that was accepted is not answered");
      },
      {.executions = 5000});
}
