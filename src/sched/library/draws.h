// What a test gets that asks for a random number, from whomever: the same in each execution with
// the same Options::seed, in each process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::sched::runtime {

// The next number of the running task: each has its own, so that it does not matter who draws
// first. REQUIRES: is_on_task().
std::uint64_t draw(const void* caller);
// As many bytes.
void draw_bytes(void* to, std::size_t size, const void* caller);
// How often this was called in this execution, before.
std::uint64_t count_opened();

}  // namespace heddle::sched::runtime
