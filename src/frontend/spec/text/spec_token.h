// The tokens of a spec file, exactly PostgreSQL's (specscanner.l), and the words of its grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

struct SpecToken {
  enum class Kind : std::uint8_t {
    word,         // a bare identifier or keyword
    quoted_name,  // "..."
    block,        // { SQL }
    integer,
    symbol,  // one of , ( ) *
    end,     // of the file
  };

  Kind kind = Kind::end;
  std::string text;         // a name without quotes, a block without braces and outer white space
  SourcePosition position;  // of the first character
  SourcePosition content;   // of the first character of `text`
};

// Bare words that are never names in PostgreSQL's format.
bool is_spec_keyword(std::string_view word);

// Words that begin an item of heddle's own; they remain good names of sessions and steps.
std::span<const std::string_view> extension_words();
bool is_extension_word(std::string_view word);

// Whether `text` can stand as a bare word.
bool is_bare_word(std::string_view text);

// Between double quotes, with those in it doubled.
std::string quoted_name(std::string_view name);

// Where a block ends: PostgreSQL's at the first }, whatever is around it.
enum class BlockEnd : std::uint8_t { first_brace, outside_quotes };

// Hands out the tokens of `text` one by one. `text` must outlive it.
class SpecScanner {
 public:
  SpecScanner(std::string_view text, std::string_view file);

  Result<SpecToken> next(BlockEnd end = BlockEnd::first_brace);

  // The rest of the line that the last token stands on, up to a comment, without white space
  // around it: for items whose values are not tokens.
  SpecToken rest_of_line();

 private:
  void skip_space();
  void advance_to(std::size_t offset);
  SourcePosition position() const;
  Result<SpecToken> quoted_name();
  Result<SpecToken> block(BlockEnd ends_at);
  std::size_t block_end(std::size_t from) const;
  std::size_t unquoted_block_end(std::size_t from) const;
  SpecToken take(SpecToken::Kind kind, std::size_t size);
  Diagnostic error(SourcePosition where, std::string what, std::string what_to_do) const;
  Diagnostic unexpected_character() const;

  std::string_view text_;
  std::string file_;
  std::size_t offset_ = 0;
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace heddle
