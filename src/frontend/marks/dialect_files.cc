#include "frontend/marks/dialect_files.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/marks/language.h"
#include "frontend/marks/scan.h"
#include "frontend/marks/sql_marks.h"

namespace heddle::marks {

namespace {

// A database as paths name it, in the order in which it is preferred where no dialect is given.
struct Database {
  std::string_view name;
  std::string_view words;  // between blanks
  std::optional<Dialect> dialect;
};
constexpr std::string_view kNoName = "files that name no database";
constexpr Database kDatabases[] = {
    {"PostgreSQL", " postgres postgresql pg psql pgsql ", Dialect::postgres},
    {kNoName, "", std::nullopt},
    {"MySQL", " mysql mariadb ", Dialect::mysql},
    {"SQLite", " sqlite sqlite3 ", Dialect::sqlite},
    {"H2", " h2 ", std::nullopt},
    {"HSQLDB", " hsqldb hsql ", std::nullopt},
    {"Derby", " derby ", std::nullopt},
    {"Oracle", " oracle ", std::nullopt},
    {"SQL Server", " sqlserver mssql tsql ", std::nullopt},
    {"Db2", " db2 ", std::nullopt},
    {"Firebird", " firebird ", std::nullopt},
    {"Sybase", " sybase ", std::nullopt},
};

const Database* by_dialect(Dialect dialect) {
  return std::ranges::find(kDatabases, std::optional(dialect), &Database::dialect);
}

// Whether some word of the path names a database.
const Database* by_path(std::string_view path) {
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (!is_word_character(path[at]) || path[at] == '_') continue;
    std::size_t end = at;
    while (end < path.size() && is_word_character(path[end]) && path[end] != '_') ++end;
    const std::string word = " " + to_lower(path.substr(at, end - at)) + " ";
    const auto* const found = std::ranges::find_if(kDatabases, [&](const Database& one) {
      return one.words.find(word) != std::string_view::npos;
    });
    if (found != std::end(kDatabases)) return found;
    at = end;
  }
  return nullptr;
}

// The folders that all paths begin with say nothing.
std::size_t common_folders(const std::vector<SourceText>& files) {
  std::string_view common = files.front().file;
  for (const SourceText& one : files) {
    const auto end = std::ranges::mismatch(common, one.file).in1;
    common = common.substr(0, static_cast<std::size_t>(end - common.begin()));
  }
  const std::size_t slash = common.rfind('/');
  return slash == std::string_view::npos ? 0 : slash + 1;
}

class DialectChooser {
 public:
  DialectChooser(const std::vector<SourceText>& files, const std::set<std::string>& named)
      : files_(files), named_(named) {
    const std::size_t skipped = common_folders(files);
    const Language& sql = *language_of("x.sql");
    for (const SourceText& file : files) {
      const Database* database = by_path(std::string_view(file.file).substr(skipped));
      databases_.push_back(database == nullptr ? by_text(file.text) : database);
      tables_.emplace_back();
      for (const SqlMark& mark : sql_marks(scan(file.text, sql))) {
        if (mark.kind == SqlMarkKind::table) tables_.back().insert(mark.name);
      }
    }
  }

  std::optional<DialectChoice> choose(std::optional<Dialect> given) const {
    std::set<const Database*> rivals = rivals_for_tables();
    if (rivals.size() < 2) return std::nullopt;
    const Database* kept = *rivals.begin();  // in the order of the table
    if (given && rivals.contains(by_dialect(*given))) kept = by_dialect(*given);
    DialectChoice choice{.left_out = {}, .dialect = kept->dialect, .remark = {}};
    std::set<std::string> names;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const bool is_rival = databases_[i] != kept && rivals.contains(databases_[i]);
      // What names no database may be for all of them, unless it has their tables, too.
      const bool is_for_all = databases_[i]->name == kNoName && !shares_tables(i, kept);
      if (!is_rival || is_for_all || named_.contains(files_[i].file)) continue;
      choice.left_out.insert(files_[i].file);
      names.emplace(databases_[i]->name);
    }
    if (choice.left_out.empty()) return std::nullopt;
    choice.remark = fmt::format(
        "the tables are there for several databases: those for {} are read, and {} for {} left "
        "out; --dialect or --exclude says otherwise",
        kept->name == kNoName ? "none by name" : kept->name,
        choice.left_out.size() == 1 ? "1 file" : fmt::format("{} files", choice.left_out.size()),
        join({names.begin(), names.end()}, ", "));
    return choice;
  }

 private:
  static const Database* by_text(std::string_view text) {
    const std::optional<Dialect> dialect = recognise_dialect(text);
    if (dialect) return by_dialect(*dialect);
    return std::ranges::find(kDatabases, kNoName, &Database::name);
  }

  // Databases whose files define a table that another one's define, too.
  std::set<const Database*> rivals_for_tables() const {
    std::map<std::string, std::set<const Database*>> of_table;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      for (const std::string& table : tables_[i]) of_table[table].insert(databases_[i]);
    }
    std::set<const Database*> rivals;
    for (const auto& [table, databases] : of_table) {
      if (databases.size() > 1) rivals.insert(databases.begin(), databases.end());
    }
    return rivals;
  }

  bool shares_tables(std::size_t file, const Database* with) const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (databases_[i] != with) continue;
      for (const std::string& table : tables_[file]) {
        if (tables_[i].contains(table)) return true;
      }
    }
    return false;
  }

  const std::vector<SourceText>& files_;
  const std::set<std::string>& named_;
  std::vector<const Database*> databases_;  // of each file
  std::vector<std::set<std::string>> tables_;
};

}  // namespace

std::string_view database_of(std::string_view path) {
  const Database* database = by_path(path);
  return database == nullptr ? std::string_view() : database->name;
}

std::optional<DialectChoice> choose_dialect_files(const std::vector<SourceText>& files,
                                                  const std::set<std::string>& named,
                                                  std::optional<Dialect> given) {
  if (files.size() < 2) return std::nullopt;
  return DialectChooser(files, named).choose(given);
}

}  // namespace heddle::marks
