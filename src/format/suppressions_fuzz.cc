// Any bytes as a suppression file: refused, or read and written and read again as the same entries.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/suppressions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto entries = heddle::parse_suppressions(text, "fuzz");
  if (!entries) {
    if (entries.error().position.line == 0) std::abort();
    return 0;
  }
  const auto again = heddle::parse_suppressions(heddle::write_suppressions(*entries), "again");
  if (!again || again->size() != entries->size()) std::abort();
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const heddle::Suppression& one = (*entries)[i];
    const heddle::Suppression& other = (*again)[i];
    const bool same = one.id == other.id && one.until == other.until && one.reason == other.reason;
    if (!same || one.reason.empty()) std::abort();
  }
  return 0;
}
