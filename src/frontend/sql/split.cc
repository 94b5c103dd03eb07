// Splitting at top-level semicolons, as psql does: a semicolon counts unless parentheses are open
// (CREATE RULE ... DO (a; b)) or a routine's BEGIN ATOMIC body is. As in psql such bodies are
// looked for only in CREATE [OR REPLACE] FUNCTION and PROCEDURE, so that BEGIN alone stays a
// statement.
#include "frontend/sql/words/lexer.h"
#include "heddle/statement.h"

namespace heddle {
namespace {

using sql::Tokens;

// Follows the words of one statement.
class RoutineBody {
 public:
  void see(const std::string& word) {
    if (words_ < kHead) head_ += initial_of(word);
    ++words_;
    if (!is_routine()) return;
    if (word == "begin" || (word == "case" && open_ > 0)) ++open_;
    if (word == "end" && open_ > 0) --open_;
  }
  bool is_open() const { return open_ > 0; }

 private:
  static constexpr std::size_t kHead = 4;

  static char initial_of(const std::string& word) {
    for (std::string_view known : {"create", "or", "replace", "function", "procedure"}) {
      if (word == known) return word[0];
    }
    return '-';
  }
  bool is_routine() const {
    return head_.starts_with("cf") || head_.starts_with("cp") || head_.starts_with("corf") ||
           head_.starts_with("corp");
  }

  std::string head_;  // initials of the first words
  std::size_t words_ = 0;
  std::size_t open_ = 0;
};

}  // namespace

std::vector<StatementText> split_statements(std::string_view sql) {
  Tokens tokens(sql);
  std::vector<StatementText> statements;
  RoutineBody body;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    bool ends =
        i == tokens.size() || (tokens.is_symbol(i, ';') && tokens[i].depth == 0 && !body.is_open());
    if (!ends) {
      if (std::string word = tokens.word(i); !word.empty() && tokens[i].depth == 0) body.see(word);
      continue;
    }
    if (i > first) {
      statements.push_back(
          {.offset = tokens[first].offset, .text = std::string(tokens.text(first, i))});
    }
    first = i + 1;
    body = {};
  }
  return statements;
}

}  // namespace heddle
