// What a file of histories begins with, as far as formats are told by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle {

struct HistoryBeginning {
  enum class Form : std::uint8_t {
    binary,  // bytes that are no text
    edn,     // what only EDN has: its comments, tags, keywords, round brackets
    object,  // one of JSON, maybe in brackets, with its first `key`
    list,    // brackets, `depth` of them, and no object in them
    log,     // lines of a logger of Jepsen's
    words,   // anything else
    empty,
  };
  Form form = Form::empty;
  std::string_view text;  // from the first byte that means something
  std::string_view key = {};
  std::size_t depth = 0;

  bool is_words() const { return form == Form::words; }
  // The small letters that words begin with, and the character behind them.
  std::string_view word() const;
  char behind_word() const;
};

// Looks at the first bytes that mean something: neither spaces nor comments. `bytes` outlives what
// is returned.
HistoryBeginning look_at_beginning(std::string_view bytes);

// The text without the mark with which UTF-8 may begin.
std::string_view without_byte_order_mark(std::string_view bytes);

}  // namespace heddle
