// The parser keeps no positions. Trouble is rare, so they are found again only then: the path to
// the value by a search of the document for its address, and its place in the text by a walk along
// that path.

#include "format/json/json_reader.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

struct Visit {
  const Json* value;
  Json::const_iterator next;
  std::size_t count = 0;  // of the elements visited, the present one included
};

// The keys and positions that lead from `root` to `wanted`. Not recursive: any depth may come.
std::vector<std::string> find_path(const Json& root, const Json& wanted) {
  std::vector<Visit> open = {{&root, root.begin(), 0}};
  while (!open.empty() && open.back().value != &wanted) {
    Visit& visit = open.back();
    if (!visit.value->is_structured() || visit.next == visit.value->end()) {
      open.pop_back();
      continue;
    }
    const Json& element = *visit.next;
    ++visit.next;
    ++visit.count;
    open.push_back({&element, element.begin(), 0});
  }
  std::vector<std::string> path;
  for (std::size_t i = 0; i + 1 < open.size(); ++i) {
    const bool object = open[i].value->is_object();
    path.push_back(object ? std::prev(open[i].next).key() : std::to_string(open[i].count - 1));
  }
  return path;
}

// RFC 6901.
std::string pointer_of(const std::vector<std::string>& path) {
  std::string pointer;
  for (const std::string& key : path) {
    pointer += '/';
    for (const char c : key) pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return pointer.empty() ? "the document" : pointer;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && std::string_view(" \t\r\n,:").find(text[at]) != std::string_view::npos)
    ++at;
  return at;
}

std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

std::size_t skip_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  do {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
    } else {
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at;
      // A number or a word ends where none of its characters follows.
      const auto in_word = [&] {
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
                                    text[at] == '.' || text[at] == '+' || text[at] == '-');
      };
      while (depth == 0 && in_word()) ++at;
    }
  } while (depth > 0 && at < text.size());
  return at;
}

// The element that `key` names in the list or object that begins at `at`. Of several members with
// the same key the last counts, as it does for the parser.
std::size_t find_element(std::string_view text, std::size_t at, const std::string& key) {
  const bool object = text[at] == '{';
  std::size_t found = at;
  std::size_t count = 0;
  at = skip_blanks(text, at + 1);
  while (at < text.size() && text[at] != '}' && text[at] != ']') {
    bool wanted = !object && std::to_string(count) == key;
    if (object) {
      const std::size_t end = skip_string(text, at);
      wanted = Json::parse(text.substr(at, end - at)).get<std::string>() == key;
      at = skip_blanks(text, end);
    }
    if (wanted) found = at;
    at = skip_blanks(text, skip_value(text, at));
    ++count;
  }
  return found;
}

// What no document of heddle's has, if the text has it.
struct Excess {
  std::size_t offset;
  const char* what;
};

// The parser's own containers are copied recursively, so what is too deep must not reach it; its
// objects compare each name with all before it.
std::optional<Excess> find_excess(std::string_view text) {
  constexpr std::size_t kDeepest = 64;
  constexpr std::size_t kMostMembers = 10'000;
  std::vector<std::size_t> members(1);  // of each list and object that is open
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[' || c == '{') members.push_back(0);
    if (members.size() > kDeepest + 1) return Excess{at, "this is nested too deeply"};
    if ((c == ']' || c == '}') && members.size() > 1) members.pop_back();
    if (c == ':' && ++members.back() > kMostMembers) {
      return Excess{at, "an object has more than 10000 members, too many"};
    }
    at = c == '"' ? skip_string(text, at) : at + 1;
  }
  return std::nullopt;
}

std::string without_position(const std::string& message) {
  const std::size_t colon = message.rfind(": ");
  const std::size_t dash = message.rfind("- ");
  const std::size_t start = dash != std::string::npos ? dash + 2 : colon + 2;
  return message.substr(std::min(start, message.size()));
}

// The bytes of a text that is not UTF-8: {"hex": "ff00"}.
std::optional<std::string> read_hex(const Json& value) {
  if (!value.is_object() || value.size() != 1) return std::nullopt;
  const auto member = value.find("hex");
  if (member == value.end() || !member->is_string()) return std::nullopt;
  const std::string digits = member->get<std::string>();
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (digits.size() % 2 != 0 || digits.find_first_not_of(kDigits) != std::string::npos) {
    return std::nullopt;
  }
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(kDigits.find(digits[i]) * 16 + kDigits.find(digits[i + 1]));
  }
  return bytes;
}

}  // namespace

std::size_t find_json_value(std::string_view text, const std::vector<std::string>& path) {
  std::size_t at = skip_blanks(text, 0);
  for (const std::string& key : path) at = find_element(text, at, key);
  return at;
}

