#include "frontend/marks/jdbc_sites.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/marks/scan.h"
#include "frontend/marks/sql_words.h"

namespace heddle::marks {

namespace {

constexpr std::array<std::string_view, 6> kExecutions = {"executeQuery",       "executeUpdate",
                                                         "executeLargeUpdate", "execute",
                                                         "executeBatch",       "executeLargeBatch"};
constexpr std::array<std::string_view, 3> kPreparations = {"prepareStatement", "createStatement",
                                                           "prepareCall"};

bool is_statement_type(std::string_view type) {
  return type.ends_with("Statement") && type.find('.') == std::string_view::npos;
}

class SiteFinder {
 public:
  SiteFinder(const ScannedText& scanned, const Language& language, const Declared& declared)
      : scanned_(scanned),
        declared_(declared),
        code_(scanned.code),
        variables_(variables_of(scanned, language)) {}

  std::vector<JdbcSite> find() {
    if (!uses_jdbc()) return {};
    for (const std::string_view name : kExecutions) {
      for (std::size_t at = find_word(code_, name); at != std::string_view::npos;
           at = find_word(code_, name, at + name.size())) {
        if (is_execution(name, at)) add(at, false);
      }
    }
    find_handed_over();
    std::ranges::sort(sites_, {}, &JdbcSite::offset);
    return std::move(sites_);
  }

 private:
  bool uses_jdbc() const {
    const auto is_there = [&](std::string_view word) {
      return find_word(code_, word) != std::string_view::npos;
    };
    return code_.find("java.sql") != std::string_view::npos ||
           code_.find("javax.sql") != std::string_view::npos ||
           std::ranges::any_of(kPreparations, is_there) || is_there("getPreparedStatement");
  }

  std::string_view type_of(std::string_view name) const {
    const auto found = std::ranges::find(variables_, name, &DeclaredVariable::name);
    return found == variables_.end() ? std::string_view() : found->type;
  }

