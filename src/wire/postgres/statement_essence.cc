#include "wire/postgres/statement_essence.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::postgres {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

// The length of a number without a sign at the place, or 0: 12, 1.50, .5, 2E-3.
std::size_t number_at(std::string_view text, std::size_t at) {
  std::size_t end = at + digits_at(text, at);
  std::size_t digits = end - at;
  if (end < text.size() && text[end] == '.') {
    const std::size_t behind = digits_at(text, end + 1);
    digits += behind;
    end += 1 + behind;
  }
  if (digits == 0) return 0;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (const std::size_t more = digits_at(text, exponent); more > 0) end = exponent + more;
  }
  return end - at;
}

// Without a sign. What is not whole is a number of double precision, which is exact enough to tell
// values apart that anybody made up.
std::string plain_number(std::string_view text) {
  if (text.find_first_of(".eE") == text.npos) {
    const std::size_t first = text.find_first_not_of('0');
    return first == text.npos ? "0" : std::string(text.substr(first));
  }
  const std::string copy(text);
  return fmt::format("{}", std::strtod(copy.c_str(), nullptr));
}

bool has_shape(std::string_view text, std::string_view shape) {
  return text.size() == shape.size() && std::ranges::equal(text, shape, [](char c, char wanted) {
           return wanted == '0' ? is_digit(c) : c == wanted || (wanted == ' ' && c == 'T');
         });
}

// 2026-01-31, 2026-01-31 10:20:30.5+00, without what is zero at the end; empty: it is none.
std::string point_in_time(std::string_view text) {
  constexpr std::string_view kDate = "0000-00-00";
  constexpr std::string_view kTime = " 00:00:00";
  if (text.size() < kDate.size() || !has_shape(text.substr(0, kDate.size()), kDate)) return "";
  std::string date(text.substr(0, kDate.size()));
  std::string_view rest = text.substr(kDate.size());
  std::string time;
  if (rest.size() >= kTime.size() && has_shape(rest.substr(0, kTime.size()), kTime)) {
    time = " " + std::string(rest.substr(1, kTime.size() - 1));
    rest.remove_prefix(kTime.size());
    if (rest.starts_with('.')) {
      const std::size_t count = digits_at(rest, 1);
      std::string_view fraction = rest.substr(0, 1 + count);
      rest.remove_prefix(1 + count);
      while (fraction.ends_with('0') || fraction.ends_with('.')) fraction.remove_suffix(1);
      time += fraction;
    }
  }
  rest = trim(rest);
  if (rest == "Z" || rest == "+00" || rest == "+00:00") rest = "";
  const bool is_zone = rest.empty() || has_shape(rest, "+00") || has_shape(rest, "-00") ||
                       has_shape(rest, "+00:00") || has_shape(rest, "-00:00");
  if (!is_zone) return "";
  if (time == kTime) time = "";
  return date + time + std::string(rest);
}

std::string as_literal(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

// {"1", "2"} as {1,2}.
std::string plain_array(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != '"' && (c != ' ' || !plain.ends_with(','))) plain += c;
  }
  return plain;
}

class EssenceWriter {
 public:
  // `hides_values`: each is a question mark.
  explicit EssenceWriter(const std::vector<std::optional<std::string>>& values,
                         bool hides_values = false)
      : values_(values), hides_values_(hides_values) {}

