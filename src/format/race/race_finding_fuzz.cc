// Any bytes as a finding of a race: refused, or read and written and read again with the same text.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heddle/race_finding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const heddle::Result<heddle::RaceFinding> finding = heddle::parse_race_finding(text, "fuzz.json");
  if (!finding) return 0;
  const std::string written = heddle::to_json(*finding);
  const heddle::Result<heddle::RaceFinding> again =
      heddle::parse_race_finding(written, "again.json");
  if (!again || heddle::to_json(*again) != written) std::abort();
  return 0;
}
