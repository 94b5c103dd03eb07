// Keys that texts are appended to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check/calls/quick.h"

namespace heddle {

// What a key holds with that value: nil is the empty text.
std::string text_of(const ObjectHistory& history, Value value);

// What is appended, each text once, and by which call.
using AppendedTexts = std::map<std::string, std::uint32_t, std::less<>>;

// The appends that a text is made of behind its first `from` bytes, as far as it can be cut.
struct CutText {
  std::vector<std::uint32_t> appends;
  std::vector<std::size_t> ends;  // of each, in bytes
  bool is_ambiguous = false;      // it can be cut in several ways
};
CutText cut_into_appends(std::string_view text, std::size_t from, const AppendedTexts& appends);

// As order_quickly, where nothing is put and something is appended; else it does not know.
QuickOutcome order_appends(const CallProblem& problem);

}  // namespace heddle
