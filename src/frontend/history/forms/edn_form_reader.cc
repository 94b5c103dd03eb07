// A recursive descent over the text. Depth is bounded; nothing is allocated but the nodes of the
// form that is filled and strings with escapes.
#include "frontend/history/forms/edn_form_reader.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

// White space, brackets, quotes and comments end a number, keyword or symbol.
constexpr std::array<bool, 256> token_ends() {
  std::array<bool, 256> ends{};
  for (const unsigned char c : std::string_view(" \t\n\r\f\v,;()[]{}\"^`~@\\")) ends[c] = true;
  ends[0] = true;
  return ends;
}

constexpr std::array<bool, 256> kEndsToken = token_ends();

constexpr bool is_edn_space(char c) { return c == ' ' || c == ',' || (c >= '\t' && c <= '\r'); }

struct CharacterName {
  std::string_view name;
  std::string_view character;
};

constexpr std::array kCharacterNames = {
    CharacterName{"newline", "\n"},  CharacterName{"return", "\r"},
    CharacterName{"space", " "},     CharacterName{"tab", "\t"},
    CharacterName{"formfeed", "\f"}, CharacterName{"backspace", "\b"},
};

}  // namespace

bool EdnFormReader::fail_at_end(std::size_t opened, std::string_view what) {
  return fail(opened, fmt::format("the {} that begins here has no end", what),
              "the file seems to be cut off; close it or give the whole file");
}

bool EdnFormReader::skip_space() {
  while (at_ < end_) {
    const char c = bytes_[at_];
    if (is_edn_space(c)) {
      ++at_;
    } else if (c == ';') {
      at_ = std::min(bytes_.find('\n', at_), end_);
    } else if (c == '#' && peek(1) == '_') {
      at_ += 2;
      // Goes over white space itself, so that depth counts "#_#_#_" too.
      if (!read_form(nullptr)) return false;
    } else {
      return true;
    }
  }
  return true;
}

bool EdnFormReader::skip_prefixes() {
  while (skip_space()) {
    const char next = peek(1);
    if (peek() == '^') {
      ++at_;
      if (!read_form(nullptr)) return false;
    } else if (peek() == '#' && next != '\0' && (next == ':' || !kEndsToken[std::uint8_t(next)]) &&
               next != '#' && next != '\'') {
      ++at_;
      skip_token();
    } else {
      return true;
    }
  }
  return false;
}

bool EdnFormReader::read_form(Form* form) {
  const Depth depth(depth_);
  if (depth_ > kDeepest) return fail_too_deep();
  if (!skip_prefixes()) return false;
  switch (peek()) {
    case '(':
      return read_container(form, FormKind::vector, ')');
    case '[':
      return leave_numbers(form) || read_container(form, FormKind::vector, ']');
    case '{':
      return read_container(form, FormKind::map, '}');
    case '"':
      return read_string(form);
    case '\\':
      return read_character(form);
    case '#':
      return read_hash(form);
    default:
      return read_token(form);
  }
}

// At a square bracket. False, and nothing is read: it has to be cut into elements.
bool EdnFormReader::leave_numbers(Form* form) {
  // A transaction, an operation of it, its function and its key come first.
  constexpr std::size_t kBefore = 4;
  if (form == nullptr || !form->leaves_numbers || form->nodes.size() < kBefore) return false;
  const std::size_t end = numbers_end(bytes_.substr(0, end_), at_ + 1);
  if (end == end_ || bytes_[end] != ']') return false;
  add_scalar(form, FormKind::numbers, at_, text_between(at_ + 1, end));
  at_ = end + 1;
  return true;
}

// At a bracket (of a set: at its #), which `close` ends.
bool EdnFormReader::read_container(Form* form, FormKind kind, char close) {
  const std::size_t begin = at_;
  at_ += kind == FormKind::set ? 2 : 1;
  const std::size_t node = open_container(form, kind, begin);
  std::size_t inside = 0;
  while (true) {
    if (!skip_space()) return false;
    if (is_at_end()) return fail_at_end(begin, kind == FormKind::map ? "map" : "collection");
    if (peek() == close) break;
    if (!read_form(form)) return false;
    ++inside;
  }
  ++at_;
  close_container(form, node);
  if (kind != FormKind::map || inside % 2 == 0) return true;
  return fail(begin, "a map whose last key has no value", "write {:key value ...}");
}

// "#{...}", "#\"pattern\"", "##NaN", "#'name"; tags have been skipped.
bool EdnFormReader::read_hash(Form* form) {
  const char next = peek(1);
  if (next == '{') return read_container(form, FormKind::set, '}');
  if (next == '"') {
    ++at_;
    return read_string(form);
  }
  if (next != '#' && next != '\'') {
    return fail(at_, "a # that begins nothing", "write a set #{...}, a tag or a discard #_");
  }
  const std::size_t begin = at_;
  at_ += 2;
  skip_token();
  add_scalar(form, FormKind::word, begin, text_between(begin, at_));
  return true;
}

