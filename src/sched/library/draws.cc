#include "sched/library/draws.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

// What was drawn in one execution.
struct Drawn {
  std::uint64_t execution = 0;
  std::uint64_t opened = 0;
  std::array<std::uint64_t, kMostTasks> numbers{};
};
Drawn drawn;

Drawn& of_this_execution() {
  if (drawn.execution != engine().number()) drawn = {.execution = engine().number()};
  return drawn;
}

}  // namespace

std::uint64_t draw(const void* caller) {
  const InRuntime inside;
  const Task& task = engine().running();
  const std::uint64_t count = ++of_this_execution().numbers[task.id];
  RandomNumbers numbers(engine().options().seed + (std::uint64_t{task.id} << 32 ^ count << 40) +
                        count);
  const std::uint64_t number = numbers.next();
  engine().pass({.kind = OperationKind::draw, .changes = false, .caller = caller});
  engine().note_result(number);
  return number;
}

void draw_bytes(void* to, std::size_t size, const void* caller) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    const std::uint64_t number = draw(caller);
    const std::size_t part = std::min(size, sizeof number);
    memcpy(at, &number, part);
    at += part;
    size -= part;
  }
}

std::uint64_t count_opened() { return of_this_execution().opened++; }

}  // namespace heddle::sched::runtime
