// Expectations of a test program that is compiled with -fsanitize=thread, with which GoogleTest's
// own library is not.
#pragma once

#include <cstdio>
#include <string>

inline int& missed_expectations() {
  static int missed = 0;
  return missed;
}

inline void expect(bool met, const std::string& what) {
  if (met) return;
  ++missed_expectations();
  std::fprintf(stderr, "not so: %s\n", what.c_str());
}

// What main returns.
inline int expectations_met() { return missed_expectations() == 0 ? 0 : 1; }
