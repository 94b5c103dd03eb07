// Any bytes either are settings or give one error with what to do.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "frontend/config/config.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const heddle::Result<heddle::Config> read = heddle::parse_config(text, "heddle.yaml");
  if (!read) {
    HEDDLE_ASSERT(!read.error().what.empty() && !read.error().what_to_do.empty());
    return 0;
  }
  for (const heddle::Setting& file : read->program.files) HEDDLE_ASSERT(!file.text.empty());
  HEDDLE_ASSERT(read->program.schema.size() <= 1 && read->program.dialect.size() <= 1);
  return 0;
}
