// Any bytes either are a cut or give one error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "heddle/split.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const heddle::Result<heddle::Cut> read = heddle::parse_cut(text, "cut.json");
  if (!read) {
    HEDDLE_ASSERT(!read.error().what.empty());
    return 0;
  }
  HEDDLE_ASSERT(!read->services.empty());
  for (const heddle::Service& service : read->services) HEDDLE_ASSERT(!service.tables.empty());
  return 0;
}
