#include "frontend/marks/scan.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace heddle::marks {

namespace {

constexpr std::size_t kLongestTag = 64;  // of a dollar quote or here-document

class Scanner {
 public:
  Scanner(std::string_view text, const Language& language) : language_(language) {
    out_.text = text;
    out_.code = std::string(text);
    for (const std::string& mark : split(trim(language.line_comments), ' ')) {
      if (!mark.empty()) line_comments_.push_back(mark);
    }
    out_.lines.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') out_.lines.push_back(i + 1);
    }
  }

  ScannedText scan() {
    const bool is_markup = language_.family == Family::xml;
    while (at_ < out_.text.size()) {
      const bool is_taken =
          skip_comment() ||
          (!is_markup && (take_heredoc() || take_dollar() || take_raw() || take_quoted()));
      if (!is_taken) ++at_;
    }
    return std::move(out_);
  }

 private:
  bool looks_at(std::string_view what) const { return out_.text.substr(at_).starts_with(what); }
  char before() const { return at_ == 0 ? '\n' : out_.text[at_ - 1]; }

  bool skip_comment() {
    if (!language_.block_open.empty() && looks_at(language_.block_open)) {
      const std::size_t begin = at_;
      const std::size_t close =
          out_.text.find(language_.block_close, at_ + language_.block_open.size());
      at_ =
          close == std::string_view::npos ? out_.text.size() : close + language_.block_close.size();
      blank(begin, at_);
      return true;
    }
    const bool opens = std::ranges::any_of(line_comments_,
                                           [&](const std::string& mark) { return looks_at(mark); });
    // "https://" of a template that is no string, and $# of a shell.
    if (!opens || (looks_at("//") && before() == ':')) return false;
    const std::size_t begin = at_;
    at_ = std::min(out_.text.find('\n', at_), out_.text.size());
    blank(begin, at_);
    return true;
  }

  // <<~SQL ... SQL
  bool take_heredoc() {
    if (!language_.has_heredocs || !looks_at("<<")) return false;
    std::size_t name = at_ + 2;
    while (name < out_.text.size() &&
           (std::string_view("<~-'\"").find(out_.text[name]) != std::string_view::npos)) {
      ++name;
    }
    std::size_t end = name;
    while (end < out_.text.size() && is_word_character(out_.text[end])) ++end;
    if (end == name || end - name > kLongestTag ||
        std::isupper(static_cast<unsigned char>(out_.text[name])) == 0) {
      return false;
    }
    const std::string_view tag = out_.text.substr(name, end - name);
    const std::size_t body = out_.text.find('\n', end);
    if (body == std::string_view::npos) return false;
    for (std::size_t line = body; line != std::string_view::npos;
         line = out_.text.find('\n', line + 1)) {
      const std::size_t first = out_.text.find_first_not_of(" \t", line + 1);
      if (first == std::string_view::npos || !out_.text.substr(first).starts_with(tag)) continue;
      add(at_, first + tag.size(), out_.text.substr(body, first - body));
      return true;
    }
    return false;
  }

  bool take_dollar() {
    if (!language_.has_dollar_quotes || out_.text[at_] != '$' || is_word_character(before())) {
      return false;
    }
    std::size_t end = at_ + 1;
    while (end < out_.text.size() && end - at_ < kLongestTag && is_word_character(out_.text[end])) {
      ++end;
    }
    if (end >= out_.text.size() || out_.text[end] != '$') return false;
    const std::string_view tag = out_.text.substr(at_, end + 1 - at_);
    const std::size_t close = out_.text.find(tag, end + 1);
    if (close == std::string_view::npos) return false;
    add(at_, close + tag.size(), out_.text.substr(end + 1, close - end - 1));
    return true;
  }

  // R"tag(text)tag", r#"text"#
  bool take_raw() {
    if (!language_.has_raw || is_word_character(before())) return false;
    const bool is_rust = language_.family == Family::rust;
    if (!looks_at(is_rust ? "r" : "R\"")) return false;
    std::size_t open = at_ + 1;
    if (is_rust) {
      while (open < out_.text.size() && out_.text[open] == '#') ++open;
      if (open >= out_.text.size() || out_.text[open] != '"') return false;
    }
    const std::size_t begin = is_rust ? open : out_.text.find('(', open);
    if (begin == std::string_view::npos || begin - open > kLongestTag) return false;
    const std::string close =
        is_rust ? "\"" + std::string(open - at_ - 1, '#')
                : ")" + std::string(out_.text.substr(open + 1, begin - open - 1)) + "\"";
    const std::size_t end = out_.text.find(close, begin + 1);
    if (end == std::string_view::npos) return false;
    add(at_, end + close.size(), out_.text.substr(begin + 1, end - begin - 1));
    return true;
  }

  bool take_quoted() {
    const char quote = out_.text[at_];
    if (quote == '"' && language_.has_triple_quotes && looks_at("\"\"\"")) {
      return take_until("\"\"\"");
    }
    if (quote == '\'' && language_.has_triple_apostrophes && looks_at("'''")) {
      return take_until("'''");
    }
    if (quote == '"' && language_.has_verbatim && (before() == '@' || is_behind("@$"))) {
      return take_line(quote, true, true);
    }
    if (quote == '"' && language_.family == Family::sql) return skip_name();
    if (quote == '`' && language_.quotes_with_backticks) return take_until("`");
    if (quote == '\'' && !language_.quotes_with_apostrophes) return take_character();
    if (quote != '"' && quote != '\'') return false;
    return take_line(quote, language_.quotes_span_lines, language_.doubles_quotes);
  }
  bool is_behind(std::string_view what) const { return out_.text.substr(0, at_).ends_with(what); }

