// Functions of texts. Characters are those of UTF-8.
#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "interpret/functions.h"

namespace heddle::interpreter {

namespace {

constexpr std::int64_t kLongest = 10'000'000;

std::int64_t count_of(std::string_view text) {
  return static_cast<std::int64_t>(character_count(text));
}

// The characters from `first` (from 0) up to `end`; both may be outside of the text.
std::string cut(const std::string& text, std::int64_t first, std::int64_t end) {
  first = std::max<std::int64_t>(first, 0);
  if (end <= first) return "";
  const std::size_t begin = character_offset(text, static_cast<std::size_t>(first));
  const std::string_view rest = std::string_view(text).substr(begin);
  return std::string(rest.substr(0, character_offset(rest, static_cast<std::size_t>(end - first))));
}

Value concatenate(const Arguments& arguments, Errors& errors) {
  if (arguments[0].text().size() + arguments[1].text().size() >
      static_cast<std::size_t>(kLongest)) {
    errors.bound("a text is too long");
    return null_of(type_of(Base::text));
  }
  return text_value(arguments[0].text() + arguments[1].text());
}

Value length(const Arguments& arguments, Errors& /*errors*/) {
  return integer_value(Base::int4, count_of(arguments[0].text()));
}
// The blanks at the end of char(n) do not count.
Value padded_length(const Arguments& arguments, Errors& /*errors*/) {
  std::string text = arguments[0].text();
  text.resize(text.find_last_not_of(' ') + 1);
  return integer_value(Base::int4, count_of(text));
}
Value byte_count(const Arguments& arguments, Errors& /*errors*/) {
  return integer_value(Base::int4, static_cast<std::int64_t>(arguments[0].text().size()));
}
Value upper(const Arguments& arguments, Errors& /*errors*/) {
  return text_value(to_upper(arguments[0].text()));
}
Value lower(const Arguments& arguments, Errors& /*errors*/) {
  return text_value(to_lower(arguments[0].text()));
}

// Whether the character that begins at the byte is one of the set's.
bool is_of(const std::string& set, std::string_view character) {
  return set.find(character) != std::string::npos;
}

Value trimmed(const Arguments& arguments, bool left, bool right) {
  std::string_view text = arguments[0].text();
  const std::string set = arguments.size() > 1 ? arguments[1].text() : " ";
  while (left && !text.empty()) {
    const std::size_t size = character_offset(text, 1);
    if (!is_of(set, text.substr(0, size))) break;
    text.remove_prefix(size);
  }
  while (right && !text.empty()) {
    const std::size_t last = character_offset(text, character_count(text) - 1);
    if (!is_of(set, text.substr(last))) break;
    text = text.substr(0, last);
  }
  return text_value(std::string(text));
}
Value trim_both(const Arguments& arguments, Errors& /*errors*/) {
  return trimmed(arguments, true, true);
}
Value trim_left(const Arguments& arguments, Errors& /*errors*/) {
  return trimmed(arguments, true, false);
}
Value trim_right(const Arguments& arguments, Errors& /*errors*/) {
  return trimmed(arguments, false, true);
}

Value substring(const Arguments& arguments, Errors& errors) {
  const std::int64_t first = arguments[1].integer();
  std::int64_t end = INT64_MAX;
  if (arguments.size() > 2) {
    if (arguments[2].integer() < 0) {
      errors.raise("22011", "negative substring length not allowed");
      return null_of(type_of(Base::text));
    }
    end = first - 1 + arguments[2].integer();
  }
  return text_value(cut(arguments[0].text(), first - 1, end));
}

Value position(const Arguments& arguments, Errors& /*errors*/) {
  const std::size_t found = arguments[0].text().find(arguments[1].text());
  if (found == std::string::npos) return integer_value(Base::int4, 0);
  return integer_value(Base::int4, count_of(arguments[0].text().substr(0, found)) + 1);
}

Value replace(const Arguments& arguments, Errors& errors) {
  const std::string& from = arguments[1].text();
  if (from.empty()) return arguments[0];
  std::string text = arguments[0].text();
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
    text.replace(at, from.size(), arguments[2].text());
    at += arguments[2].text().size();
    if (std::ssize(text) > kLongest) {
      errors.bound("a text is too long");
      break;
    }
  }
  return text_value(std::move(text));
}

// A negative number: all but so many.
Value left(const Arguments& arguments, Errors& /*errors*/) {
  const std::int64_t count = arguments[1].integer();
  const std::string& text = arguments[0].text();
  return text_value(cut(text, 0, count < 0 ? count_of(text) + count : count));
}
Value right(const Arguments& arguments, Errors& /*errors*/) {
  const std::int64_t count = arguments[1].integer();
  const std::string& text = arguments[0].text();
  return text_value(cut(text, count < 0 ? -count : count_of(text) - count, INT64_MAX));
}

// What fills the text up to the asked for number of characters.
std::string filling(const Arguments& arguments, Errors& errors) {
  const std::int64_t asked = arguments[1].integer();
  const std::string fill = arguments.size() > 2 ? arguments[2].text() : " ";
  std::int64_t missing = asked - count_of(arguments[0].text());
  if (asked > kLongest) errors.bound("a text is too long");
  std::string text;
  const std::int64_t step = count_of(fill);
  while (missing > 0 && step > 0 && !errors.any()) {
    text += missing >= step ? fill : cut(fill, 0, missing);
    missing -= step;
  }
  return text;
}
Value pad_left(const Arguments& arguments, Errors& errors) {
  return text_value(filling(arguments, errors) +
                    cut(arguments[0].text(), 0, arguments[1].integer()));
}
Value pad_right(const Arguments& arguments, Errors& errors) {
  return text_value(cut(arguments[0].text(), 0, arguments[1].integer()) +
                    filling(arguments, errors));
}

Value repeat(const Arguments& arguments, Errors& errors) {
  const std::int64_t times = std::max<std::int64_t>(arguments[1].integer(), 0);
  const std::string& text = arguments[0].text();
  std::string result;
  if (std::ssize(text) * times > kLongest) {
    errors.bound("a text is too long");
    return text_value(result);
  }
  for (std::int64_t i = 0; i < times && !text.empty(); ++i) result += text;
  return text_value(std::move(result));
}

Value reverse(const Arguments& arguments, Errors& /*errors*/) {
  std::string_view text = arguments[0].text();
  std::string result;
  while (!text.empty()) {
    const std::size_t size = character_offset(text, 1);
    result.insert(0, text.substr(0, size));
    text.remove_prefix(size);
  }
  return text_value(std::move(result));
}

Value starts_with(const Arguments& arguments, Errors& /*errors*/) {
  return boolean_value(arguments[0].text().starts_with(arguments[1].text()));
}

Value like(const Arguments& arguments, Errors& errors) {
  return boolean_value(is_like(arguments[0].text(), arguments[1].text(), errors));
}
Value not_like(const Arguments& arguments, Errors& errors) {
  return boolean_value(!is_like(arguments[0].text(), arguments[1].text(), errors));
}
Value ilike(const Arguments& arguments, Errors& errors) {
  return boolean_value(
      is_like(to_lower(arguments[0].text()), to_lower(arguments[1].text()), errors));
}
Value not_ilike(const Arguments& arguments, Errors& errors) {
  return boolean_value(
      !is_like(to_lower(arguments[0].text()), to_lower(arguments[1].text()), errors));
}

// PostgreSQL's like_match.c: after a % all places are tried; a text that ends before the pattern
// ends all tries at once.
class LikeMatcher {
 public:
  explicit LikeMatcher(Errors& errors) : errors_(errors) {}

