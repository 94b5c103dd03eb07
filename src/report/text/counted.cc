#include "report/text/counted.h"

#include <fmt/format.h>

namespace heddle {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string within_bounds(std::size_t operations, std::size_t transactions, std::size_t calls) {
  return fmt::format(
      "within {} and {}{}", counted(operations, "operation", "operations"),
      counted(transactions, "transaction", "transactions"),
      calls == 0 ? "" : fmt::format(", after at most {}", counted(calls, "call", "calls")));
}

}  // namespace heddle
