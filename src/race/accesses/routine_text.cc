#include "race/accesses/routine_text.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::race {
namespace {

using sql::TokenKind;
using WordList = std::initializer_list<std::string_view>;

class PlpgsqlReader {
 public:
  PlpgsqlReader(std::string_view body, bool is_trigger) : tokens_(body), is_trigger_(is_trigger) {}

  RoutineText read() {
    while (at_ < tokens_.size()) {
      const std::size_t before = at_;
      read_next();
      if (at_ == before) ++at_;
    }
    return std::move(text_);
  }

 private:
  std::string word(std::size_t index) const { return tokens_.word(index); }
  std::string word() const { return tokens_.word(at_); }

  void read_next() {
    if (tokens_.is_symbol(at_, '<')) return skip_label();
    const std::string first = word();
    if (is_one_of(first, {"begin", "else", "loop", "exception"})) {
      is_declaring_ = false;
      ++at_;
    } else if (first == "declare") {
      is_declaring_ = true;
      ++at_;
    } else if (is_declaring_) {
      read_declaration();
    } else if (!read_control(first)) {
      read_statement(first);
    }
  }

  // <<label>>
  void skip_label() {
    while (at_ < tokens_.size() && !tokens_.is_symbol(at_, '>')) ++at_;
    at_ += 2;
  }

  bool read_control(const std::string& first) {
    if (is_one_of(first, {"if", "elsif", "elseif", "when"})) {
      read_until({"then"});
    } else if (first == "while") {
      read_until({"loop"});
    } else if (first == "case") {
      read_until({"when"});
    } else if (first == "for" || first == "foreach") {
      read_loop(first == "foreach");
    } else if (first == "return") {
      read_return();
    } else if (is_one_of(first, {"raise", "assert"})) {
      read_message();
    } else if (is_one_of(first, {"exit", "continue"})) {
      const std::size_t end = find_end();
      const std::size_t when = find({"when"}, at_, end);
      if (when < end) add_expression(when + 1, end);
      at_ = end + 1;
    } else if (first == "open") {
      const std::size_t end = find_end();
      read_query_behind({"for"}, end);
    } else if (is_one_of(first,
                         {"end", "null", "get", "fetch", "move", "close", "commit", "rollback"}) &&
               !is_assignment()) {
      at_ = find_end() + 1;
    } else {
      return false;
    }
    return true;
  }

  // `name type := x;`, `name CURSOR FOR SELECT ...;`
  void read_declaration() {
    const std::size_t end = find_end();
    const std::size_t cursor = find({"cursor"}, at_, end);
    if (cursor < end) return read_query_behind({"for", "is"}, end);
    for (std::size_t i = at_; i < end; ++i) {
      const bool is_equal = tokens_.is_symbol(i, '=') && tokens_[i].depth == tokens_[at_].depth;
      if (word(i) != "default" && !is_equal) continue;
      add_expression(i + 1, end);
      break;
    }
    at_ = end + 1;
  }

  void read_query_behind(WordList words, std::size_t end) {
    const std::size_t behind = find(words, at_, end);
    if (behind < end && word(behind + 1) == "execute") text_.is_whole = false;
    if (behind < end && word(behind + 1) != "execute") add_statement(behind + 1, end);
    at_ = end + 1;
  }

  // The word in front of an expression, and what must follow it.
  void read_until(WordList words) {
    const std::size_t end = find(words, at_ + 1, tokens_.size());
    if (end > at_ + 1) add_expression(at_ + 1, end);
    const bool is_next = end < tokens_.size() && word(end) == "when";
    at_ = is_next ? end : end + 1;
  }

  void read_loop(bool is_foreach) {
    const std::size_t end = find({"loop"}, at_, tokens_.size());
    std::size_t first = find({"in"}, at_, end) + 1;
    at_ = end + 1;
    if (first >= end) return;
    if (word(first) == "reverse") ++first;
    if (word(first) == "execute") {
      text_.is_whole = false;
    } else if (is_foreach) {
      add_expression(first + (word(first) == "array" ? 1 : 0), end);
    } else if (!is_query(first) && tokens_.text(first, end).find("..") != std::string_view::npos) {
      add_range(first, end);
    } else if (is_query(first)) {
      add_statement(first, end);
    }
  }