  // x.executeQuery(...), where x is a statement and no class of the program.
  bool is_execution(std::string_view name, std::size_t at) const {
    std::size_t dot = at;
    while (dot > 0 && is_blank(code_[dot - 1])) --dot;
    if (dot == 0 || code_[dot - 1] != '.') return false;
    std::size_t open = at + name.size();
    while (open < code_.size() && is_blank(code_[open])) ++open;
    if (open >= code_.size() || code_[open] != '(') return false;
    std::size_t end = dot - 1;
    while (end > 0 && is_blank(code_[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_word_character(code_[begin - 1])) --begin;
    const std::string_view receiver = code_.substr(begin, end - begin);
    if (is_statement_type(type_of(receiver))) return true;
    const std::size_t statement = statement_begin(code_, at);
    const std::string_view before = code_.substr(statement, at - statement);
    const bool is_prepared = std::ranges::any_of(kPreparations, [&](std::string_view word) {
      return find_word(before, word) != std::string_view::npos;
    });
    if (is_prepared) return true;
    // Many things are executed that are no statements.
    const bool has_other_type = !type_of(receiver).empty() && type_of(receiver) != "var";
    return name != "execute" && !has_other_type && !declared_.methods.contains(name);
  }

  void add(std::size_t at, bool hands_over) {
    const std::size_t begin = statement_begin(code_, at);
    std::size_t end = code_.find(';', at);
    if (end == std::string_view::npos) end = at;
    sites_.push_back({.offset = at,
                      .first_line = scanned_.line_of(begin),
                      .last_line = scanned_.line_of(std::min(end, code_.size() - 1)),
                      .hands_over = hands_over,
                      .defines = only_defines(begin, end)});
  }

  bool only_defines(std::size_t begin, std::size_t end) const {
    bool defines = false;
    for (const Literal& literal : scanned_.literals) {
      if (literal.begin < begin || literal.begin > end) continue;
      const SqlKind kind = sql_kind(literal.text);
      if (kind == SqlKind::data) return false;
      defines = defines || kind == SqlKind::definition;
    }
    return defines;
  }

  // f(connection), new F(dataSource), where no file declares f.
  void find_handed_over() {
    for (const DeclaredVariable& one : variables_) {
      if (one.type != "Connection" && one.type != "DataSource") continue;
      for (std::size_t at = find_word(code_, one.name); at != std::string_view::npos;
           at = find_word(code_, one.name, at + one.name.size())) {
        if (is_handed_over(one.name, at)) add(at, true);
      }
    }
  }

  bool is_handed_over(std::string_view name, std::size_t at) const {
    std::size_t end = at + name.size();
    while (end < code_.size() && is_blank(code_[end])) ++end;
    if (end >= code_.size() || (code_[end] != ',' && code_[end] != ')')) return false;
    std::size_t before = at;
    if (code_.substr(0, before).ends_with("this.")) before -= 5;
    while (before > 0 && is_blank(code_[before - 1])) --before;
    if (before == 0 || (code_[before - 1] != ',' && code_[before - 1] != '(')) return false;
    std::size_t depth = 0;
    for (std::size_t i = before; i-- > 0;) {
      if (code_[i] == ')') ++depth;
      if (code_[i] == ';' || code_[i] == '{' || code_[i] == '}') return false;
      if (code_[i] != '(') continue;
      if (depth == 0) return takes_database(i);
      --depth;
    }
    return false;
  }

  // Whether what is called with the parenthesis may send something to the database.
  bool takes_database(std::size_t paren) const {
    std::size_t end = paren;
    while (end > 0 && is_blank(code_[end - 1])) --end;
    if (end > 0 && code_[end - 1] == '>') end = code_.rfind('<', end);
    if (end == std::string_view::npos) return false;
    std::size_t begin = end;
    while (begin > 0 && is_word_character(code_[begin - 1])) --begin;
    const std::string_view name = code_.substr(begin, end - begin);
    if (name.empty() || declared_.methods.contains(name)) return false;
    // What goes on behind keywords, into collections, or only keeps, wraps or closes it.
    static constexpr std::string_view kHarmless =
        " if for while switch try catch return synchronized super this add put set push offer "
        "remove release accept run close closeQuietly requireNonNull notNull assertNotNull println "
        "print format equals of ofNullable releaseConnection doReleaseConnection "
        "closeConnection closeResources getConnection doGetConnection commitAndClose "
        "commitAndCloseQuietly rollbackAndClose rollbackAndCloseQuietly rollbackQuietly rollback "
        "commit returnConnection setDataSource dataSource info debug warn error trace log "
        "isConnectionTransactional bindResource apply test getPreparedStatementReturnKeys ";
    if (kHarmless.find(" " + std::string(name) + " ") != std::string_view::npos) return false;
    static constexpr std::array<std::string_view, 7> kHarmlessEndings = {
        "DataSource", "TransactionManager", "Proxy", "Connection", "Statement",
        "Pool",       "Procedure"};
    if (std::ranges::any_of(kHarmlessEndings,
                            [&](std::string_view end_of) { return name.ends_with(end_of); })) {
      return false;
    }
    // A declaration, whose parameter it is: void f(Connection c). A call has no type before it.
    while (begin > 0 && is_blank(code_[begin - 1])) --begin;
    std::size_t word = begin;
    while (word > 0 && is_word_character(code_[word - 1])) --word;
    const std::string_view before = code_.substr(word, begin - word);
    return before.empty() || before == "return" || before == "new" || before == "throw" ||
           before == "else" || before == "assert" || before == "yield" || before == "case";
  }

  const ScannedText& scanned_;
  const Declared& declared_;
  std::string_view code_;
  std::vector<DeclaredVariable> variables_;
  std::vector<JdbcSite> sites_;
};

}  // namespace

std::vector<JdbcSite> jdbc_sites(const ScannedText& scanned, const Language& language,
                                 const Declared& declared) {
  return SiteFinder(scanned, language, declared).find();
}

}  // namespace heddle::marks
