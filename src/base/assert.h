// HEDDLE_ASSERT: for what a programmer broke, never for what a user gave. On in release builds.
#pragma once

namespace heddle {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace heddle

#define HEDDLE_ASSERT(condition)          \
  (static_cast<bool>(condition) ? void(0) \
                                : ::heddle::assertion_failed(#condition, __FILE__, __LINE__))
