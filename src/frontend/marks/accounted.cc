#include "frontend/marks/accounted.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "frontend/marks/scan.h"
#include "program/redis_commands.h"
#include "program/visit.h"

namespace heddle::marks {

namespace {

// Paths that mean the same: ./a/b.java and a/b.java.
std::string plain(const std::string& file) {
  return std::filesystem::path(file).lexically_normal().string();
}

bool has_between(const std::map<std::string, std::set<std::uint32_t>, std::less<>>& lines,
                 const std::string& file, std::uint32_t first, std::uint32_t last) {
  const auto found = lines.find(plain(file));
  if (found == lines.end()) return false;
  const auto at = found->second.lower_bound(first);
  return at != found->second.end() && *at <= last;
}

// Of Statement::tables that is empty, and so nobody knows what it is about.
bool may_use_any_table(const Statement& statement) {
  if (!statement.tables.empty()) return false;
  switch (statement.kind) {
    case StatementKind::other:
    case StatementKind::call:
      return true;
    default:
      return statement.calls_unknown_function;
  }
}

std::string shown(const ProgramStatement& statement) {
  constexpr std::size_t kLongest = 72;
  std::string text = statement.approximated.empty() ? program::shown_statement(statement)
                                                    : statement.approximated.front();
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

// Whether the name of the table is put in while the program runs. `sql` is in lower case.
bool has_open_table(std::string_view sql) {
  for (const std::string_view word : {"from", "into", "update", "join"}) {
    for (std::size_t at = find_word(sql, word); at != std::string_view::npos;
         at = find_word(sql, word, at + 1)) {
      const std::string_view name = trim(sql.substr(at + word.size()));
      if (name.empty() || std::string_view("%?{$:").find(name[0]) != std::string_view::npos) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

AccountedLines::AccountedLines(const Program& program) {
  for (const Functionality& one : program.functionalities) {
    functionalities_[plain(one.source.file)].insert(one.source.position.line);
    add(one.body);
  }
}

void AccountedLines::add(const Block& block) {
  // Blocks are as deep as their readers allow, which is bounded.
  for (const Action& action : block) {
    if (const ProgramStatement* statement = program::statement_of(action)) add(*statement);
    program::for_each_block(action, [&](const Block& inner) { add(inner); });
  }
}

void AccountedLines::add(const ProgramStatement& statement) {
  statements_[plain(statement.source.file)].insert(statement.source.position.line);
  const std::string verb(to_string(statement.statement.kind));
  for (const TableUse& use : statement.statement.tables) {
    verbs_.insert(verb + " " + to_lower(use.table));
  }
  for (const std::string& what : statement.approximated) {
    if (what.ends_with("()")) opaque_calls_.insert(what.substr(0, what.size() - 2));
  }
}

void AccountedLines::add_followed(const SourceLocation& place) {
  followed_[plain(place.file)].insert(place.position.line);
}

bool AccountedLines::has_followed(const std::string& file, std::uint32_t line) const {
  return has_between(followed_, file, line, line);
}

bool AccountedLines::has_statement(const std::string& file, std::uint32_t first,
                                   std::uint32_t last) const {
  return has_between(statements_, file, first, last);
}

bool AccountedLines::has_functionality(const std::string& file, std::uint32_t first,
                                       std::uint32_t last) const {
  return has_between(functionalities_, file, first, last);
}

bool AccountedLines::has_statement_like(std::string_view sql) const {
  const std::string text = to_lower(trim(sql));
  std::size_t end = 0;
  while (end < text.size() && is_word_character(text[end])) ++end;
  const std::string verb = text.substr(0, end) == "with" ? "select" : text.substr(0, end);
  if (has_open_table(text)) {
    const auto same = verbs_.lower_bound(verb + " ");
    return same != verbs_.end() && same->starts_with(verb + " ");
  }
  for (std::size_t at = end; at < text.size(); ++at) {
    if (!is_word_character(text[at])) continue;
    std::size_t last = at;
    while (last < text.size() && is_word_character(text[last])) ++last;
    if (verbs_.contains(verb + " " + text.substr(at, last - at))) return true;
    at = last;
  }
  return false;
}

namespace {

class ReadCounter {
 public:
  explicit ReadCounter(bool knows_tables) : knows_tables_(knows_tables) {}

  ReadCounts count(const Functionality& functionality) {
    counts_ = {};
    add(functionality.body);
    return counts_;
  }
  std::vector<UnreadPlace>& lost() { return lost_; }

 private:
  void add(const Block& block) {
    for (const Action& action : block) {
      if (const ProgramStatement* statement = program::statement_of(action)) add(*statement);
      program::for_each_block(action, [&](const Block& inner) { add(inner); });
    }
  }

  void add(const ProgramStatement& one) {
    const bool is_any = may_use_any_table(one.statement);
    if (!is_any || knows_tables_) {
      ++(is_any || !one.approximated.empty() ? counts_.approximately : counts_.exactly);
      return;
    }
    ++counts_.not_at_all;
    UnreadPlace place{.file = one.source.file, .position = one.source.position, .what = shown(one)};
    if (seen_.emplace(place.file, place.position.line, place.what).second) {
      lost_.push_back(std::move(place));
    }
  }

  bool knows_tables_;
  ReadCounts counts_;
  std::vector<UnreadPlace> lost_;
  std::set<std::tuple<std::string, std::uint32_t, std::string>> seen_;
};

}  // namespace

void count_read(const Program& program, Coverage& coverage) {
  ReadCounter counter(!program.schema.tables.empty());
  for (const Functionality& functionality : program.functionalities) {
    const ReadCounts here = counter.count(functionality);
    coverage.statements.exactly += here.exactly;
    coverage.statements.approximately += here.approximately;
    coverage.statements.not_at_all += here.not_at_all;
    const bool is_lost = here.not_at_all > 0 && here.exactly + here.approximately == 0;
    ReadCounts& all = coverage.functionalities;
    ++(is_lost                                    ? all.not_at_all
       : here.not_at_all + here.approximately > 0 ? all.approximately
                                                  : all.exactly);
  }
  if (counter.lost().empty()) return;
  coverage.unread.push_back(
      {.technology = "statements that may do anything, to tables that nobody knows",
       .what_to_do = "give the tables: a .sql file with CREATE TABLE, or --schema=ADDRESS",
       .places = std::move(counter.lost())});
}

}  // namespace heddle::marks
