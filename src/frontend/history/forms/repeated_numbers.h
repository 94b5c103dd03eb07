// A list of integers that is read again and again from a text: mostly it begins as it did before,
// and then only what is new of it is looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/recorded_history.h"

namespace heddle {

class RepeatedNumbers {
 public:
  // The integers of "1 -2, 3", or none where anything else stands there or one of them is long;
  // valid until the next call. The text outlives this. Linear in what differs from an earlier text;
  // what is the same is only compared.
  std::optional<std::span<const Value>> read(std::string_view text);

 private:
  bool begins_as_known(std::string_view text) const;
  bool read_rest(std::string_view text);

  std::string_view text_;
  std::vector<Value> elements_;      // of text_
  std::vector<std::uint32_t> ends_;  // where each ends there
};

}  // namespace heddle
