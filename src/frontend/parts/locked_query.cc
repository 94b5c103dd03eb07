#include "frontend/parts/locked_query.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::parts {

namespace {

using sql::Tokens;

// From the first token of a query to behind its last one.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_word(const Tokens& tokens, std::size_t at, std::string_view word) {
  return at < tokens.size() && tokens.word(at) == word;
}

// The token behind the bracket that closes the one there.
std::size_t behind_brackets(const Tokens& tokens, std::size_t open) {
  for (std::size_t i = open + 1; i < tokens.size(); ++i) {
    if (tokens.is_symbol(i, ')') && tokens[i].depth == tokens[open].depth) return i + 1;
  }
  return tokens.size();
}

// Whether the words come one after the other in the query itself, not in one within it.
bool says(const Tokens& tokens, Range query, const std::vector<std::string_view>& words) {
  const std::uint32_t depth = tokens[query.begin].depth;
  for (std::size_t i = query.begin; i + words.size() <= query.end; ++i) {
    bool are_there = true;
    for (std::size_t k = 0; k < words.size() && are_there; ++k) {
      are_there = tokens[i + k].depth == depth && to_lower(tokens.text(i + k)) == words[k];
    }
    if (are_there) return true;
  }
  return false;
}

bool takes_locks(const Tokens& tokens, Range query) {
  return says(tokens, query, {"for", "update"}) || says(tokens, query, {"for", "no", "key"}) ||
         says(tokens, query, {"for", "share"}) || says(tokens, query, {"for", "key", "share"});
}

bool gives_one_row(const Tokens& tokens, Range query) {
  return says(tokens, query, {"limit", "1"}) || says(tokens, query, {"fetch", "first", "row"}) ||
         says(tokens, query, {"fetch", "first", "1", "row"}) ||
         says(tokens, query, {"fetch", "next", "row"});
}

std::optional<Statement> read(const std::string& text) {
  auto statements = parse_statements(text, Dialect::postgres);
  if (!statements || statements->size() != 1) return std::nullopt;
  return std::move(statements->front());
}

// Whether the query names nothing of the statement around it.
bool stands_alone(const Tokens& tokens, Range query, const Statement& read) {
  for (std::size_t i = query.begin; i + 1 < query.end; ++i) {
    if (!tokens.is_symbol(i + 1, '.') || tokens.word(i).empty()) continue;
    const bool is_known = std::ranges::any_of(read.tables, [&](const TableUse& use) {
      return to_lower(use.alias) == tokens.word(i) || to_lower(use.table) == tokens.word(i) ||
             to_lower(use.schema) == tokens.word(i);
    });
    if (!is_known) return false;
  }
  return true;
}

// The text with some of its tokens said otherwise.
class Rewriting {
 public:
  explicit Rewriting(const Tokens& tokens) : tokens_(tokens) {}

  // Tokens before `begin` stay; those before `end` are said like this.
  void say(std::size_t begin, std::size_t end, const std::string& words) {
    text_ += std::string(tokens_.text(done_, begin)) + " " + words + " ";
    done_ = end;
  }
  void leave_out(std::size_t end) { done_ = end; }
  std::string take() { return text_ + std::string(tokens_.text(done_, tokens_.size())); }

 private:
  const Tokens& tokens_;
  std::string text_;
  std::size_t done_ = 0;
};

// What stands in front of a query that is compared: where that begins; none: something else does.
std::optional<std::size_t> comparison_before(const Tokens& tokens, std::size_t open) {
  if (open < 2) return std::nullopt;
  const auto is_equal = [&](std::size_t at) {
    return tokens.is_symbol(at, '=') && at > 0 && !tokens.is_symbol(at - 1, '<') &&
           !tokens.is_symbol(at - 1, '>') && !tokens.is_symbol(at - 1, '!');
  };
  if (is_equal(open - 1)) return open - 1;
  if (is_word(tokens, open - 1, "any") && is_equal(open - 2)) return open - 2;
  const bool is_in = is_word(tokens, open - 1, "in") && !is_word(tokens, open - 2, "not");
  return is_in ? std::optional(open - 1) : std::nullopt;
}