SourcePosition position_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column =
      line_start == std::string_view::npos ? before.size() : before.size() - line_start - 1;
  return {lines + 1, static_cast<std::uint32_t>(column + 1)};
}

JsonReader::JsonReader(std::string_view text, std::string_view file) : text_(text), file_(file) {
  if (const std::optional<Excess> excess = find_excess(text)) {
    trouble_ =
        Diagnostic{fmt::format("{} for a document of heddle's", excess->what),
                   "give a file that heddle wrote", file_, position_at(text, excess->offset)};
    return;
  }
  try {
    document_ = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t offset = error.byte == 0 ? 0 : error.byte - 1;
    trouble_ = Diagnostic{"this is not JSON: " + without_position(error.what()),
                          "give a file that heddle wrote", file_,
                          position_at(text, std::min(offset, text.size()))};
  } catch (const Json::out_of_range&) {
    trouble_ = Diagnostic{
        "this is not JSON: a number is too large", "give a file that heddle wrote", file_, {}};
  }
}

JsonPlace JsonReader::root() { return {*this, trouble_ ? nullptr : &document_}; }

void JsonReader::complain(const Json& value, const std::string& what,
                          const std::string& what_to_do) {
  if (trouble_) return;
  const std::vector<std::string> path = find_path(document_, value);
  trouble_ = Diagnostic{fmt::format("{}: {}", pointer_of(path), what), what_to_do, file_,
                        position_at(text_, find_json_value(text_, path))};
}

void JsonPlace::complain(const std::string& what, const std::string& what_to_do) const {
  if (value_ != nullptr) reader_->complain(*value_, what, what_to_do);
}

bool JsonPlace::is_text() const { return value_ != nullptr && value_->is_string(); }

bool JsonPlace::is_number() const { return value_ != nullptr && value_->is_number_unsigned(); }

bool JsonPlace::is_object() const { return value_ != nullptr && value_->is_object(); }

JsonPlace JsonPlace::at(const char* key) const {
  const JsonPlace place = find(key);
  if (place.is_absent() && value_ != nullptr && value_->is_object()) {
    complain(fmt::format("the member \"{}\" is missing", key));
  }
  return place;
}

JsonPlace JsonPlace::find(const char* key) const {
  if (value_ == nullptr || reader_->trouble_) return absent();
  if (!value_->is_object()) {
    complain("expected an object");
    return absent();
  }
  const auto member = value_->find(key);
  if (member == value_->end() || member->is_null()) return absent();
  return {*reader_, &*member};
}

std::vector<JsonPlace> JsonPlace::elements() const {
  std::vector<JsonPlace> places;
  if (value_ == nullptr || reader_->trouble_) return places;
  if (!value_->is_array()) {
    complain("expected a list");
    return places;
  }
  places.reserve(value_->size());
  for (const Json& element : *value_) places.emplace_back(*reader_, &element);
  return places;
}

std::string JsonPlace::text() const {
  if (value_ == nullptr || reader_->trouble_) return "";
  if (value_->is_string()) return value_->get<std::string>();
  const std::optional<std::string> bytes = read_hex(*value_);
  if (!bytes) complain("expected a text, or {\"hex\": \"...\"} with bytes that are not UTF-8");
  return bytes.value_or("");
}

std::optional<std::string> JsonPlace::nullable_text() const {
  if (value_ == nullptr || reader_->trouble_ || value_->is_null()) return std::nullopt;
  return text();
}

bool JsonPlace::boolean() const {
  if (value_ == nullptr || reader_->trouble_) return false;
  if (!value_->is_boolean()) complain("expected true or false");
  return value_->is_boolean() && value_->get<bool>();
}

std::size_t JsonPlace::number() const { return index(std::numeric_limits<std::size_t>::max()); }

std::size_t JsonPlace::index(std::size_t end) const {
  if (value_ == nullptr || reader_->trouble_) return 0;
  const std::size_t number = value_->is_number_unsigned() ? value_->get<std::size_t>() : end;
  if (number < end) return number;
  complain(end == std::numeric_limits<std::size_t>::max()
               ? "expected a number that is not negative"
               : fmt::format("expected a number from 0 to below {}", end));
  return 0;
}

std::size_t JsonPlace::choice(std::span<const std::string_view> names) const {
  if (value_ == nullptr || reader_->trouble_) return 0;
  const std::string word = text();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<std::string> known(names.begin(), names.end());
  complain("unknown word", "use one of: " + join(known, ", "));
  return 0;
}

std::vector<std::string> JsonPlace::texts() const {
  return list([](const JsonPlace& place) { return place.text(); });
}

}  // namespace heddle
