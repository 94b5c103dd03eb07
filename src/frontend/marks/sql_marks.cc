#include "frontend/marks/sql_marks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace heddle::marks {

namespace {

constexpr std::size_t kMostFirstWords = 16;

// The first words of a statement, in lower case, without symbols but parentheses.
std::vector<std::string> first_words(std::string_view statement) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < statement.size() && words.size() < kMostFirstWords;) {
    if (is_word_character(statement[at])) {
      std::size_t end = at;
      while (end < statement.size() &&
             (is_word_character(statement[end]) || statement[end] == '.' || statement[end] == '"' ||
              statement[end] == '`')) {
        ++end;
      }
      words.push_back(to_lower(statement.substr(at, end - at)));
      at = end;
    } else {
      if (statement[at] == '(' || statement[at] == '`') words.emplace_back(1, statement[at]);
      ++at;
    }
  }
  return words;
}

std::string plain_name(std::string name) {
  std::erase_if(name, [](char c) { return c == '"' || c == '`'; });
  return name.substr(name.rfind('.') + 1);
}

// BEGIN ATOMIC ... END and MySQL's bodies have semicolons of their own.
std::size_t end_of_statement(std::string_view code, std::size_t begin, bool is_routine) {
  std::size_t end = code.find(';', begin);
  if (!is_routine || end == std::string_view::npos) return end;
  const std::string head = to_lower(code.substr(begin, end - begin));
  if (find_word(head, "begin") == std::string::npos) return end;
  std::size_t depth = 0;
  for (std::size_t at = begin; at < code.size(); ++at) {
    const bool begins = std::isalpha(static_cast<unsigned char>(code[at])) != 0 &&
                        (at == 0 || !is_word_character(code[at - 1]));
    if (begins) {
      std::size_t last = at;
      while (last < code.size() && is_word_character(code[last])) ++last;
      const std::string word = to_lower(code.substr(at, last - at));
      if (is_one_of(word, {"begin", "case"})) ++depth;
      if (is_one_of(word, {"if", "loop", "while", "repeat"}) && depth > 0) {
        // END IF closes none of the two.
        const std::string before =
            to_lower(trim(code.substr(0, at).substr(at - std::min<std::size_t>(at, 8))));
        if (!before.ends_with("end")) continue;
        ++depth;
      }
      if (word == "end" && depth > 0) --depth;
      at = last - 1;
    } else if (code[at] == ';' && depth == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

// What a CREATE creates: where its word stands among the first ones.
std::size_t created_object(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 13> kBefore = {
      "or",    "replace",    "alter",   "temp",      "temporary", "unlogged", "global",
      "local", "constraint", "definer", "aggregate", "virtual",   "foreign"};
  std::size_t object = 1;
  while (object < words.size() && std::ranges::find(kBefore, words[object]) != kBefore.end()) {
    ++object;
  }
  const bool has_definer = object > 1 && words[object - 1] == "definer";
  // DEFINER = `root`@`localhost`
  while (has_definer && object < words.size() &&
         !is_one_of(words[object], {"procedure", "function", "trigger", "view"})) {
    ++object;
  }
  return object;
}

// Whether a statement outside of a routine reads or changes rows; what sets sequences does not.
bool is_data(const std::vector<std::string>& words) {
  if (is_one_of(words[0], {"update", "delete", "merge", "call", "do"})) return true;
  if (!is_one_of(words[0], {"select", "with"}) || words.size() < 2) return false;
  if (words[1].ends_with("setval") || words[1].ends_with("set_config")) return false;
  return std::ranges::find(words, "from") != words.end();
}

// CREATE TABLE ... INHERITS (...)
bool inherits(std::string_view statement) {
  constexpr std::size_t kMostOfTable = 20'000;
  const std::string text = to_lower(statement.substr(0, kMostOfTable));
  const std::size_t at = find_word(text, "inherits");
  if (at == std::string::npos) return false;
  const std::string_view whole = text;
  return trim(whole.substr(0, at)).ends_with(')') &&
         trim(whole.substr(at + std::string_view("inherits").size())).starts_with('(');
}

// None: nothing that is looked for. REQUIRES: there are words.
std::optional<SqlMark> mark_of(const std::vector<std::string>& words) {
  // ALTER TABLE a INHERIT b
  if (words[0] == "alter" && words.size() > 4 && words[1] == "table") {
    const std::size_t name = words[2] == "only" ? 3 : 2;
    if (words[name + 1] != "inherit") return std::nullopt;
    return SqlMark{.kind = SqlMarkKind::inheritance, .name = plain_name(words[name])};
  }
  if (words[0] != "create") {
    if (!is_data(words)) return std::nullopt;
    return SqlMark{.kind = SqlMarkKind::statement, .name = words[0]};
  }
  const std::size_t object = created_object(words);
  if (object >= words.size()) return std::nullopt;
  SqlMark mark;
  if (is_one_of(words[object], {"function", "procedure"})) {
    mark.kind = SqlMarkKind::routine;
  } else if (is_one_of(words[object], {"trigger", "rule"})) {
    mark.kind = SqlMarkKind::trigger;
  } else if (words[object] == "table") {
    mark.kind = SqlMarkKind::table;
  } else {
    return std::nullopt;
  }
  std::size_t name = object + 1;
  while (name < words.size() && is_one_of(words[name], {"if", "not", "exists", "`"})) ++name;
  if (name < words.size()) mark.name = plain_name(words[name]);
  return mark;
}

}  // namespace

std::vector<SqlMark> sql_marks(const ScannedText& scanned) {
  // The beginning of a statement is enough: a dump has some of many megabytes.
  constexpr std::size_t kHead = 2000;
  const std::string_view code = scanned.code;
  std::vector<SqlMark> marks;
  std::size_t previous = 0;
  for (std::size_t at = 0; at < code.size();) {
    if (code[at] == ';' || std::isspace(static_cast<unsigned char>(code[at])) != 0) {
      ++at;
      continue;
    }
    const std::vector<std::string> words = first_words(code.substr(at, kHead));
    std::optional<SqlMark> mark = words.empty() ? std::nullopt : mark_of(words);
    const bool has_body =
        mark && (mark->kind == SqlMarkKind::routine || mark->kind == SqlMarkKind::trigger);
    const bool is_table = mark && mark->kind == SqlMarkKind::table;
    if (mark) {
      mark->first_line = scanned.line_of(previous);
      mark->line = scanned.line_of(at);
      marks.push_back(*std::move(mark));
    }
    const std::size_t end = end_of_statement(code, at, has_body);
    if (is_table && inherits(code.substr(at, std::min(end, code.size()) - at))) {
      marks.push_back(marks.back());
      marks.back().kind = SqlMarkKind::inheritance;
    }
    if (end == std::string_view::npos) break;
    at = end + 1;
    // What begins on the next line has nothing to do with this one.
    previous = code.find_first_not_of(" \t\r", at);
    if (previous == std::string_view::npos) break;
    if (code[previous] == '\n') ++previous;
  }
  return marks;
}

}  // namespace heddle::marks