  // 1 .. x BY 2
  void add_range(std::size_t first, std::size_t end) {
    const std::size_t step = find({"by"}, first, end);
    const std::string text = replaced(first, step);
    const std::size_t dots = text.find("..");
    add_text("SELECT " + text.substr(0, dots));
    add_text("SELECT " + text.substr(std::min(text.size(), dots + 2)));
    add_expression(std::min(step + 1, end), end);
  }

  // A cursor that a loop goes through is no query of its own.
  bool is_query(std::size_t index) const {
    return is_one_of(word(index), {"select", "with", "values", "insert", "update", "delete",
                                   "merge", "table"}) ||
           tokens_.is_symbol(index, '(');
  }

  void read_return() {
    const std::size_t end = find_end();
    std::size_t first = at_ + 1;
    at_ = end + 1;
    if (word(first) == "query") {
      if (word(first + 1) == "execute") {
        text_.is_whole = false;
      } else {
        add_statement(first + 1, end);
      }
      return;
    }
    if (word(first) == "next") ++first;
    const bool is_row = first + 1 == end && is_one_of(word(first), {"new", "old", "null"});
    if (first < end && !is_row) add_expression(first, end);
  }

  // RAISE ... , x, y USING option = z; ASSERT x, y
  void read_message() {
    const std::size_t end = find_end();
    const std::size_t depth = tokens_[at_].depth;
    std::size_t first = at_ + 1;
    bool is_value = word() == "assert";
    for (std::size_t i = first; i <= end; ++i) {
      const bool is_inside = i < end && tokens_[i].depth != depth;
      const bool ends = i == end || tokens_.is_symbol(i, ',') || word(i) == "using";
      if (is_inside || !ends) continue;
      if (is_value && first < i) add_expression(first, i);
      is_value = true;
      first = i + 1;
      if (word(i) == "using") first = i + 3;  // option =
    }
    at_ = end + 1;
  }

  void read_statement(const std::string& first) {
    const std::size_t end = find_end();
    if (const std::size_t value = assigned_value(); value != 0) {
      note_changed(at_);
      add_expression(value, end);
    } else if (first == "perform") {
      add_expression(at_ + 1, end);
    } else if (first == "execute") {
      text_.is_whole = false;
    } else if (at_ < end) {
      add_statement(at_, end);
    }
    at_ = end + 1;
  }

  bool is_assignment() const { return assigned_value() != 0; }

  // Where the value of `name.field[1] := value` begins; 0: it is no assignment.
  std::size_t assigned_value() const {
    std::size_t i = at_;
    const bool is_name = i < tokens_.size() && (tokens_[i].kind == TokenKind::word ||
                                                tokens_[i].kind == TokenKind::quoted_name ||
                                                tokens_[i].kind == TokenKind::parameter);
    if (!is_name) return 0;
    const std::size_t depth = tokens_[i].depth;
    for (++i; i < tokens_.size(); ++i) {
      if (tokens_[i].depth != depth || tokens_.is_symbol(i, '[') || tokens_.is_symbol(i, ']')) {
        continue;
      }
      if (tokens_.is_symbol(i, '.')) {
        ++i;
        continue;
      }
      if (tokens_.is_symbol(i, ':') && tokens_.is_symbol(i + 1, '=')) return i + 2;
      return tokens_.is_symbol(i, '=') ? i + 1 : 0;
    }
    return 0;
  }

  // The target of an assignment or of INTO may be a column of NEW.
  void note_changed(std::size_t target) {
    if (!is_trigger_ || word(target) != "new") return;
    const bool is_column = tokens_.is_symbol(target + 1, '.');
    text_.changed.insert(is_column ? name_at(target + 2) : "*");
  }

  std::string name_at(std::size_t index) const {
    if (index >= tokens_.size()) return {};
    if (tokens_[index].kind != TokenKind::quoted_name) return word(index);
    const std::string_view text = tokens_.text(index);
    return std::string(text.substr(1, text.size() - 2));
  }

