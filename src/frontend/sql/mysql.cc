#include "frontend/sql/mysql.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::sql {
namespace {

// Follows the words of a routine: its body ends with the END of its first BEGIN. Clients mark the
// end with DELIMITER; drivers send the body as it is.
class MysqlBody {
 public:
  void see(const std::string& word, const std::string& previous) {
    if (words_++ == 0) is_creation_ = word == "create";
    constexpr std::string_view kRoutines[] = {"procedure", "function", "trigger", "event"};
    bool names_routine =
        std::find(std::begin(kRoutines), std::end(kRoutines), word) != std::end(kRoutines);
    if (is_creation_ && open_ == 0 && names_routine) is_routine_ = true;
    if (!is_routine_) return;
    // END IF, END LOOP and the like close what is not counted; END CASE closes a CASE.
    bool closes_uncounted = previous == "end" &&
                            (word == "if" || word == "loop" || word == "while" || word == "repeat");
    if (closes_uncounted) ++open_;
    if (word == "begin" || (word == "case" && open_ > 0 && previous != "end")) ++open_;
    if (word == "end" && open_ > 0) --open_;
  }
  // A body is also open between END and IF.
  bool is_open() const { return open_ > 0; }

 private:
  std::size_t words_ = 0;
  std::size_t open_ = 0;
  bool is_creation_ = false;
  bool is_routine_ = false;
};

// The blanks between two tokens that follow each other in the source, comments left out.
std::string blanks_between(std::string_view sql, std::size_t begin, std::size_t end) {
  std::string_view between = sql.substr(begin, end - begin);
  if (std::all_of(between.begin(), between.end(), is_space)) return std::string(between);
  auto lines = std::count(between.begin(), between.end(), '\n');
  return lines > 0 ? std::string(static_cast<std::size_t>(lines), '\n') : " ";
}

bool is_closing(const std::string& text) { return text == "," || text == ")" || text == ";"; }

bool needs_blank(const std::string& text, const std::string& next) {
  if (text.empty() || is_space(text.back())) return false;
  bool words = continues_word(text.back()) && continues_word(next.front());
  bool comment =
      (text.back() == '-' && next.front() == '-') || (text.back() == '/' && next.front() == '*');
  bool quotes = (text.back() == '\'' || text.back() == '"') && text.back() == next.front();
  bool prefix = next.front() == '\'' && continues_word(text.back());
  return words || comment || quotes || prefix;
}

}  // namespace

bool MysqlStatement::is_word(std::size_t index, std::string_view lower) const {
  return index < size() && tokens_[index].kind == MysqlTokenKind::word &&
         tokens_[index].word == lower && !tokens_[index].text.empty();
}

bool MysqlStatement::is_symbol(std::size_t index, std::string_view symbol) const {
  return index < size() && tokens_[index].kind == MysqlTokenKind::symbol &&
         tokens_[index].text == symbol;
}

bool MysqlStatement::are_words(std::size_t index, std::string_view lower) const {
  while (!lower.empty()) {
    std::string_view word = lower.substr(0, lower.find(' '));
    if (!is_word(index, word) && !is_symbol(index, word)) return false;
    lower.remove_prefix(std::min(word.size() + 1, lower.size()));
    ++index;
  }
  return true;
}

bool MysqlStatement::is_name(std::size_t index) const {
  return index < size() && !tokens_[index].text.empty() &&
         (tokens_[index].kind == MysqlTokenKind::word ||
          tokens_[index].kind == MysqlTokenKind::name);
}

bool MysqlStatement::follows_word(std::size_t index, std::string_view lower) const {
  while (index > 0 && tokens_[index - 1].text.empty()) --index;
  return index > 0 && is_word(index - 1, lower);
}

void MysqlStatement::drop(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, size()); ++i) tokens_[i].text.clear();
}

