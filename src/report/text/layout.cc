#include "report/text/layout.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"

namespace heddle {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

// The end of the quoted text or comment that begins at `at`; `at` itself when none does.
std::size_t skip_quoted(std::string_view sql, std::size_t at) {
  const char c = sql[at];
  if (c != '\'' && c != '"') return at;
  const std::size_t end = sql.find(c, at + 1);
  return end == std::string_view::npos ? sql.size() : end + 1;
}

std::size_t skip_comment(std::string_view sql, std::size_t at) {
  const auto after = [&](std::string_view end) {
    const std::size_t found = sql.find(end, at + 2);
    return found == std::string_view::npos ? sql.size() : found + end.size();
  };
  if (sql.substr(at, 2) == "--") return after("\n");
  if (sql.substr(at, 2) == "/*") return after("*/");
  return at;
}

}  // namespace

std::string one_line(std::string_view sql) {
  std::string result;
  bool blank = false;
  for (std::size_t at = 0; at < sql.size();) {
    std::size_t end = skip_comment(sql, at);
    if (end == at && is_blank(sql[at])) end = at + 1;
    if (end != at) {
      blank = true;
      at = end;
      continue;
    }
    if (blank && !result.empty()) result += ' ';
    blank = false;
    end = std::max(skip_quoted(sql, at), at + 1);
    result += sql.substr(at, end - at);
    at = end;
  }
  while (!result.empty() && (result.back() == ';' || result.back() == ' ')) result.pop_back();
  return printable(result);
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text, at), 1);
    if (display_width(result) + display_width(text.substr(at, length)) + 1 > width) break;
    result += text.substr(at, length);
    at += length;
  }
  return result + "…";
}

namespace {

// "src/Bank.java", "Bank.java:22:9", "https://host/": broken it could be neither read nor clicked.
bool names_file(std::string_view word) {
  return word.find('/') != std::string_view::npos && word.find('\'') == std::string_view::npos;
}

// Fills lines word by word; a word that fits on no line is broken between characters.
class LineBreaker {
 public:
  LineBreaker(std::size_t width, std::size_t hanging, bool keeps_files)
      : width_(width), hanging_(hanging), keeps_files_(keeps_files) {}

  // Text that may be wider than the line.
  void begin_with(const std::string& text) {
    line_ = text;
    used_ = display_width(text);
  }

  // Blanks at the beginning of the text stay.
  void indent(std::size_t blanks) {
    used_ = std::min(blanks, width_ / 2);
    line_ = std::string(used_, ' ');
  }

  void add_word(std::string_view word, std::size_t blanks) {
    const std::size_t length = display_width(word);
    if (used_ > 0 && start() + used_ + blanks + length <= width_) {
      line_ += std::string(blanks, ' ') + std::string(word);
      used_ += blanks + length;
      return;
    }
    if (used_ > 0) finish_line();
    if (keeps_files_ && names_file(word)) {
      begin_with(std::string(word));
    } else {
      add_characters(word);
    }
  }

  void add_text(std::string_view text, std::size_t at) {
    while (at < text.size()) {
      const std::size_t word = std::min(text.find_first_not_of(' ', at), text.size());
      const std::size_t end = std::min(text.find(' ', word), text.size());
      if (end > word) add_word(text.substr(word, end - word), word - at);
      at = end;
    }
  }

  std::vector<std::string> take_lines() {
    if (used_ > 0 || lines_.empty()) finish_line();
    return std::move(lines_);
  }

 private:
  std::size_t start() const { return lines_.empty() ? 0 : hanging_; }

  void finish_line() {
    lines_.push_back(std::string(start(), ' ') + line_);
    line_.clear();
    used_ = 0;
  }

  void add_characters(std::string_view word) {
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t length = std::max<std::size_t>(utf8_length(word, at), 1);
      const std::string_view character = word.substr(at, length);
      const std::size_t columns = display_width(character);
      if (used_ > 0 && start() + used_ + columns > width_) finish_line();
      line_ += character;
      used_ += columns;
      at += length;
    }
  }

  std::size_t width_;
  std::size_t hanging_;
  bool keeps_files_;
  std::vector<std::string> lines_;
  std::string line_;
  std::size_t used_ = 0;
};

constexpr std::array<std::string_view, 10> kTerminalColors = {
    "",            // plain
    "\x1b[1m",     // heading: bold
    "\x1b[2m",     // frame: faint
    "",            // step
    "\x1b[36m",    // read: cyan
    "\x1b[33m",    // write: yellow
    "\x1b[2m",     // stalled: faint
    "\x1b[1m",     // commit: bold
    "\x1b[31m",    // error: red
    "\x1b[1;31m",  // wrong: bold red
};

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t hanging) {
  return wrap_words(text, width, hanging, true);
}

std::vector<std::string> wrap_words(std::string_view text, std::size_t width, std::size_t hanging,
                                    bool keeps_files) {
  LineBreaker breaker(width, hanging, keeps_files);
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  breaker.indent(first);
  breaker.add_text(text, first);
  return breaker.take_lines();
}

std::vector<std::string> wrap_behind(const std::string& prefix, std::string_view text,
                                     std::size_t width, std::size_t hanging) {
  LineBreaker breaker(width, hanging, true);
  breaker.begin_with(prefix);
  breaker.add_text(" " + std::string(text), 0);
  return breaker.take_lines();
}

std::string paint(std::string_view text, TextStyle style, const TextOptions& options) {
  const std::string_view color = kTerminalColors[static_cast<std::size_t>(style)];
  if (!options.color || color.empty() || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", color, text);
}

}  // namespace heddle