  enum class Match : std::uint8_t { yes, no, never };

  Match match(std::string_view text, std::string_view pattern) {
    if (depth_ == kDeepest) {
      errors_.bound("a pattern has too many %");
      return Match::never;
    }
    ++depth_;
    const Match result = match_rest(text, pattern);
    --depth_;
    return result;
  }

 private:
  static constexpr std::size_t kDeepest = 1'000;

  Match refuse() {
    errors_.raise("22025", "LIKE pattern must not end with escape character");
    return Match::never;
  }

  Match match_rest(std::string_view text, std::string_view pattern) {
    while (!text.empty() && !pattern.empty()) {
      if (pattern.front() == '%') return match_any(text, pattern);
      if (pattern.front() == '_') {
        text.remove_prefix(character_offset(text, 1));
        pattern.remove_prefix(1);
        continue;
      }
      if (pattern.front() == '\\') {
        pattern.remove_prefix(1);
        if (pattern.empty()) return refuse();
      }
      if (pattern.front() != text.front()) return Match::no;
      text.remove_prefix(1);
      pattern.remove_prefix(1);
    }
    if (!text.empty()) return Match::no;
    const bool only_any = pattern.find_first_not_of('%') == std::string_view::npos;
    return only_any ? Match::yes : Match::never;
  }

