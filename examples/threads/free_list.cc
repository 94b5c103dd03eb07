// One thread takes a block, while another takes two and gives the first one back. Nobody may be
// given a block that somebody else has.
#include "free_list.h"

#include <heddle/sched.h>
#include <thread>

int main() {
  return heddle::sched::test(
      [] {
        TESTED list;
        std::array<std::atomic<bool>, kBlocks> used = {};
        const auto take = [&] {
          const std::uint32_t block = list.take();
          if (block != kNoBlock && used[block].exchange(true))
            heddle::sched::fail("a block is taken twice");
          return block;
        };
        std::thread other([&] {
          take();
          take();
        });
        const std::uint32_t first = take();
        take();
        used[first].store(false);
        list.give_back(first);
        other.join();
      },
      {.executions = 5000});
}
