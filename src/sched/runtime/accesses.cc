// Accesses of the program that others may see: which of them are steps, and which race.
#include <cstring>
#include <string>

#include "sched/runtime/engine.h"
#include "sched/runtime/instrumented.h"

namespace heddle::sched::runtime {

namespace {

// Whether the block is an exception as libstdc++ keeps it: the header in front of the object ends
// with what the unwinder is told, first of all the class of exceptions.
bool is_exception(const void* block, std::size_t size) {
  constexpr std::size_t kClassAt = 96;
  constexpr std::uint64_t kClass = 0x474E'5543'432B'2B00;  // "GNUCC++" and a zero
  std::uint64_t found = 0;
  if (size < kClassAt + sizeof found) return false;
  std::memcpy(&found, static_cast<const char*>(block) + kClassAt, sizeof found);
  return found == kClass;
}

}  // namespace

void Engine::access_part(std::uintptr_t address, std::size_t size, AccessKind kind,
                         const LargerAccess& larger) {
  Task& task = *running_;
  if (task.ignoring != 0) return;
  const InRuntime inside;
  note_global(address, size, !kind.writes, kind.writes);
  const bool shared = keeps_clocks() ? shadow_.is_racy(address, size)
                                     : shadow_.is_touched_by_several(address, size);
  const bool wanted = shared || task.operations + 1 == task.forced;
  if (wanted || has_been_quiet(task)) {
    if (wanted) {
      task.quiet = 0;
    } else {
      uncounted_steps_ += kQuietSteps;
    }
    step({.kind = kind.writes ? OperationKind::write : OperationKind::read,
          .object = address,
          .size = static_cast<std::uint32_t>(size),
          .changes = kind.writes,
          .caller = larger.caller});
    if (kind.writes) {
      changed(address);
    } else {
      saw(address, value_at(address, size), larger.caller, larger.part);
    }
  } else {
    if (open_event_) close_event();
    ++task.operations;
    const OperationKind done = kind.writes ? OperationKind::write : OperationKind::read;
    mix(task.id, done, address);
    if (options_.record) [[unlikely]] {
      record({.kind = done,
              .object = address,
              .size = static_cast<std::uint32_t>(size),
              .caller = larger.caller},
             false);
    }
  }
  if (!keeps_clocks()) {
    shadow_.touch(address, size, task.id, task.clock);
    return;
  }
  refuse_freed(address, size, kind);
  Race race;
  if (shadow_.access(address, size, kind, task.id, task.clock, race)) {
    race_found(race, larger.whole, kind.writes ? "a write" : "a read");
  }
}

void Engine::refuse_freed(std::uintptr_t address, std::size_t size, AccessKind kind) {
  if (!Arena::contains(address) || !shadow_.is_freed(address, size)) [[likely]]
    return;
  execution_.failure.object = address;
  fail(FailureKind::use_after_free, "thread " + std::to_string(running_->id) +
                                        (kind.writes ? " writes " : " reads ") +
                                        std::to_string(size) + " bytes of memory that was freed");
}

// Nobody comes in between: whoever still uses the memory is preempted where it does. What a library
// frees by itself (an exception, and the text in it) it counts where nobody sees: that the last one
// frees it behind all others is taken for granted.
void Engine::free_block(void* block, const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const std::size_t size = Arena::size_of(block);
  note_block(OperationKind::free, block, size, caller);
  const bool is_counted = is_exception(block, size);
  if (!arena_.free(block)) {
    execution_.failure.object = address;
    fail(FailureKind::use_after_free,
         "thread " + std::to_string(running_->id) + " frees memory that was freed before");
  }
  if (!keeps_clocks()) return;
  Race race;
  const Task& task = *running_;
  const bool races = shadow_.free(address, size, task.id, task.clock, race);
  if (races && task.ignoring == 0 && !is_counted && is_instrumented(caller)) {
    race_found(race, size, "a free");
  }
}

// Whoever goes on for ever without a step may wait for what nobody knows to be shared yet: now and
// then it makes one, and in the end with each access, so that the limit of steps ends it.
bool Engine::has_been_quiet(Task& task) {
  constexpr std::uint32_t kMostQuiet = 200 * kQuiet;
  ++task.quiet;
  return task.quiet > kMostQuiet || task.quiet % kQuiet == 0;
}

void Engine::look_at_atomic_access(std::uintptr_t address, std::size_t size, bool writes) {
  Task& task = *running_;
  const AccessKind kind{.writes = writes, .atomic = true};
  refuse_freed(address, size, kind);
  Race race;
  if (shadow_.access(address, size, kind, task.id, task.clock, race)) {
    race_found(race, size, writes ? "a write" : "a read");
  }
}

void Engine::race_found(const Race& race, std::size_t size, const char* what) {
  if (options_.races != Races::fail) return;
  execution_.failure.object = race.address;
  execution_.failure.other = race.earlier.task;
  fail(FailureKind::data_race, std::string(what) + " of " + std::to_string(size) + " bytes and a " +
                                   (race.earlier.writes ? "write" : "read") + " by thread " +
                                   std::to_string(race.earlier.task) + " are not ordered");
}

}  // namespace heddle::sched::runtime