  Match match_any(std::string_view text, std::string_view pattern) {
    while (!pattern.empty() && (pattern.front() == '%' || pattern.front() == '_')) {
      if (pattern.front() == '_') {
        if (text.empty()) return Match::never;
        text.remove_prefix(character_offset(text, 1));
      }
      pattern.remove_prefix(1);
    }
    if (pattern.empty()) return Match::yes;
    if (pattern == "\\") return refuse();
    const char first = pattern.front() == '\\' ? pattern[1] : pattern.front();
    while (!text.empty()) {
      if (text.front() == first) {
        const Match rest = match(text, pattern);
        if (rest != Match::no) return rest;
      }
      text.remove_prefix(character_offset(text, 1));
    }
    return Match::never;
  }

  Errors& errors_;
  std::size_t depth_ = 0;
};

}  // namespace

bool is_like(std::string_view text, std::string_view pattern, Errors& errors) {
  return LikeMatcher(errors).match(text, pattern) == LikeMatcher::Match::yes;
}

std::string to_upper(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return result;
}

void add_text_functions(std::vector<Function>& table) {
  const Base t = Base::text;
  const Base i = Base::int4;
  const Base b = Base::boolean;
  const std::initializer_list<Function> rows = {
      {"||", {t, t}, t, concatenate},
      {"length", {t}, i, length},
      {"length", {Base::bpchar}, i, padded_length},
      {"char_length", {t}, i, length},
      {"char_length", {Base::bpchar}, i, padded_length},
      {"character_length", {t}, i, length},
      {"character_length", {Base::bpchar}, i, padded_length},
      {"octet_length", {t}, i, byte_count},
      {"octet_length", {Base::bpchar}, i, byte_count},
      {"upper", {t}, t, upper},
      {"lower", {t}, t, lower},
      {"trim", {t}, t, trim_both},
      {"btrim", {t}, t, trim_both},
      {"btrim", {t, t}, t, trim_both},
      {"ltrim", {t}, t, trim_left},
      {"ltrim", {t, t}, t, trim_left},
      {"rtrim", {t}, t, trim_right},
      {"rtrim", {t, t}, t, trim_right},
      {"substring", {t, i}, t, substring},
      {"substring", {t, i, i}, t, substring},
      {"substr", {t, i}, t, substring},
      {"substr", {t, i, i}, t, substring},
      {"position", {t, t}, i, position},
      {"strpos", {t, t}, i, position},
      {"replace", {t, t, t}, t, replace},
      {"left", {t, i}, t, left},
      {"right", {t, i}, t, right},
      {"lpad", {t, i}, t, pad_left},
      {"lpad", {t, i, t}, t, pad_left},
      {"rpad", {t, i}, t, pad_right},
      {"rpad", {t, i, t}, t, pad_right},
      {"repeat", {t, i}, t, repeat},
      {"reverse", {t}, t, reverse},
      {"starts_with", {t, t}, b, starts_with},
      {"like", {t, t}, b, like},
      {"like", {Base::bpchar, t}, b, like},
      {"not like", {t, t}, b, not_like},
      {"not like", {Base::bpchar, t}, b, not_like},
      {"ilike", {t, t}, b, ilike},
      {"ilike", {Base::bpchar, t}, b, ilike},
      {"not ilike", {t, t}, b, not_ilike},
      {"not ilike", {Base::bpchar, t}, b, not_ilike},
  };
  table.insert(table.end(), rows);
}

}  // namespace heddle::interpreter
