// The text is gone through token by token and never built into a document: what is not redacted
// stays byte for byte, numbers keep their digits, and a body that was cut off is read as far as it
// goes.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "record/redact/encodings.h"
#include "record/redact/redactor.h"

namespace heddle {
namespace {

// JSON in strings of JSON in strings of JSON.
constexpr std::size_t kDeepestJson = 4;

bool is_scalar_character(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '+' || c == '.' || c == '_';
}

std::string as_json_text(std::string_view text) { return '"' + std::string(text) + '"'; }

class JsonWalk {
 public:
  JsonWalk(Redactor& redactor, std::string_view json, std::size_t depth)
      : redactor_(redactor), json_(json), depth_(depth) {}

  std::string redacted() {
    while (at_ < json_.size()) {
      const char c = json_[at_];
      if (c == '"') {
        read_string();
      } else if (is_scalar_character(c)) {
        read_scalar();
      } else {
        read_mark(c);
      }
    }
    return redactor_.text(redacted_);
  }

 private:
  struct Container {
    bool is_object = false;
    std::optional<Hiding> hiding;  // of all that is in it
    bool expects_key = true;       // of an object
    std::string key;
    std::optional<Hiding> hiding_of_value;  // {"name": "password", "value": "x"}
  };

  std::optional<Hiding> hiding_here() const {
    if (open_.empty()) return std::nullopt;
    const Container& inner = open_.back();
    if (inner.hiding || !inner.is_object) return inner.hiding;
    if (inner.hiding_of_value && inner.key == "value") return inner.hiding_of_value;
    return redactor_.hiding_of(inner.key);
  }

  void read_mark(char c) {
    if (c == '{' || c == '[') {
      open_.push_back(
          {.is_object = c == '{', .hiding = hiding_here(), .key = "", .hiding_of_value = {}});
    }
    const bool ends = c == '}' || c == ']';
    if (ends && !open_.empty()) open_.pop_back();
    if (!open_.empty() && c == ',') open_.back().expects_key = true;
    if (!open_.empty() && c == ':') open_.back().expects_key = false;
    redacted_ += c;
    ++at_;
  }

  void read_string() {
    std::size_t end = at_ + 1;
    while (end < json_.size() && json_[end] != '"') end += json_[end] == '\\' ? 2 : 1;
    const bool is_whole = end < json_.size();
    const std::string_view raw = json_.substr(at_ + 1, is_whole ? end - at_ - 1 : json_.npos);
    redacted_ += '"';
    redacted_ += is_key() ? read_key(raw) : string_value(raw);
    if (is_whole) redacted_ += '"';
    at_ = is_whole ? end + 1 : json_.size();
  }

  bool is_key() const {
    return !open_.empty() && open_.back().is_object && open_.back().expects_key;
  }

  std::string read_key(std::string_view raw) {
    open_.back().key = json_unescaped(raw);
    return std::string(raw);
  }

  std::string string_value(std::string_view raw) {
    const std::string value = json_unescaped(raw);
    if (const auto hiding = hiding_here()) return redactor_.hide(value, *hiding);
    if (!open_.empty() && (open_.back().key == "name" || open_.back().key == "key")) {
      open_.back().hiding_of_value = redactor_.hiding_of(value);
    }
    // What is known is found in the whole text, at the end.
    if (!has_fields(value)) return std::string(raw);
    const std::string_view begin = trim(value);
    const bool is_json = begin.starts_with('{') || begin.starts_with('[');
    if (is_json && depth_ == kDeepestJson) return std::string(raw);
    const std::string changed =
        is_json ? JsonWalk(redactor_, value, depth_ + 1).redacted() : redactor_.value(value);
    return changed == value ? std::string(raw) : json_escaped(changed);
  }

  void read_scalar() {
    std::size_t end = at_;
    while (end < json_.size() && is_scalar_character(json_[end])) ++end;
    const std::string_view raw = json_.substr(at_, end - at_);
    at_ = end;
    const bool is_word = raw == "null" || raw == "true" || raw == "false";
    if (const auto hiding = hiding_here(); hiding && !is_word) {
      redacted_ += as_json_text(redactor_.hide(raw, *hiding));
      return;
    }
    // A number that is known from elsewhere.
    const std::string text = redactor_.text(raw);
    redacted_ += text == raw ? text : as_json_text(text);
  }

  Redactor& redactor_;
  std::string_view json_;
  std::size_t depth_;
  std::size_t at_ = 0;
  std::string redacted_;
  std::vector<Container> open_;
};

}  // namespace

std::string redact_json(Redactor& redactor, std::string_view json) {
  return JsonWalk(redactor, json, 0).redacted();
}

}  // namespace heddle
