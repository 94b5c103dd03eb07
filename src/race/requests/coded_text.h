// A text that stands, perhaps encoded, in a part of a message, and where each of its bytes stands
// there: so that a value which is found in the decoded text can be replaced in what is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

enum class ValueCoding : std::uint8_t {
  percent,  // of a path: %2F
  form,     // of a query or a form: %2F, and + for a blank
  json,     // within a JSON string: \n, \u00e9
};

struct CodedText {
  std::string text = {};                  // decoded
  std::vector<std::size_t> from = {};     // where each byte began in the part; one more for the end
  std::vector<ValueCoding> codings = {};  // the outermost first

  std::size_t begin() const { return from.front(); }
  std::size_t end() const { return from.back(); }
};

// What stands from byte `at` of its part on, as it is.
CodedText coded_text(std::string_view raw, std::size_t at = 0);
// REQUIRES: begin + size <= text.text.size().
CodedText part_of(const CodedText& text, std::size_t begin, std::size_t size);
// What is not well-formed stays as it is.
CodedText decoded(const CodedText& text, ValueCoding coding);

// The text as it may stand there.
std::string encoded(std::string_view text, const std::vector<ValueCoding>& codings);

}  // namespace heddle
