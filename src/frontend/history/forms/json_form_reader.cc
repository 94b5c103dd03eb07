// A recursive descent over the text, as the one of EDN, so that broken input is named by line and
// column and nothing is allocated but the nodes of the form that is filled.
#include "frontend/history/forms/json_form_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return false;
  return std::ranges::all_of(text, is_digit);
}

// Takes digits off the front; false: there is none.
bool take_digits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count > 0;
}

// As RFC 8259 has them: no leading zeros, digits on both sides of the point.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool begins_with_zero = text.starts_with('0');
  const std::size_t before = text.size();
  if (!take_digits(text) || (begins_with_zero && before - text.size() > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

}  // namespace

bool JsonFormReader::fail_at_end(std::size_t opened, std::string_view what) {
  return fail(opened, fmt::format("the {} that begins here has no end", what),
              "the file seems to be cut off; close it or give the whole file");
}

bool JsonFormReader::skip_space() {
  while (at_ < end_ && (bytes_[at_] == ' ' || (bytes_[at_] >= '\t' && bytes_[at_] <= '\r'))) ++at_;
  return true;
}

bool JsonFormReader::read_form(Form* form) {
  const Depth depth(depth_);
  if (depth_ > kDeepest) return fail_too_deep();
  skip_space();
  const char c = peek();
  if (c == '[') return read_array(form);
  if (c == '{') return read_object(form);
  if (c == '"') return read_string(form);
  if (c == '-' || is_digit(c)) return read_number(form);
  if (is_letter(c)) return read_word(form);
  if (is_at_end()) return fail(at_, "a value is missing", "give the whole file");
  return fail(at_, fmt::format("\"{}\" begins no value", printable(c)),
              "write JSON: an object, array, string, number, true, false or null");
}

// After a value inside of brackets: a comma, or the bracket that closes them.
bool JsonFormReader::read_separator(std::size_t opened, char close, bool& is_closed) {
  skip_space();
  const char c = peek();
  is_closed = c == close;
  if (is_closed || c == ',') {
    ++at_;
    return true;
  }
  if (is_at_end()) return fail_at_end(opened, close == '}' ? "object" : "array");
  return fail(at_, fmt::format("\"{}\" stands where a comma or \"{}\" is due", printable(c), close),
              "put a comma between values");
}

bool JsonFormReader::read_array(Form* form) {
  const std::size_t begin = at_++;
  const std::size_t node = open_container(form, FormKind::vector, begin);
  skip_space();
  bool is_closed = peek() == ']';
  if (is_closed) ++at_;
  while (!is_closed) {
    skip_space();
    if (is_at_end()) return fail_at_end(begin, "array");
    if (!read_form(form) || !read_separator(begin, ']', is_closed)) return false;
  }
  close_container(form, node);
  return true;
}

bool JsonFormReader::read_object(Form* form) {
  const std::size_t begin = at_++;
  const std::size_t node = open_container(form, FormKind::map, begin);
  skip_space();
  bool is_closed = peek() == '}';
  if (is_closed) ++at_;
  while (!is_closed) {
    skip_space();
    if (is_at_end()) return fail_at_end(begin, "object");
    if (!read_key(form)) return false;
    if (form != nullptr && is_integer(form->nodes.back().text)) {
      const FormNode key = form->nodes.back();
      form->nodes.pop_back();
      add_number(form, key.at, key.text);
    }
    if (!read_form(form) || !read_separator(begin, '}', is_closed)) return false;
  }
  close_container(form, node);
  return true;
}

// "key":
bool JsonFormReader::read_key(Form* form) {
  if (peek() != '"') {
    return fail(at_, "the name of a field is missing", "write \"name\": value");
  }
  if (!read_string(form)) return false;
  skip_space();
  if (peek() != ':') return fail(at_, "the colon after the name of a field is missing", "add it");
  ++at_;
  return true;
}

// At a backslash inside of a string.
bool JsonFormReader::read_escape(std::string& text) {
  constexpr std::string_view kLetters = "tnrbf\"\\/";
  constexpr std::string_view kMeanings = "\t\n\r\b\f\"\\/";
  const auto code_at = [&](std::size_t begin) {
    return four_hex_digits(text_between(std::min(begin, end_), std::min(begin + 4, end_)));
  };
  const char letter = peek(1);
  const std::size_t place = kLetters.find(letter);
  if (letter != '\0' && place != std::string_view::npos) {
    text.push_back(kMeanings[place]);
    at_ += 2;
    return true;
  }
  const auto code = letter == 'u' ? code_at(at_ + 2) : std::nullopt;
  if (!code) {
    return fail(at_, "a backslash that escapes nothing known",
                "use \\t \\n \\r \\b \\f \\\" \\\\ \\/ or \\uXXXX");
  }
  at_ += 6;
  const bool is_high = *code >= 0xd800 && *code < 0xdc00;
  const auto low = is_high && peek() == '\\' && peek(1) == 'u' ? code_at(at_ + 2) : std::nullopt;
  if (low && *low >= 0xdc00 && *low < 0xe000) {
    append_utf8(text, 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00));
    at_ += 6;
  } else {
    append_utf8(text, *code);
  }
  return true;
}

bool JsonFormReader::read_number(Form* form) {
  const std::size_t begin = at_;
  if (peek(1) == 'I') return read_word(form);
  const auto is_part = [](char c) {
    return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
  };
  while (is_part(peek())) ++at_;
  const std::string_view text = text_between(begin, at_);
  if (!is_integer(text) && !is_number(text)) {
    return fail(begin, fmt::format("\"{}\" is no number of JSON", text.substr(0, 40)),
                "write it as 7 or -1.5e3");
  }
  add_number(form, begin, text);
  return true;
}

bool JsonFormReader::read_word(Form* form) {
  const std::size_t begin = at_;
  if (peek() == '-') ++at_;
  while (is_letter(peek())) ++at_;
  const std::string_view word = text_between(begin, at_);
  if (word == "null") {
    add_scalar(form, FormKind::nil, begin, word);
  } else if (word == "true" || word == "false") {
    add_scalar(form, FormKind::boolean, begin, word);
  } else if (word == "NaN" || word == "Infinity" || word == "-Infinity") {
    add_scalar(form, FormKind::word, begin, word);
  } else {
    return fail(begin, fmt::format("\"{}\" is no value of JSON", word.substr(0, 40)),
                "write true, false, null or a string in quotes");
  }
  return true;
}

bool JsonFormReader::read_operation(JepsenOperation& operation) {
  const std::size_t begin = at_++;
  skip_space();
  bool is_closed = peek() == '}';
  if (is_closed) ++at_;
  while (!is_closed) {
    skip_space();
    if (is_at_end()) return fail_at_end(begin, "operation");
    key_.clear();
    if (!read_key(&key_)) return false;
    Form* const field = operation.field(key_.nodes[0].name());
    if (field != nullptr) field->clear();
    if (field == &operation.value) skip_space();
    const bool is_plain = field == &operation.value && read_plain(operation, PlainForm::json);
    if ((!is_plain && !read_form(field)) || !read_separator(begin, '}', is_closed)) return false;
  }
  return true;
}

}  // namespace heddle