std::optional<LockedQuery> made_of(const std::string& query, const std::string& rest) {
  auto first = read(query);
  auto second = read(rest);
  if (!first || !second) return std::nullopt;
  return LockedQuery{
      .query = *std::move(first), .rest = *std::move(second), .columns = {}, .needs_row = false};
}

// ... WHERE id = (SELECT id FROM ... FOR UPDATE)
std::optional<LockedQuery> compared_query(const Tokens& tokens, std::size_t parameters) {
  for (std::size_t open = 2; open + 1 < tokens.size(); ++open) {
    if (!tokens.is_symbol(open, '(') || !is_word(tokens, open + 1, "select")) continue;
    const std::size_t behind = behind_brackets(tokens, open);
    const Range query{.begin = open + 1, .end = behind - 1};
    const auto begin = comparison_before(tokens, open);
    if (!begin || query.begin >= query.end) continue;
    const bool is_equal = *begin + 1 == open && tokens.is_symbol(*begin, '=');
    const bool is_one = gives_one_row(tokens, query) || (is_equal && takes_locks(tokens, query));
    if (!is_one) continue;
    Rewriting rest(tokens);
    rest.say(*begin, behind, fmt::format("= ${}", parameters + 1));
    auto made = made_of(std::string(tokens.text(query.begin, query.end)), rest.take());
    if (!made || made->query.output.size() != 1) return std::nullopt;
    if (!stands_alone(tokens, query, made->query)) return std::nullopt;
    made->columns = {0};
    return made;
  }
  return std::nullopt;
}

// WITH next AS (SELECT id FROM ... LIMIT 1 FOR UPDATE) UPDATE ... FROM next WHERE job.id = next.id
class NamedQuery {
 public:
  NamedQuery(const Tokens& tokens, std::size_t parameters)
      : tokens_(tokens), parameters_(parameters) {}

  std::optional<LockedQuery> read() {
    if (!find_query()) return std::nullopt;
    const std::string text(tokens_.text(query_.begin, query_.end));
    const auto query = parts::read(text);
    if (!query || !stands_alone(tokens_, query_, *query)) return std::nullopt;
    output_ = &query->output;
    if (!rewrite()) return std::nullopt;
    auto made = made_of(text, rest_.take());
    if (!made) return std::nullopt;
    made->columns = columns_;
    made->needs_row = true;
    return made;
  }

 private:
  bool find_query() {
    if (!is_word(tokens_, 0, "with") || !is_word(tokens_, 2, "as")) return false;
    name_ = tokens_.word(1);
    std::size_t open = 3;
    if (is_word(tokens_, open, "not")) ++open;
    if (is_word(tokens_, open, "materialized")) ++open;
    if (name_.empty() || open >= tokens_.size() || !tokens_.is_symbol(open, '(')) return false;
    const std::size_t behind = behind_brackets(tokens_, open);
    query_ = {.begin = open + 1, .end = behind - 1};
    if (query_.begin >= query_.end || !is_word(tokens_, query_.begin, "select")) return false;
    const std::string main = behind < tokens_.size() ? tokens_.word(behind) : "";
    rest_.leave_out(behind);
    return gives_one_row(tokens_, query_) &&
           (main == "update" || main == "delete" || main == "insert");
  }

  // False: it is used otherwise.
  bool rewrite() {
    find_alias();
    for (std::size_t i = query_.end + 1; i < tokens_.size();) {
      if (const auto used = rewrite_at(i)) {
        i = *used;
      } else if (tokens_.word(i) == name_) {
        return false;
      } else {
        ++i;
      }
    }
    return is_used_;
  }