void MysqlStatement::append(std::string text) {
  MysqlToken token;
  token.text = " " + std::move(text);
  token.offset = tokens_.empty() ? 0 : tokens_.back().offset + tokens_.back().size;
  tokens_.push_back(std::move(token));
}

void MysqlStatement::move(std::size_t begin, std::size_t end, std::size_t to) {
  auto at = [&](std::size_t index) { return tokens_.begin() + static_cast<std::ptrdiff_t>(index); };
  std::rotate(at(to), at(begin), at(end));
}

std::size_t MysqlStatement::after_parenthesis(std::size_t open) const {
  std::size_t depth = 0;
  for (std::size_t i = open; i < size(); ++i) {
    if (is_symbol(i, "(")) ++depth;
    if (is_symbol(i, ")") && --depth == 0) return i + 1;
    if (depth == 0) return i;
  }
  return size();
}

std::size_t MysqlStatement::find_word(std::size_t begin,
                                      const std::vector<std::string_view>& words) const {
  for (std::size_t i = begin; i < size(); ++i) {
    if (is_symbol(i, "(")) {
      i = after_parenthesis(i) - 1;
      continue;
    }
    if (i > 0 && is_symbol(i - 1, ".")) continue;
    for (std::string_view word : words) {
      if (is_word(i, word)) return i;
    }
  }
  return size();
}

std::size_t MysqlStatement::find_symbol(std::size_t begin, std::string_view symbol) const {
  for (std::size_t i = begin; i < size(); ++i) {
    if (is_symbol(i, symbol)) return i;
    if (is_symbol(i, "(")) i = after_parenthesis(i) - 1;
  }
  return size();
}

std::vector<MysqlStatement> split_mysql(std::string_view sql) {
  return split_tokens(lex_mysql(sql));
}

std::vector<MysqlStatement> split_tokens(std::vector<MysqlToken> tokens) {
  std::vector<MysqlStatement> statements;
  std::vector<MysqlToken> current;
  MysqlBody body;
  std::string previous;
  auto finish = [&] {
    if (!current.empty()) statements.emplace_back(std::exchange(current, {}));
    body = {};
    previous.clear();
  };
  for (MysqlToken& token : tokens) {
    if (token.kind == MysqlTokenKind::end && !body.is_open()) {
      finish();
      continue;
    }
    if (token.kind == MysqlTokenKind::word) body.see(token.word, previous);
    previous = token.word;
    if (token.kind == MysqlTokenKind::end) token.kind = MysqlTokenKind::symbol;
    current.push_back(std::move(token));
  }
  finish();
  return statements;
}

std::size_t RewrittenText::source_offset(std::size_t rewritten) const {
  std::size_t source = 0;
  for (const Origin& origin : origins) {
    if (origin.rewritten > rewritten) break;
    source = origin.source;
  }
  return source;
}

RewrittenText render(const MysqlStatement& statement, std::string_view sql) {
  RewrittenText result;
  std::size_t previous_end = kNoOffset;
  bool dropped = false;  // something between the previous token and this one
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const MysqlToken& token = statement[i];
    if (token.text.empty()) {
      dropped = true;
      continue;
    }
    bool follows = !dropped && previous_end <= token.offset;
    if (previous_end != kNoOffset) {
      result.text += follows ? blanks_between(sql, previous_end, token.offset)
                             : std::string(is_closing(token.text) ? "" : " ");
    }
    if (needs_blank(result.text, token.text)) result.text += ' ';
    result.origins.push_back({.rewritten = result.text.size(), .source = token.offset});
    result.text += token.text;
    previous_end = token.offset + token.size;
    dropped = false;
  }
  return result;
}

}  // namespace heddle::sql

namespace heddle {

std::string rewrite_mysql(std::string_view sql) {
  std::vector<std::string> texts;
  for (sql::MysqlStatement& statement : sql::split_mysql(sql)) {
    sql::rewrite_statement(statement);
    texts.push_back(sql::render(statement, sql).text);
  }
  return join(texts, ";\n");
}

}  // namespace heddle