  std::string write(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) at = take(text, at);
    if (!tokens_.empty() && tokens_.back() == ";") tokens_.pop_back();
    return join(tokens_, " ");
  }

  void add_value(std::string_view value) {
    if (hides_values_) {
      add_mark();
      return;
    }
    while (value.ends_with(' ')) value.remove_suffix(1);
    const bool is_negative = value.starts_with('-');
    const std::string_view number = is_negative ? value.substr(1) : value;
    if (!number.empty() && number_at(number, 0) == number.size()) {
      if (is_negative) tokens_.emplace_back("-");
      tokens_.push_back(plain_number(number));
    } else if (const std::string time = point_in_time(value); !time.empty()) {
      tokens_.push_back(as_literal(time));
    } else if (value.starts_with('{') && value.ends_with('}')) {
      tokens_.push_back(as_literal(plain_array(value)));
    } else {
      tokens_.push_back(as_literal(value));
    }
  }

  std::string text() const { return join(tokens_, " "); }

 private:
  // Takes what begins at the place; where it ends.
  std::size_t take(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return at + 1;
    if (text.substr(at, 2) == "--") return std::min(text.find('\n', at), text.size());
    if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      return end == text.npos ? text.size() : end + 2;
    }
    if (c == '\'') return take_string(text, at);
    if (c == '"') return take_name(text, at);
    if (c == '$') return take_parameter(text, at);
    if (const std::size_t length = number_at(text, at); length > 0) {
      if (hides_values_) {
        add_mark();
      } else {
        tokens_.push_back(plain_number(text.substr(at, length)));
      }
      return at + length;
    }
    if (is_word(c)) {
      std::size_t end = at;
      while (end < text.size() && (is_word(text[end]) || text[end] == '$')) ++end;
      take_word(to_lower(text.substr(at, end - at)));
      return end;
    }
    tokens_.emplace_back(1, c);
    if (c == ')') join_list();
    return at + 1;
  }

  // A truth value is the same whether it is said in the text or by a parameter.
  void take_word(std::string word) {
    const bool is_truth = word == "true" || word == "false";
    tokens_.push_back(is_truth && !hides_values_ ? as_literal(word) : std::move(word));
  }

  std::size_t take_string(std::string_view text, std::size_t at) {
    std::string value;
    std::size_t end = at + 1;
    for (; end < text.size(); ++end) {
      if (text[end] == '\'' && text.substr(end, 2) != "''") break;
      if (text[end] == '\'') ++end;
      value += text[end];
    }
    add_value(value);
    return std::min(end + 1, text.size());
  }

  // Quotes around a name that needs none mean nothing.
  std::size_t take_name(std::string_view text, std::size_t at) {
    const std::size_t close = text.find('"', at + 1);
    const std::size_t end = close == text.npos ? text.size() : close + 1;
    const std::string name(text.substr(at + 1, (close == text.npos ? end : close) - at - 1));
    const bool is_plain = !name.empty() && !is_digit(name.front()) &&
                          std::ranges::all_of(name, is_word) && to_lower(name) == name;
    tokens_.push_back(is_plain ? name : "\"" + name + "\"");
    return end;
  }

  // $1, or a string between $$ and $$.
  std::size_t take_parameter(std::string_view text, std::size_t at) {
    if (const std::size_t length = digits_at(text, at + 1); length > 0) {
      if (hides_values_) {
        add_mark();
        return at + 1 + length;
      }
      std::size_t number = 0;
      std::from_chars(text.data() + at + 1, text.data() + at + 1 + length, number);
      if (number == 0 || number > values_.size()) {
        tokens_.emplace_back(text.substr(at, length + 1));
      } else if (const auto& value = values_[number - 1]) {
        add_value(*value);
      } else {
        tokens_.emplace_back("null");
      }
      return at + 1 + length;
    }
    const std::size_t open = text.find('$', at + 1);
    if (open == text.npos) return at + 1;
    const std::string_view mark = text.substr(at, open - at + 1);
    const std::size_t close = text.find(mark, open + 1);
    if (close == text.npos) return at + 1;
    add_value(text.substr(open + 1, close - open - 1));
    return close + mark.size();
  }

  // One for a whole list behind IN; with its sign.
  void add_mark() {
    const std::size_t size = tokens_.size();
    const auto is_behind = [&](std::size_t count, std::string_view token) {
      return size >= count && tokens_[size - count] == token;
    };
    const bool goes_on =
        is_behind(1, ",") && is_behind(2, "?") && is_behind(3, "(") && is_behind(4, "in");
    if (goes_on) {
      tokens_.pop_back();
      return;
    }
    if (is_behind(1, "-") && size >= 2 && is_one_of(tokens_[size - 2], kBeforeSign)) {
      tokens_.pop_back();
    }
    tokens_.emplace_back("?");
  }

  // = any ( '{1,2}' ) as in ( 1 , 2 ).
  void join_list() {
    const std::size_t size = tokens_.size();
    if (size < 5 || tokens_[size - 5] != "=" || tokens_[size - 4] != "any" ||
        tokens_[size - 3] != "(" || !tokens_[size - 2].starts_with("'{")) {
      return;
    }
    const std::string array = tokens_[size - 2].substr(2, tokens_[size - 2].size() - 4);
    if (array.empty()) return;
    tokens_.resize(size - 5);
    tokens_.insert(tokens_.end(), {"in", "("});
    bool is_first = true;
    for (const std::string& element : split(array, ',')) {
      if (!is_first) tokens_.emplace_back(",");
      is_first = false;
      add_value(element);
    }
    tokens_.emplace_back(")");
  }

  // Behind these a minus is a number's own.
  static constexpr std::array<std::string_view, 9> kBeforeSign = {"(", ",", "=", "<",   ">",
                                                                  "+", "*", "/", "then"};

  const std::vector<std::optional<std::string>>& values_;
  bool hides_values_;
  std::vector<std::string> tokens_;
};

