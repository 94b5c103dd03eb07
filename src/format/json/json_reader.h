// Reading a JSON document without a check at every step.
//
//   JsonReader reader(text, "finding.json");
//   const JsonPlace root = reader.root();
//   finding.id = root.at("id").text();
//   if (const auto trouble = reader.trouble()) return *trouble;
//
// The first thing that is not as expected is remembered; from then on everything reads as absent,
// and what is absent reads as an empty value. So readers are straight lines, and cannot crash.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/json/json.h"
#include "heddle/result.h"

namespace heddle {

class JsonReader;

// A value inside a document, or the absence of one. Lives as long as its reader.
class JsonPlace {
 public:
  JsonPlace(JsonReader& reader, const Json* value) : reader_(&reader), value_(value) {}

  bool is_absent() const { return value_ == nullptr; }
  bool is_text() const;
  bool is_number() const;
  bool is_object() const;

  // The member of an object; trouble when there is none.
  JsonPlace at(const char* key) const;
  // The member of an object, absent when there is none or it is null.
  JsonPlace find(const char* key) const;
  // The elements of a list.
  std::vector<JsonPlace> elements() const;

  std::string text() const;
  std::optional<std::string> nullable_text() const;
  // Empty where the value is absent.
  std::string text_or_nothing() const { return is_absent() ? "" : text(); }
  bool boolean() const;
  std::size_t number() const;
  // A number below `end`.
  std::size_t index(std::size_t end) const;
  // The position in `names` of a text.
  std::size_t choice(std::span<const std::string_view> names) const;

  std::vector<std::string> texts() const;
  template <class Read>
  auto list(const Read& read) const {
    std::vector<decltype(read(*this))> values;
    for (const JsonPlace& element : elements()) values.push_back(read(element));
    return values;
  }

  // Remembers that this value is not what it should be: "expected a number".
  void complain(const std::string& what, const std::string& what_to_do = "") const;

 private:
  JsonPlace absent() const { return {*reader_, nullptr}; }

  JsonReader* reader_;
  const Json* value_;
};

class JsonReader {
 public:
  JsonReader(std::string_view text, std::string_view file);
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  // Absent when the text is no JSON at all.
  JsonPlace root();
  // What was wrong first, if anything was.
  const std::optional<Diagnostic>& trouble() const { return trouble_; }

 private:
  friend class JsonPlace;
  void complain(const Json& value, const std::string& what, const std::string& what_to_do);

  std::string_view text_;
  std::string file_;
  Json document_;
  std::optional<Diagnostic> trouble_;
};

// Where the value that `path` leads to begins: keys of objects and positions in lists from the
// root on. REQUIRES: `text` is JSON and has such a value.
std::size_t find_json_value(std::string_view text, const std::vector<std::string>& path);

SourcePosition position_at(std::string_view text, std::size_t offset);

}  // namespace heddle
