// Any bytes as two logs, cut where the first byte says: refused, or a well-formed history.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "frontend/history/cobra.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::size_t cut = std::min<std::size_t>(bytes[0], text.size());
  const std::array logs = {heddle::CobraLog{"T1.log", text.substr(0, cut)},
                           heddle::CobraLog{"T2.log", text.substr(cut)}};
  const auto history = heddle::read_cobra(logs);
  if (history && heddle::find_flaw(*history)) std::abort();
  return 0;
}