  // The first of the words from there on, outside of parentheses and of CASE ... END.
  std::size_t find(WordList words, std::size_t from, std::size_t end) const {
    std::size_t cases = 0;
    for (std::size_t i = from; i < end; ++i) {
      if (tokens_[i].depth != tokens_[from].depth) continue;
      const std::string here = word(i);
      if (cases == 0 && is_one_of(here, words)) return i;
      if (here == "case") ++cases;
      if (here == "end" && cases > 0) --cases;
    }
    return end;
  }

  // The semicolon that ends the statement.
  std::size_t find_end() const {
    for (std::size_t i = at_; i < tokens_.size(); ++i) {
      if (tokens_.is_symbol(i, ';') && tokens_[i].depth == tokens_[at_].depth) return i;
    }
    return tokens_.size();
  }

  void add_expression(std::size_t first, std::size_t end) {
    if (first >= end) return;
    add_text("SELECT " + replaced(first, end));
  }

  void add_statement(std::size_t first, std::size_t end) {
    std::size_t into = first;
    for (; into < end; ++into) {
      const bool is_outside = tokens_[into].depth == tokens_[first].depth;
      const std::string before = into > first ? word(into - 1) : "";
      if (is_outside && word(into) == "into" && before != "insert" && before != "merge") break;
    }
    std::string text = replaced(first, into);
    const std::size_t behind = into < end ? std::min(behind_targets(into + 1), end) : end;
    if (behind < end) text += " " + replaced(behind, end);
    add_text(text);
  }

  // INTO [STRICT] a, b.c, d[1]
  std::size_t behind_targets(std::size_t at) {
    if (word(at) == "strict") ++at;
    while (at < tokens_.size()) {
      note_changed(at);
      ++at;
      while (tokens_.is_symbol(at, '.')) at += 2;
      while (tokens_.is_symbol(at, '[')) {
        const std::size_t depth = tokens_[at].depth;
        do ++at;
        while (at < tokens_.size() && tokens_[at].depth != depth);
        if (tokens_.is_symbol(at, ']')) ++at;
      }
      if (!tokens_.is_symbol(at, ',')) break;
      ++at;
    }
    return at;
  }

  // The text of the tokens, with parameters in place of NEW.x and OLD.x.
  std::string replaced(std::size_t first, std::size_t end) {
    std::string text;
    for (std::size_t i = first; i < end; ++i) {
      if (i > first) {
        const sql::Token& before = tokens_[i - 1];
        const std::size_t gap = before.offset + before.size;
        if (tokens_[i].offset > gap) text += " ";
      }
      const bool is_row = is_trigger_ && is_one_of(word(i), {"new", "old"}) &&
                          (i == 0 || !tokens_.is_symbol(i - 1, '.'));
      if (!is_row) {
        text += tokens_.text(i);
        continue;
      }
      const std::string column = tokens_.is_symbol(i + 1, '.') ? name_at(i + 2) : "";
      text_.read.insert(column.empty() ? "*" : column);
      if (column.empty()) {
        text += tokens_.text(i);
        continue;
      }
      text += "$" + std::to_string(place_of({.is_new = word(i) == "new", .column = column}));
      i += 2;
    }
    return text;
  }

  std::size_t place_of(const TriggerValue& value) {
    const auto known = std::ranges::find(text_.values, value);
    const auto place = static_cast<std::size_t>(known - text_.values.begin());
    if (known == text_.values.end()) text_.values.push_back(value);
    return place + 1;
  }

  void add_text(std::string text) {
    if (std::ranges::find(text_.statements, text) == text_.statements.end()) {
      text_.statements.push_back(std::move(text));
    }
  }

  sql::Tokens tokens_;
  bool is_trigger_;
  std::size_t at_ = 0;
  bool is_declaring_ = false;
  RoutineText text_;
};

}  // namespace

RoutineText read_plpgsql(std::string_view body, bool is_trigger) {
  return PlpgsqlReader(body, is_trigger).read();
}

}  // namespace heddle::race
