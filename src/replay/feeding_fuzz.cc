// Any bytes are an expression: no crash, and what feeds is part of what is mentioned.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "replay/feeding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const heddle::FeedingParts parts = heddle::feeding_parts(text);
  HEDDLE_ASSERT(parts.generators.empty() || parts.mentions_generator);
  heddle::feeding_parts(heddle::with_placeholders(text));
  return 0;
}