bool begins_with_any(std::string_view essence, const auto& words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return essence == word || essence.starts_with(std::string(word) + " ");
  });
}

}  // namespace

std::string statement_essence(std::string_view text,
                              const std::vector<std::optional<std::string>>& values) {
  return EssenceWriter(values).write(text);
}

std::string statement_template(std::string_view text) {
  const std::vector<std::optional<std::string>> none;
  return EssenceWriter(none, true).write(text);
}

bool is_begin(std::string_view essence) {
  constexpr std::array<std::string_view, 2> kWords = {"begin", "start transaction"};
  return begins_with_any(essence, kWords);
}

bool is_end(std::string_view essence) {
  constexpr std::array<std::string_view, 3> kWords = {"commit", "end", "rollback"};
  return begins_with_any(essence, kWords) && !essence.starts_with("rollback to ");
}

bool is_of_driver(std::string_view essence) {
  constexpr std::array<std::string_view, 3> kWords = {"show", "set", "reset"};
  return begins_with_any(essence, kWords) || essence.find("pg_catalog . ") != essence.npos;
}

bool prepares_connection(std::string_view essence) {
  constexpr std::array<std::string_view, 13> kWhole = {"",
                                                       "select ?",
                                                       "discard all",
                                                       "unlisten *",
                                                       "deallocate all",
                                                       "select version ( )",
                                                       "select current_schema ( )",
                                                       "select current_schema",
                                                       "select current_database ( )",
                                                       "select current_user",
                                                       "select pg_backend_pid ( )",
                                                       "select pg_is_in_recovery ( )",
                                                       "select now ( )"};
  if (is_of_driver(essence) || is_one_of(essence, kWhole)) return true;
  constexpr std::array<std::string_view, 2> kReading = {"select", "with"};
  constexpr std::array<std::string_view, 12> kCatalogues = {
      " pg_type ",  " pg_class ",      " pg_attribute ", " pg_namespace ",
      " pg_index ", " pg_constraint ", " pg_attrdef ",   " pg_enum ",
      " pg_range ", " pg_collation ",  " pg_settings ",  " information_schema . "};
  return begins_with_any(essence, kReading) &&
         std::ranges::any_of(kCatalogues, [&](std::string_view each) {
           return essence.find(each) != essence.npos ||
                  essence.ends_with(each.substr(0, each.size() - 1));
         });
}

std::string value_essence(std::string_view value) {
  const std::vector<std::optional<std::string>> none;
  EssenceWriter writer(none);
  writer.add_value(value);
  return writer.text();
}

}  // namespace heddle::postgres
