// The values of JSON. The text is gone through token by token and never built into a document, so
// that each value has its place and what was cut off is read as far as it goes.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "race/requests/value_walk.h"

namespace heddle {
namespace {

constexpr std::size_t kDeepestNesting = 200;

struct JsonContainer {
  bool is_object = false;
  bool expects_key = true;  // of an object
  std::string key = {};
  std::size_t index = 0;  // of a list
};

bool is_bare_character(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '+' || c == '.' || c == '_';
}

// As in a JSON pointer.
std::string pointer_key(std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~') escaped += "~0";
    if (c == '/') escaped += "~1";
    if (c != '~' && c != '/') escaped += c;
  }
  return escaped;
}

class JsonValues {
 public:
  JsonValues(ValueWalk& walk, const CodedText& json, std::string path, std::size_t depth)
      : walk_(walk), json_(json), path_(std::move(path)), depth_(depth) {}

  void read() {
    const std::string_view all = json_.text;
    while (at_ < all.size()) {
      if (all[at_] == '"') {
        read_string();
      } else if (is_bare_character(all[at_])) {
        read_bare();
      } else {
        read_mark(all[at_++]);
      }
    }
  }

 private:
  void read_mark(char c) {
    if (c == '{' || c == '[') {
      // What is deeper is not gone into, and its end is found by counting.
      if (open_.size() < kDeepestNesting) open_.push_back({.is_object = c == '{'});
      ++nesting_;
    } else if (c == '}' || c == ']') {
      if (nesting_ > 0 && nesting_-- <= open_.size()) open_.pop_back();
      if (open_.empty()) ++document_;
    } else if (!open_.empty() && nesting_ == open_.size()) {
      if (c == ',') ++open_.back().index;
      if (c == ',' || c == ':') open_.back().expects_key = c == ',';
    }
  }

  void read_string() {
    const std::string_view all = json_.text;
    std::size_t end = at_ + 1;
    while (end < all.size() && all[end] != '"') end += all[end] == '\\' ? 2 : 1;
    end = std::min(end, all.size());
    CodedText text = decoded(part_of(json_, at_ + 1, end - at_ - 1), ValueCoding::json);
    at_ = std::min(end + 1, all.size());
    if (!open_.empty() && open_.back().is_object && open_.back().expects_key) {
      open_.back().key = std::move(text.text);
    } else if (nesting_ <= kDeepestNesting) {
      walk_.add_string(std::move(text), place(), depth_, true);
    }
  }

  void read_bare() {
    const std::string_view all = json_.text;
    const std::size_t begin = at_;
    while (at_ < all.size() && is_bare_character(all[at_])) ++at_;
    if (nesting_ <= kDeepestNesting) walk_.add_bare(part_of(json_, begin, at_ - begin), place());
  }

  ValuePlace place() const {
    ValuePlace place{.path = path_, .entity = walk_.resource()};
    if (document_ > 0) place.path += fmt::format("/document/{}", document_);
    std::vector<const std::string*> keys;
    for (const JsonContainer& each : open_) {
      place.path += "/" + (each.is_object ? pointer_key(each.key) : std::to_string(each.index));
      if (each.is_object) keys.push_back(&each.key);
    }
    if (!keys.empty()) place.field = *keys.back();
    if (keys.size() > 1) place.entity = *keys[keys.size() - 2];
    return place;
  }

  ValueWalk& walk_;
  const CodedText& json_;
  std::string path_;
  std::size_t depth_;
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
  std::size_t document_ = 0;
  std::vector<JsonContainer> open_ = {};
};

}  // namespace

void ValueWalk::walk_json(const CodedText& json, const std::string& path, std::size_t depth) {
  JsonValues(*this, json, path, depth).read();
}

}  // namespace heddle
