#include "sched/runtime/backtrace.h"

#include <algorithm>
#include <unwind.h>

// Where the runtime's code begins and ends: it has a section of its own (cmake/HeddleSched.cmake).
// NOLINTBEGIN(readability-identifier-naming)
extern "C" const char __start_heddle_sched_text[];
extern "C" const char __stop_heddle_sched_text[];

// What a debugger is told of.
extern "C" {
#pragma GCC visibility push(default)
std::uintptr_t heddle_sched_frame = 0;
__attribute__((noinline)) void heddle_sched_break() { asm volatile("" ::: "memory"); }
#pragma GCC visibility pop
}
// NOLINTEND(readability-identifier-naming)

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kMostFrames = 64;

_Unwind_Reason_Code collect(_Unwind_Context* context, void* collected) {
  auto& frames = *static_cast<std::vector<std::uintptr_t>*>(collected);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || frames.size() == kMostFrames) return _URC_END_OF_STACK;
  frames.push_back(address);
  return _URC_NO_REASON;
}

struct FrameSearch {
  std::uintptr_t address = 0;  // where the frame goes on
  bool found = false;
  std::uintptr_t frame = 0;
};

// What the unwinder calls the canonical address of a frame is told with the frame's caller.
_Unwind_Reason_Code look_for_frame(_Unwind_Context* context, void* sought) {
  auto& search = *static_cast<FrameSearch*>(sought);
  if (search.found) {
    search.frame = _Unwind_GetCFA(context);
    return _URC_END_OF_STACK;
  }
  search.found = _Unwind_GetIP(context) == search.address;
  return _URC_NO_REASON;
}

}  // namespace

// A return address is behind the call, which may be the last of the runtime.
void drop_runtime_frames(std::vector<std::uintptr_t>& frames) {
  const auto first = reinterpret_cast<std::uintptr_t>(__start_heddle_sched_text);
  const auto last = reinterpret_cast<std::uintptr_t>(__stop_heddle_sched_text);
  std::erase_if(frames, [&](std::uintptr_t address) { return address > first && address <= last; });
}

std::vector<std::uintptr_t> backtrace_from(const void* caller) {
  std::vector<std::uintptr_t> frames;
  _Unwind_Backtrace(collect, &frames);
  const auto first =
      std::find(frames.begin(), frames.end(), reinterpret_cast<std::uintptr_t>(caller));
  if (first != frames.end()) frames.erase(frames.begin(), first);
  drop_runtime_frames(frames);
  return frames;
}

void stop_for_debugger(const void* caller, std::size_t above) {
  const std::vector<std::uintptr_t> own = backtrace_from(caller);
  heddle_sched_frame = 0;
  if (above < own.size()) {
    FrameSearch search{.address = own[above]};
    _Unwind_Backtrace(look_for_frame, &search);
    heddle_sched_frame = search.frame;
  }
  heddle_sched_break();
}

std::vector<std::uintptr_t> program_frames() { return backtrace_from(nullptr); }

}  // namespace heddle::sched::runtime
