#include "format/json/json_fields.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.h"
#include "format/json/json.h"

namespace heddle {

namespace {

// The way to a field is written out for each, so that it must not be long.
constexpr std::size_t kDeepestField = 200;

// A list or an object whose end has not come yet.
struct OpenJson {
  bool is_list = false;
  std::size_t seen = 0;  // elements or members so far
  std::string key = {};  // of the member that comes
};

bool is_plain_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return is_digit(c) || is_letter(c) || c == '_' || c == '-' || c == '$' || c == '@' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

// What the library calls while it reads; false ends the reading.
class FieldList : public nlohmann::json_sax<Json> {
 public:
  std::vector<JsonField> take() { return std::move(fields_); }

  bool null() override { return add(JsonFieldKind::null, "null"); }
  bool boolean(bool value) override {
    return add(JsonFieldKind::boolean, value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override {
    return add(JsonFieldKind::number, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(JsonFieldKind::number, std::to_string(value));
  }
  bool number_float(number_float_t, const string_t& written) override {
    return add(JsonFieldKind::number, written);
  }
  bool string(string_t& value) override { return add(JsonFieldKind::text, value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool key(string_t& key) override {
    open_.back().key = key;
    return true;
  }
  bool end_object() override { return close(JsonFieldKind::empty_object); }
  bool end_array() override { return close(JsonFieldKind::empty_list); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool open(bool is_list) {
    open_.push_back({.is_list = is_list});
    return open_.size() <= kDeepestField;
  }

  bool close(JsonFieldKind kind_if_empty) {
    const bool is_empty = open_.back().seen == 0;
    open_.pop_back();
    if (is_empty) return add(kind_if_empty, "");
    count();
    return true;
  }

  bool add(JsonFieldKind kind, std::string text) {
    JsonField& field =
        fields_.emplace_back(JsonField{.path = "$", .place = "$", .kind = kind, .text = {}});
    field.text = std::move(text);
    for (const OpenJson& each : open_) {
      const std::string key =
          is_plain_key(each.key) ? "." + each.key : '[' + text_json(each.key).dump() + ']';
      field.path += each.is_list ? '[' + std::to_string(each.seen) + ']' : key;
      field.place += each.is_list ? "[]" : key;
    }
    count();
    return true;
  }

  void count() {
    if (!open_.empty()) ++open_.back().seen;
  }

  std::vector<OpenJson> open_;
  std::vector<JsonField> fields_;
};

}  // namespace

std::optional<std::vector<JsonField>> list_json_fields(std::string_view document) {
  FieldList list;
  if (!Json::sax_parse(document, &list)) return std::nullopt;
  return list.take();
}

}  // namespace heddle