  // Of SQL what is in double quotes is a name, and stays.
  bool skip_name() {
    const std::size_t close = out_.text.find('"', at_ + 1);
    if (close == std::string_view::npos) return false;
    at_ = close + 1;
    return true;
  }

  bool take_until(std::string_view close) {
    std::size_t end = at_ + close.size();
    while (end < out_.text.size() && !out_.text.substr(end).starts_with(close)) {
      end += out_.text[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, out_.text.size());
    const std::size_t begin = at_ + close.size();
    add(at_, std::min(end + close.size(), out_.text.size()),
        out_.text.substr(begin, end - std::min(begin, end)));
    return true;
  }

  // 'x', '\n', '\u0041'; else it is a lifetime or a part of a word.
  bool take_character() {
    const std::size_t close =
        out_.text.find('\'', at_ + (out_.text.substr(at_ + 1).starts_with("\\") ? 3 : 2));
    constexpr std::size_t kLongest = 10;
    if (close == std::string_view::npos || close - at_ > kLongest) return false;
    const bool is_escape = out_.text[at_ + 1] == '\\';
    const bool is_ascii = close == at_ + 2;
    const bool is_other = (static_cast<unsigned char>(out_.text[at_ + 1]) & 0x80U) != 0;
    if (!is_escape && !is_ascii && !is_other) return false;
    blank(at_, close + 1);
    at_ = close + 1;
    return true;
  }

  // What is not closed on its line is none, where strings do not span lines.
  bool take_line(char quote, bool spans_lines, bool doubles) {
    std::size_t end = at_ + 1;
    for (; end < out_.text.size() && out_.text[end] != quote; ++end) {
      if (out_.text[end] == '\n' && !spans_lines) return false;
      if (out_.text[end] == '\\' && !doubles) ++end;
      const bool is_twice = doubles && out_.text.substr(end + 1).starts_with({&quote, 1}) &&
                            out_.text.substr(end + 2).starts_with({&quote, 1});
      if (is_twice) end += 2;
    }
    if (end >= out_.text.size()) return false;
    add(at_, end + 1, out_.text.substr(at_ + 1, end - at_ - 1));
    return true;
  }

  void add(std::size_t begin, std::size_t end, std::string_view raw) {
    Literal literal{.begin = begin, .end = end, .text = {}};
    literal.text.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
      char c = raw[i];
      if (c == '\\' && i + 1 < raw.size()) {
        c = raw[++i];
        if (c == 'n' || c == 't' || c == 'r') c = ' ';
      }
      literal.text += c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
    }
    blank(begin + 1, end - 1);
    out_.code[begin] = out_.code[end - 1] = '"';
    out_.literals.push_back(std::move(literal));
    at_ = end;
  }

  void blank(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, out_.code.size()); ++i) {
      if (out_.code[i] != '\n') out_.code[i] = ' ';
    }
  }

  const Language& language_;
  ScannedText out_;
  std::vector<std::string> line_comments_;
  std::size_t at_ = 0;
};

// Whether code between two literals joins them: nothing, "+" or ".", or a value between two of
// these.
bool joins(std::string_view between, bool& has_value) {
  constexpr std::size_t kLongestValue = 120;
  const std::string_view code = trim(between);
  has_value = false;
  if (code.empty() || code == "+" || code == "." || code == "&" || code == "\\") return true;
  if (code.size() > kLongestValue || (code.front() != '+' && code.front() != '.')) return false;
  has_value = true;
  return code.back() == code.front() && code.find_first_of(";{}\"") == std::string_view::npos &&
         code.size() > 2;
}

}  // namespace

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::uint32_t ScannedText::line_of(std::size_t offset) const {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(lines, offset) - lines.begin());
}

std::uint32_t ScannedText::column_of(std::size_t offset) const {
  return static_cast<std::uint32_t>(offset - lines[line_of(offset) - 1] + 1);
}

std::string ScannedText::excerpt(std::uint32_t line) const {
  constexpr std::size_t kLongest = 72;
  const std::size_t begin = lines[line - 1];
  const std::size_t end = line < lines.size() ? lines[line] : text.size();
  std::string_view words = trim(text.substr(begin, end - begin));
  if (words.size() <= kLongest) return std::string(words);
  words = words.substr(0, kLongest);
  // Not in the middle of a character.
  while (!words.empty() && (static_cast<unsigned char>(words.back()) & 0x80U) != 0) {
    words.remove_suffix(1);
  }
  return std::string(trim(words)) + "...";
}

ScannedText scan(std::string_view text, const Language& language) {
  return Scanner(text, language).scan();
}

std::vector<Literal> joined_literals(const ScannedText& scanned) {
  std::vector<Literal> joined;
  for (const Literal& literal : scanned.literals) {
    if (!joined.empty()) {
      Literal& last = joined.back();
      bool has_value = false;
      const std::string_view code(scanned.code);
      if (joins(code.substr(last.end, literal.begin - last.end), has_value)) {
        last.text += (has_value ? " ? " : "") + literal.text;
        last.end = literal.end;
        continue;
      }
    }
    joined.push_back(literal);
  }
  return joined;
}

std::size_t find_word(std::string_view code, std::string_view word, std::size_t from) {
  for (std::size_t at = code.find(word, from); at != std::string_view::npos;
       at = code.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins =
        !is_word_character(word.front()) || at == 0 || !is_word_character(code[at - 1]);
    const bool ends =
        !is_word_character(word.back()) || end >= code.size() || !is_word_character(code[end]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

}  // namespace heddle::marks
