// JSON and EDN share their brackets and part at the first key; a log of Jepsen's may begin with
// anything, so that the name of its logger is looked for where no bracket comes first.
#include "frontend/history/formats/beginning.h"

#include <algorithm>

#include "base/text.h"

namespace heddle {

namespace {

using BeginningForm = HistoryBeginning::Form;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kBinaryProbe = 512;
constexpr std::size_t kLogProbe = 4096;

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

void skip_line(std::string_view& text) {
  text.remove_prefix(std::min(text.find('\n'), text.size()));
}

void skip_space(std::string_view& text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
}

// EDN's "#_", "#{" and "#tag{", and not a comment of another format.
bool is_edn_hash(std::string_view text) {
  const std::string_view word = text.substr(1, text.find_first_of(" \t\r\n") - 1);
  return word.starts_with('_') || word.find_first_of("{[(\"") != std::string_view::npos;
}

// At a brace: JSON has a key in quotes and a colon.
HistoryBeginning look_at_object(std::string_view text) {
  HistoryBeginning beginning{.form = BeginningForm::edn, .text = text};
  text.remove_prefix(1);
  skip_space(text);
  if (!text.starts_with('"')) return beginning;
  const std::size_t key_end = std::min(text.find('"', 1), text.size());
  const std::string_view key = text.substr(1, key_end - 1);
  text.remove_prefix(std::min(key_end + 1, text.size()));
  skip_space(text);
  if (!text.starts_with(':')) return beginning;
  beginning.form = BeginningForm::object;
  beginning.key = key;
  return beginning;
}

// At a bracket or brace.
HistoryBeginning look_at_brackets(std::string_view text) {
  HistoryBeginning beginning{.form = BeginningForm::list, .text = text};
  while (!text.empty()) {
    const char c = text.front();
    if (c == '(' || c == ';' || c == '#' || c == ',') {
      beginning.form = BeginningForm::edn;
      return beginning;
    }
    if (c == '{') return look_at_object(text);
    if (c != '[' && !is_space(c)) break;
    if (c == '[') ++beginning.depth;
    text.remove_prefix(1);
  }
  return beginning;
}

HistoryBeginning look_at_text(std::string_view text) {
  const bool has_logger = text.substr(0, kLogProbe).find("jepsen.util") != std::string_view::npos;
  for (skip_space(text); !text.empty(); skip_space(text)) {
    const char c = text.front();
    const bool is_bracket = c == '{' || c == '(' || c == '[';
    const bool is_time = c == '[' && text.size() > 1 && is_digit(text[1]);
    if (c == ';' || (c == '#' && is_edn_hash(text)))
      return {.form = BeginningForm::edn, .text = text};
    if (is_bracket && !is_time) return look_at_brackets(text);
    if (c != '#') break;
    skip_line(text);
  }
  return {.form = has_logger ? BeginningForm::log : BeginningForm::words, .text = text};
}

}  // namespace

std::string_view HistoryBeginning::word() const {
  const auto* const end = std::ranges::find_if_not(text, is_small_letter);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

char HistoryBeginning::behind_word() const {
  const std::size_t end = word().size();
  return end < text.size() ? text[end] : '\0';
}

HistoryBeginning look_at_beginning(std::string_view bytes) {
  bytes = without_byte_order_mark(bytes);
  if (bytes.substr(0, kBinaryProbe).find('\0') != std::string_view::npos) {
    return {.form = BeginningForm::binary, .text = bytes};
  }
  if (std::ranges::all_of(bytes, is_space)) return {.form = BeginningForm::empty, .text = bytes};
  return look_at_text(bytes);
}

std::string_view without_byte_order_mark(std::string_view bytes) {
  return bytes.substr(bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

}  // namespace heddle
