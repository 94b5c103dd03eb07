#include "frontend/redis/split.h"

#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"

namespace heddle {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// Escapes of one letter in "..."; any other character stands for itself.
char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return c;
  }
}

class LineReader {
 public:
  LineReader(std::string_view line, std::uint32_t number) : line_(line), number_(number) {}

  // None: there is no command on the line.
  Result<std::optional<RedisCommand>> read() {
    RedisCommand command;
    skip_blanks();
    if (next_ == line_.size() || line_[next_] == '#') return std::optional<RedisCommand>();
    const std::size_t begin = next_;
    std::size_t end = begin;
    while (!at_end()) {
      std::string argument;
      while (!at_end() && !is_blank(line_[next_])) {
        if (auto taken = take(argument); !taken) return taken.error();
      }
      command.arguments.push_back(std::move(argument));
      end = next_;
      skip_blanks();
    }
    if (command.arguments.empty()) return std::optional<RedisCommand>();
    command.text = std::string(line_.substr(begin, end - begin));
    command.position = position_at(begin);
    return std::optional(std::move(command));
  }

 private:
  void skip_blanks() {
    while (next_ < line_.size() && is_blank(line_[next_])) ++next_;
  }

  // Also where nothing but semicolons follows.
  bool at_end() const {
    return next_ >= line_.size() ||
           (line_[next_] == ';' && line_.find_first_not_of("; \t\r\f\v", next_) == line_.npos);
  }

  // One character, or all that is between quotes.
  Result<void> take(std::string& argument) {
    const char c = line_[next_];
    if (c != '"' && c != '\'') {
      argument += c;
      ++next_;
      return {};
    }
    const std::size_t quote = next_++;
    while (next_ < line_.size() && line_[next_] != c) take_quoted(c, argument);
    if (next_ >= line_.size()) return trouble_at(quote, "this quote is not closed on its line");
    ++next_;
    if (at_end() || is_blank(line_[next_])) return {};
    return trouble_at(quote, "something stands right behind these quotes");
  }

  void take_quoted(char quote, std::string& argument) {
    const char c = line_[next_++];
    if (c != '\\' || next_ >= line_.size()) {
      argument += c;
    } else if (quote == '\'') {
      argument += line_[next_] == '\'' ? line_[next_++] : c;
    } else if (const std::optional<char> byte = hexadecimal_byte()) {
      argument += *byte;
    } else {
      argument += unescaped(line_[next_++]);
    }
  }

  // Of \xHH, behind the backslash.
  std::optional<char> hexadecimal_byte() {
    if (line_[next_] != 'x' || line_.size() - next_ < 3) return std::nullopt;
    unsigned byte = 0;
    const char* const begin = line_.data() + next_ + 1;
    const auto [end, error] = std::from_chars(begin, begin + 2, byte, 16);
    if (error != std::errc() || end != begin + 2) return std::nullopt;
    next_ += 3;
    return static_cast<char>(byte);
  }

  SourcePosition position_at(std::size_t offset) const {
    return {number_, static_cast<std::uint32_t>(offset) + 1};
  }

  Diagnostic trouble_at(std::size_t offset, const std::string& what) const {
    return Diagnostic{.what = what,
                      .what_to_do = "quote whole arguments, as redis-cli wants it",
                      .file = {},
                      .position = position_at(offset),
                      .trouble = Trouble::bad_input};
  }

  std::string_view line_;
  std::uint32_t number_;
  std::size_t next_ = 0;
};

}  // namespace

Result<std::vector<RedisCommand>> split_redis(std::string_view text) {
  std::vector<RedisCommand> commands;
  std::uint32_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    auto command = LineReader(line, ++number).read();
    if (!command) return command.error();
    if (*command) commands.push_back(std::move(**command));
  }
  return commands;
}

}  // namespace heddle
