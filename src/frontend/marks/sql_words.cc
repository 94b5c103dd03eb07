#include "frontend/marks/sql_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "base/text.h"
#include "frontend/marks/scan.h"

namespace heddle::marks {

namespace {

constexpr std::size_t kMostWordsRead = 400;

// Words as they are written, and each other character alone. Quoted names are one word.
std::vector<std::string_view> words_and_symbols(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size() && words.size() < kMostWordsRead;) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
      continue;
    }
    if (text.substr(at).starts_with("--")) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (text.substr(at).starts_with("/*")) {
      const std::size_t close = text.find("*/", at);
      at = close == std::string_view::npos ? text.size() : close + 2;
      continue;
    }
    if (is_word_character(c)) {
      while (end < text.size() && (is_word_character(text[end]) || text[end] == '.')) ++end;
    } else if (c == '`' || c == '"') {
      const std::size_t close = text.find(c, end);
      if (close != std::string_view::npos) end = close + 1;
    }
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_lower(std::string_view word) {
  return std::ranges::all_of(
      word, [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; });
}
bool is_upper(std::string_view word) {
  return std::ranges::all_of(
      word, [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; });
}

class SqlWords {
 public:
  explicit SqlWords(std::string_view text) : words_(words_and_symbols(text)) {
    // ({ call f(?) }), {? = call f(?)}
    static constexpr std::array<std::string_view, 5> kBefore = {"(", "{", "?", "=", "\""};
    while (first_ < words_.size() && std::ranges::find(kBefore, words_[first_]) != kBefore.end()) {
      ++first_;
    }
  }

  SqlKind kind() const {
    const std::string_view verb = at(0);
    // Words for people begin with one capital.
    if (verb.empty() || (!is_lower(verb) && !is_upper(verb))) return SqlKind::none;
    const std::string word = to_lower(verb);
    static constexpr std::array<std::string_view, 4> kDefinitions = {"create", "alter", "drop",
                                                                     "comment"};
    if (std::ranges::find(kDefinitions, word) != kDefinitions.end()) {
      static constexpr std::array<std::string_view, 12> kObjects = {
          "table",    "index",  "unique", "view",      "sequence", "database",
          "function", "schema", "or",     "extension", "on",       "type"};
      return std::ranges::find(kObjects, to_lower(at(1))) != kObjects.end() ? SqlKind::definition
                                                                            : SqlKind::none;
    }
    if (word == "set" || word == "pragma" || word == "vacuum" || word == "grant") {
      return is_upper(verb) && words_.size() > first_ + 1 ? SqlKind::definition : SqlKind::none;
    }
    return is_data(word) ? SqlKind::data : SqlKind::none;
  }

 private:
  std::string_view at(std::size_t index) const {
    return first_ + index < words_.size() ? words_[first_ + index] : std::string_view();
  }
  bool is(std::size_t index, std::string_view word) const {
    return equal_ignoring_case(at(index), word);
  }
  bool is_name(std::size_t index) const {
    const std::string_view word = at(index);
    return !word.empty() &&
           (is_word_character(word[0]) ||
            std::string_view("`\"[?$%{:#@(").find(word[0]) != std::string_view::npos);
  }
  std::size_t find(std::string_view word, std::size_t from = 1) const {
    for (std::size_t i = from; !at(i).empty(); ++i) {
      if (is(i, word)) return i;
    }
    return 0;
  }

  bool is_data(const std::string& verb) const {
    if (verb == "select") return is_query();
    if (verb == "insert" || verb == "replace" || verb == "merge") return is_insert();
    if (verb == "update") return is_update();
    if (verb == "delete") return is_delete();
    if (verb == "with") return find("as") > 0 && find("select") > 0 && find("(") > 0;
    if (verb == "call" || verb == "exec" || verb == "execute") {
      return is_name(1) && (at(2) == "(" || at(2) == "?" || (is_upper(at(0)) && at(1).size() > 2));
    }
    if (verb == "truncate") return is(1, "table") || (is_upper(at(0)) && is_name(1));
    if (verb == "lock") return is(1, "table") || is(1, "tables");
    // A query of JPA.
    if (verb == "from") {
      return is_name(1) && (find("where") > 0 || find("join") > 0 || find("order") > 0);
    }
    return false;
  }

  bool is_query() const {
    const std::size_t from = find("from");
    if (from == 0) return at(2) == "(" || (is_name(1) && at(2) == ".");  // SELECT f(?)
    if (!is_name(from + 1)) return false;
    return is_upper(at(0)) || !has_prose(1, from);
  }

  // Two words that nothing joins, as no list of columns has them.
  bool has_prose(std::size_t begin, std::size_t end) const {
    static constexpr std::array<std::string_view, 12> kJoining = {
        "distinct", "all", "as", "case", "when", "then", "else", "end", "and", "or", "not", "is"};
    std::size_t in_a_row = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_joining = std::ranges::find(kJoining, to_lower(at(i))) != kJoining.end();
      const bool is_plain = is_word_character(at(i)[0]) && !is_joining;
      in_a_row = is_plain ? in_a_row + 1 : 0;
      // An alias may follow without AS.
      if (in_a_row > 2) return true;
      if (in_a_row == 2 && end == begin + 2) return true;
    }
    return false;
  }

  bool is_insert() const {
    const std::size_t into = find("into");
    constexpr std::size_t kMostBefore = 4;
    if (into == 0 || into > kMostBefore || !is_name(into + 1)) return false;
    return find("(") > 0 || find("values") > 0 || find("select") > 0 || find("set") > 0 ||
           find("using") > 0 || is_upper(at(0));
  }

  bool is_update() const {
    const std::size_t set = find("set");
    return set > 1 && is_name(1) && is_name(set + 1) && find("=", set) > 0;
  }

  bool is_delete() const {
    const std::size_t from = is(1, "from") ? 1 : find("from");
    if (from == 0 || from > 2 || !is_name(from + 1)) return false;
    if (is_upper(at(0)) || at(from + 2).empty()) return true;
    return find("where") > 0 || find("using") > 0;
  }

  std::vector<std::string_view> words_;
  std::size_t first_ = 0;
};

}  // namespace

SqlKind sql_kind(std::string_view text) {
  // Most literals of a program are a word.
  constexpr std::size_t kShortest = 9;
  if (text.size() < kShortest) return SqlKind::none;
  return SqlWords(text).kind();
}

}  // namespace heddle::marks
