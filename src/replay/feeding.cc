// A scan over the tokens with a stack of open parentheses and CASEs. Each level knows whether what
// stands in it feeds the value: not the arguments of count(), not what follows FROM in a subquery,
// not what stands between WHEN and THEN.
#include "replay/feeding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/text.h"
#include "frontend/spec/text/sql_token.h"
#include "frontend/spec/variables.h"

namespace heddle {
namespace {

constexpr std::string_view kPlaceholder = "heddle_variable_";

struct GeneratorWord {
  std::string_view word;
  bool is_call;  // counts only with an opening parenthesis
  std::string_view generator;
};

constexpr auto kGenerators = std::to_array<GeneratorWord>({
    {"nextval", true, "sequence"},
    {"currval", true, "sequence"},
    {"lastval", true, "sequence"},
    {"last_insert_id", true, "sequence"},
    {"last_insert_rowid", true, "sequence"},
    {"now", true, "clock"},
    {"clock_timestamp", true, "clock"},
    {"statement_timestamp", true, "clock"},
    {"transaction_timestamp", true, "clock"},
    {"timeofday", true, "clock"},
    {"sysdate", true, "clock"},
    {"curdate", true, "clock"},
    {"curtime", true, "clock"},
    {"utc_date", true, "clock"},
    {"utc_time", true, "clock"},
    {"utc_timestamp", true, "clock"},
    {"unix_timestamp", true, "clock"},
    {"current_timestamp", false, "clock"},
    {"current_date", false, "clock"},
    {"current_time", false, "clock"},
    {"localtime", false, "clock"},
    {"localtimestamp", false, "clock"},
    {"random", true, "random"},
    {"random_normal", true, "random"},
    {"rand", true, "random"},
    {"randomblob", true, "random"},
    {"gen_random_uuid", true, "random"},
    {"gen_random_bytes", true, "random"},
    {"uuid_generate_v1", true, "random"},
    {"uuid_generate_v1mc", true, "random"},
    {"uuid_generate_v4", true, "random"},
    {"uuid", true, "random"},
    {"uuid_short", true, "random"},
    {"pg_backend_pid", true, "session"},
    {"connection_id", true, "session"},
    {"txid_current", true, "session"},
    {"txid_current_if_assigned", true, "session"},
    {"pg_current_xact_id", true, "session"},
    {"pg_current_xact_id_if_assigned", true, "session"},
});

// What stands in the parentheses after these words does not feed the value.
constexpr auto kCutCalls = std::to_array<std::string_view>(
    {"count", "exists", "over", "filter", "row_number", "rank", "dense_rank", "ntile"});

// What ends the list of a subquery's results.
constexpr auto kCutClauses = std::to_array<std::string_view>(
    {"from", "where", "group", "having", "order", "limit", "offset", "window", "for"});

template <std::size_t count>
bool is_among(std::string_view word, const std::array<std::string_view, count>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct Word {
  SqlToken::Kind kind = SqlToken::Kind::symbol;
  std::string text;  // words in lower case; identifiers and literals without their quotes
  bool is_literal = false;
};

std::string without_quotes(std::string_view text) {
  return text.size() < 2 ? std::string(text) : std::string(text.substr(1, text.size() - 2));
}

std::vector<Word> read_words(std::string_view expression) {
  using Kind = SqlToken::Kind;
  std::vector<Word> words;
  for (std::size_t offset = 0; offset < expression.size();) {
    const SqlToken token = sql_token_at(expression, offset);
    offset += token.text.size();
    if (token.kind == Kind::space || token.kind == Kind::comment) continue;
    Word& word = words.emplace_back();
    word.kind = token.kind;
    if (token.kind == Kind::word) {
      word.text = to_lower(token.text);
    } else if (token.kind == Kind::quoted) {
      word.is_literal = token.text.front() != '"' && token.text.front() != '`';
      word.text = without_quotes(token.text);
      if (!word.is_literal) word.kind = Kind::word;
    } else {
      word.text = token.name.empty() ? token.text : token.name;
    }
  }
  return words;
}

// A pair of parentheses, or CASE ... END.
struct Level {
  bool is_case = false;
  bool is_subquery = false;
  bool outer_feeds = true;
  bool is_cut = false;

  bool feeds() const { return outer_feeds && !is_cut; }
};

class FeedingScan {
 public:
  explicit FeedingScan(std::string_view expression) : words_(read_words(expression)) {}

  FeedingParts run() {
    for (next_ = 0; next_ < words_.size(); ++next_) {
      if (words_[next_].kind == SqlToken::Kind::word) {
        take_word();
      } else {
        take_other();
      }
    }
    return std::move(parts_);
  }

 private:
  const std::string& text_at(std::size_t index) const {
    static const std::string none;
    return index < words_.size() && !words_[index].is_literal ? words_[index].text : none;
  }
  bool feeds() const { return levels_.back().feeds(); }

  void take_other() {
    const Word& word = words_[next_];
    const bool is_variable = word.kind == SqlToken::Kind::variable ||
                             word.kind == SqlToken::Kind::variable_literal ||
                             word.kind == SqlToken::Kind::variable_identifier;
    if (is_variable || word.is_literal) {
      if (is_variable && feeds()) parts_.variables.insert(word.text);
      if (word.is_literal) take_placeholder(word.text);
    } else if (word.text == "(") {
      const bool is_cut = next_ > 0 && is_among(text_at(next_ - 1), kCutCalls);
      levels_.push_back({.outer_feeds = feeds() && !is_cut});
    } else if (word.text == ")") {
      close(false);
    } else if (word.text == "*" && feeds()) {
      const bool is_all = words_.size() == 1 || (next_ > 0 && text_at(next_ - 1) == ".") ||
                          (next_ > 0 && text_at(next_ - 1) == "select");
      if (is_all) parts_.columns.insert("*");
    }
  }

  void take_word() {
    const std::string& text = words_[next_].text;
    Level& level = levels_.back();
    if (text == "case") {
      levels_.push_back({.is_case = true, .outer_feeds = feeds(), .is_cut = true});
    } else if (level.is_case && (text == "when" || text == "then" || text == "else")) {
      level.is_cut = text == "when";
    } else if (level.is_case && text == "end") {
      close(true);
    } else if (text == "select") {
      level.is_subquery = true;
      level.is_cut = false;
    } else if (level.is_subquery && is_among(text, kCutClauses)) {
      level.is_cut = true;
    } else if (!take_placeholder(text) && !take_generator(text)) {
      take_column(text);
    }
  }

  // Closes up to the innermost level of the kind; a text that does not balance closes none.
  void close(bool is_case) {
    for (std::size_t i = levels_.size() - 1; i > 0; --i) {
      if (levels_[i].is_case != is_case) continue;
      levels_.resize(i);
      return;
    }
  }

  bool take_placeholder(const std::string& text) {
    if (!text.starts_with(kPlaceholder)) return false;
    if (feeds()) parts_.variables.insert(text.substr(kPlaceholder.size()));
    return true;
  }

  bool take_generator(const std::string& text) {
    const bool is_call = text_at(next_ + 1) == "(";
    const auto* found =
        std::find_if(kGenerators.begin(), kGenerators.end(), [&](const GeneratorWord& generator) {
          return generator.word == text && (is_call || !generator.is_call);
        });
    if (found == kGenerators.end()) return false;
    parts_.mentions_generator = true;
    if (!feeds()) return true;
    const bool names_sequence =
        found->generator == "sequence" && next_ + 2 < words_.size() && words_[next_ + 2].is_literal;
    parts_.generators.insert(names_sequence ? sequence_generator(words_[next_ + 2].text)
                                            : std::string(found->generator));
    return true;
  }

  void take_column(const std::string& text) {
    const std::string& after = text_at(next_ + 1);
    const bool is_type = next_ > 0 && text_at(next_ - 1).ends_with(':');
    if (feeds() && !is_type && after != "(" && after != ".") parts_.columns.insert(text);
  }

  std::vector<Word> words_;
  std::size_t next_ = 0;
  std::vector<Level> levels_ = {Level{}};
  FeedingParts parts_;
};

}  // namespace

FeedingParts feeding_parts(std::string_view expression) { return FeedingScan(expression).run(); }

std::string sequence_generator(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '"' && c != '\'') plain += c;
  }
  plain = to_lower(plain);
  if (plain.starts_with("public.")) plain.erase(0, 7);
  return "sequence " + plain;
}

std::string variable_placeholder(std::string_view name) {
  return std::string(kPlaceholder) + std::string(name);
}

bool has_placeholder(std::string_view text) { return text.find(kPlaceholder) != text.npos; }

std::string with_placeholders(std::string_view sql) {
  return with_placeholders(sql, [](const std::string&) { return true; });
}

std::string with_placeholders(std::string_view sql,
                              const std::function<bool(const std::string&)>& may_be_set) {
  Variables placeholders;
  for (const std::string& name : mentioned_variables(sql)) {
    if (may_be_set(name)) placeholders[name] = variable_placeholder(name);
  }
  return substitute_variables(sql, placeholders);
}

}  // namespace heddle
