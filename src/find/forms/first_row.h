// In which order a query gives its rows, and which one a query for a single one takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::find {

// One expression of ORDER BY, as SQL text.
struct OrderText {
  std::string text;
  bool descending = false;
};

// What `... ORDER BY a, b DESC LIMIT 1` orders by, perhaps nothing; none: the query takes other
// rows than the first one.
std::optional<std::vector<OrderText>> order_of_first_row(std::string_view query);

// What a query without LIMIT and the like orders all its rows by; none: it may leave some
// out, or asks another query within.
std::optional<std::vector<OrderText>> order_of_rows(std::string_view query);

}  // namespace heddle::find
