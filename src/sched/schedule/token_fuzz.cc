// Any bytes as a token: refused, or what is read is the same after it was printed and read again.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sched/schedule/schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using heddle::sched::runtime::parse_token;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto token = parse_token(text);
  if (!token) return 0;
  const auto again = parse_token(heddle::sched::runtime::print_token(*token));
  if (!again || again->schedule != token->schedule || again->seed != token->seed ||
      again->events != token->events) {
    std::abort();
  }
  return 0;
}
