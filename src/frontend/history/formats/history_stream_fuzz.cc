// Any bytes, cut anywhere: refused, or parts that are well formed and hold as many transactions or
// calls as they do when each line comes by itself. The first byte says where the cuts are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <variant>

#include "frontend/history/formats/history_stream.h"

namespace {

// What is in all parts; none: the text was refused.
std::optional<std::size_t> count(std::string_view text, std::size_t step) {
  heddle::HistoryStream stream("fuzz.txt", {});
  std::size_t found = 0;
  const auto take_part = [&] {
    const auto part = stream.take_part();
    if (!part) return false;
    if (!*part) return true;
    std::visit(
        [](const auto& history) {
          if (heddle::find_flaw(history)) std::abort();
        },
        (*part)->history);
    const auto* const transactions = std::get_if<heddle::TransactionHistory>(&(*part)->history);
    found += transactions != nullptr
                 ? transactions->transactions.size()
                 : std::get<heddle::ObjectHistory>((*part)->history).calls.size();
    return true;
  };
  while (!text.empty()) {
    const std::size_t line = text.find('\n');
    const std::size_t end = step == 0 ? std::min(line, text.size() - 1) + 1 : step;
    if (!stream.take(text.substr(0, end)) || !take_part()) return std::nullopt;
    text.remove_prefix(std::min(end, text.size()));
  }
  if (!stream.end() || !take_part()) return std::nullopt;
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const auto by_line = count(text, 0);
  const auto by_bytes = count(text, std::size_t{bytes[0]} + 1);
  if (by_line != by_bytes) std::abort();
  return 0;
}