  // What the rest calls it.
  void find_alias() {
    alias_ = name_;
    for (std::size_t i = query_.end + 1; i + 1 < tokens_.size(); ++i) {
      if (!(is_word(tokens_, i, "from") || is_word(tokens_, i, "using"))) continue;
      if (tokens_.word(i + 1) != name_) continue;
      const std::size_t at = is_word(tokens_, i + 2, "as") ? i + 3 : i + 2;
      const bool is_alias = at < tokens_.size() && !tokens_.word(at).empty() &&
                            tokens_.word(at) != "where" && tokens_.word(at) != "returning";
      if (is_alias) alias_ = tokens_.word(at);
      return;
    }
  }

  // Where it is used there, the token behind that.
  std::optional<std::size_t> rewrite_at(std::size_t at) {
    if (const auto behind = rewrite_subquery(at)) return behind;
    if (const auto behind = rewrite_list(at)) return behind;
    const bool is_column = (tokens_.word(at) == alias_ || tokens_.word(at) == name_) &&
                           at + 2 < tokens_.size() && tokens_.is_symbol(at + 1, '.');
    if (!is_column) return std::nullopt;
    const auto parameter = parameter_of(tokens_.word(at + 2));
    if (!parameter) return std::nullopt;
    rest_.say(at, at + 3, *parameter);
    return at + 3;
  }

  // = (SELECT id FROM next)
  std::optional<std::size_t> rewrite_subquery(std::size_t at) {
    if (!tokens_.is_symbol(at, '(') || !is_word(tokens_, at + 1, "select")) return std::nullopt;
    const bool is_plain = at + 5 < tokens_.size() && is_word(tokens_, at + 3, "from") &&
                          tokens_.word(at + 4) == name_ && tokens_.is_symbol(at + 5, ')');
    const auto begin = comparison_before(tokens_, at);
    if (!is_plain || !begin) return std::nullopt;
    const auto parameter = parameter_of(tokens_.word(at + 2));
    if (!parameter) return std::nullopt;
    rest_.say(*begin, at + 6, "= " + *parameter);
    is_used_ = true;
    return at + 6;
  }

  // FROM next, alone
  std::optional<std::size_t> rewrite_list(std::size_t at) {
    const bool begins = is_word(tokens_, at, "from") || is_word(tokens_, at, "using");
    if (!begins || at + 1 >= tokens_.size() || tokens_.word(at + 1) != name_) return std::nullopt;
    std::size_t behind = at + 2;
    if (is_word(tokens_, behind, "as")) ++behind;
    if (alias_ != name_) ++behind;
    const bool is_alone = behind >= tokens_.size() || is_word(tokens_, behind, "where") ||
                          is_word(tokens_, behind, "returning") || is_word(tokens_, behind, "on") ||
                          tokens_.is_symbol(behind, ';');
    if (!is_alone) return std::nullopt;
    rest_.say(at, behind, "");
    is_used_ = true;
    return behind;
  }

  std::optional<std::string> parameter_of(const std::string& column) {
    const auto known = std::ranges::find(*output_, column, &OutputColumn::name);
    if (column.empty() || known == output_->end()) return std::nullopt;
    const auto at = static_cast<std::size_t>(known - output_->begin());
    auto used = std::ranges::find(columns_, at);
    if (used == columns_.end()) used = columns_.insert(columns_.end(), at);
    return fmt::format("${}", parameters_ + 1 + static_cast<std::size_t>(used - columns_.begin()));
  }

  const Tokens& tokens_;
  std::size_t parameters_;
  std::string name_;
  std::string alias_;
  Range query_;
  const std::vector<OutputColumn>* output_ = nullptr;
  std::vector<std::size_t> columns_;
  Rewriting rest_{tokens_};
  bool is_used_ = false;
};

}  // namespace

std::optional<LockedQuery> locked_query_in(const std::string& text, std::size_t parameters) {
  const Tokens tokens(text);
  if (tokens.size() == 0) return std::nullopt;
  if (is_word(tokens, 0, "with")) return NamedQuery(tokens, parameters).read();
  const std::string kind = tokens.word(0);
  if (kind != "update" && kind != "delete") return std::nullopt;
  return compared_query(tokens, parameters);
}

}  // namespace heddle::parts
