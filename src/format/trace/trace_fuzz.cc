// Any bytes either are a trace, which is written and read again as the same one, or give one error
// that says what is wrong.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "format/trace/random_trace_testing.h"
#include "format/trace/trace_lines.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Trace> trace = parse_trace(text, "fuzz");
  if (!trace) {
    HEDDLE_ASSERT(!trace.error().what.empty() && trace.error().file == "fuzz");
    return 0;
  }
  const std::string written = trace_text(*trace);
  const Result<Trace> again = parse_trace(written, "again");
  HEDDLE_ASSERT(again && trace_text(*again) == written);
  return 0;
}
