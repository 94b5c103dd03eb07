// One thread reads while another updates. When both are done, the cache must answer as the store.
#include "cache.h"

#include <heddle/sched.h>
#include <thread>

int main() {
  return heddle::sched::test(
      [] {
        Store store;
        TESTED cache(store);
        std::thread reader([&] { cache.read(); });
        cache.update(1);
        reader.join();
        if (cache.read() != 1) heddle::sched::fail("the cache answers what was before the update");
      },
      {.executions = 5000});
}
