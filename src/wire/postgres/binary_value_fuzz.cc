// Any bytes as a value of any type: nothing crashes, and no text is much longer than its bytes.
//
// The first four bytes of the input are the number of the type.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "wire/postgres/big_endian.h"
#include "wire/postgres/binary_value.h"

namespace {

// The zeros that a numeric has before or behind its digits.
constexpr std::size_t kMostZeros = std::size_t{1} << 18;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view number = input.substr(0, 4);
  const std::string_view bytes = input.substr(number.size());
  const auto text = heddle::postgres::binary_value_text(
      bytes, static_cast<std::uint32_t>(heddle::postgres::big_endian(number)));
  HEDDLE_ASSERT(!text || text->size() <= kMostZeros + 64 * (bytes.size() + 1));
  return 0;
}
