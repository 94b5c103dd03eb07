// For tests: results that a test cannot go on without.
#pragma once

#include <stdexcept>
#include <utility>

#include "heddle/result.h"

namespace heddle {

// The value; a diagnostic fails the test that asked.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}
inline void must(const Result<void>& result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
}

}  // namespace heddle
