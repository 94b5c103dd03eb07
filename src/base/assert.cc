#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace heddle {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "heddle: internal error: %s does not hold at %s:%d\n", condition, file,
               line);
  std::abort();
}

}  // namespace heddle
