#include "sched/runtime/backtrace.h"

#include <algorithm>
#include <unwind.h>

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

}  // namespace

std::vector<std::uintptr_t> backtrace_from(const void* caller) {
  std::vector<std::uintptr_t> frames;
  _Unwind_Backtrace(collect, &frames);
  const auto first =
      std::find(frames.begin(), frames.end(), reinterpret_cast<std::uintptr_t>(caller));
  if (first != frames.end()) frames.erase(frames.begin(), first);
  return frames;
}

}  // namespace heddle::sched::runtime