// At a backslash inside of a string.
bool EdnFormReader::read_escape(std::string& text) {
  constexpr std::string_view kLetters = "tnrbf\"\\'/";
  constexpr std::string_view kMeanings = "\t\n\r\b\f\"\\'/";
  const std::size_t begin = at_++;
  const char letter = peek();
  if (letter == 'u') {
    if (const auto code = four_hex_digits(text_between(at_ + 1, std::min(at_ + 5, end_)))) {
      append_utf8(text, *code);
      at_ += 5;
      return true;
    }
  }
  if (is_digit(letter) && letter < '8') {
    std::uint32_t code = 0;
    for (int i = 0; i < 3 && peek() >= '0' && peek() <= '7'; ++i) {
      code = code * 8 + static_cast<std::uint32_t>(bytes_[at_++] - '0');
    }
    append_utf8(text, code);
    return true;
  }
  const std::size_t place = kLetters.find(letter);
  if (is_at_end() || place == std::string_view::npos) {
    return fail(begin, "a backslash that escapes nothing known",
                "use \\t \\n \\r \\b \\f \\\" \\\\ or \\uXXXX");
  }
  text.push_back(kMeanings[place]);
  ++at_;
  return true;
}

// "\a", "\newline", "\u0041", "\(".
bool EdnFormReader::read_character(Form* form) {
  const std::size_t begin = at_++;
  if (is_at_end()) return fail_at_end(begin, "character");
  ++at_;
  skip_token();
  const std::string_view text = text_between(begin + 1, at_);
  const auto* const named = std::ranges::find(kCharacterNames, text, &CharacterName::name);
  if (named != kCharacterNames.end()) {
    add_scalar(form, FormKind::text, begin, named->character);
    return true;
  }
  const auto code = text.starts_with('u') ? four_hex_digits(text.substr(1)) : std::nullopt;
  if (!code || text.size() != 5) {
    add_scalar(form, FormKind::text, begin, text);
  } else if (form != nullptr) {
    std::string character;
    append_utf8(character, *code);
    add_scalar(form, FormKind::text, begin, form->unescaped.emplace_back(std::move(character)));
  }
  return true;
}

void EdnFormReader::skip_token() {
  while (at_ < end_ && !kEndsToken[static_cast<unsigned char>(bytes_[at_])]) ++at_;
}

// A number, keyword, symbol, nil, true or false.
bool EdnFormReader::read_token(Form* form) {
  const std::size_t begin = at_;
  skip_token();
  std::string_view text = text_between(begin, at_);
  if (text.empty()) {
    if (is_at_end()) return fail(begin, "a value is missing", "give the whole file");
    return fail(begin, fmt::format("\"{}\" begins no value", printable(peek())),
                "write EDN: a number, string, keyword, symbol, list, vector, set or map");
  }
  const char first = text[0];
  if (is_digit(first) || ((first == '-' || first == '+') && text.size() > 1 && is_digit(text[1]))) {
    if (text.ends_with('N')) text.remove_suffix(1);
    add_number(form, begin, text);
  } else if (first == ':') {
    while (text.starts_with("::")) text.remove_prefix(1);
    add_scalar(form, FormKind::word, begin, text);
  } else if (text == "nil") {
    add_scalar(form, FormKind::nil, begin, text);
  } else {
    const bool is_boolean = text == "true" || text == "false";
    add_scalar(form, is_boolean ? FormKind::boolean : FormKind::word, begin, text);
  }
  return true;
}

// The field that is named here, or null: nobody asks for it.
bool EdnFormReader::read_field_name(JepsenOperation& operation, Form*& field) {
  if (peek() == ':' && peek(1) != ':') {
    const std::size_t begin = at_ + 1;
    skip_token();
    field = operation.field(text_between(begin, at_));
    return true;
  }
  key_.clear();
  if (!read_form(&key_)) return false;
  if (key_.nodes[0].is_name()) field = operation.field(key_.nodes[0].name());
  return true;
}

bool EdnFormReader::read_field(JepsenOperation& operation, Form* field) {
  if (field != nullptr) field->clear();
  if (field == &operation.value && read_plain(operation, PlainForm::edn)) return true;
  return read_form(field);
}

bool EdnFormReader::read_operation(JepsenOperation& operation) {
  const std::size_t begin = at_++;
  while (true) {
    if (!skip_space()) return false;
    if (is_at_end()) return fail_at_end(begin, "operation");
    if (peek() == '}') break;
    Form* field = nullptr;
    if (!read_field_name(operation, field) || !skip_space()) return false;
    if (peek() == '}') {
      return fail(at_, "the last key of the operation has no value", "write {:key value ...}");
    }
    if (is_at_end()) return fail_at_end(begin, "operation");
    if (!read_field(operation, field)) return false;
  }
  ++at_;
  return true;
}

}  // namespace heddle
