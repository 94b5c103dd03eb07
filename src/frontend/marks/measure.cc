#include "frontend/marks/measure.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "frontend/marks/accounted.h"
#include "frontend/marks/java_outline.h"
#include "frontend/marks/jdbc_sites.h"
#include "frontend/marks/marks.h"
#include "frontend/marks/sql_marks.h"
#include "frontend/marks/sql_words.h"

namespace heddle::marks {

namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 20;

constexpr std::string_view kRedis = "Redis";
// What belongs to clients of Redis that are not followed.
constexpr std::array<std::string_view, 4> kOtherClients = {"org.redisson", "Reactive", "Async",
                                                           "RedisRepository"};

// Whether an import names something of a client that is followed where it is called.
bool is_read_client(std::string_view line) {
  static constexpr std::array<std::string_view, 14> kNames = {".Jedis;",
                                                              ".JedisPool;",
                                                              ".JedisPoolConfig;",
                                                              ".JedisPooled;",
                                                              ".UnifiedJedis;",
                                                              ".RedisClient;",
                                                              ".RedisURI;",
                                                              ".RedisCommands;",
                                                              ".StatefulRedisConnection;",
                                                              ".RedisTemplate;",
                                                              ".StringRedisTemplate;",
                                                              ".RedisConnectionFactory;",
                                                              ".SetParams;",
                                                              ".SetArgs;"};
  return std::ranges::any_of(
      kNames, [&](std::string_view name) { return line.find(name) != std::string_view::npos; });
}

struct MeasuredFile {
  std::string path;
  const Language* language = nullptr;
};

// A method that no functionality accounts for, which may be one that a statement stands for.
struct OpenSite {
  std::string file;
  Place place;
  std::string method;
};

class CoverageMeter {
 public:
  CoverageMeter(const Program& program, const std::vector<std::string>& files,
                const std::vector<SourceLocation>& followed)
      : program_(program), accounted_(program) {
    for (const SourceLocation& place : followed) accounted_.add_followed(place);
    for (const std::string& file : std::set<std::string>(files.begin(), files.end())) {
      if (const Language* language = language_of(file)) files_.push_back({file, language});
    }
  }

  Coverage measure() {
    coverage_.is_measured = true;
    note_large_files();
    for_each_file([this](const MeasuredFile& file, const ScannedText& scanned) {
      if (is_jvm(file)) declare_types(scanned, *file.language, declared_);
      if (file.language->family == Family::xml) declare_mapped(scanned, declared_);
    });
    for_each_file([this](const MeasuredFile& file, const ScannedText& scanned) {
      if (file.language->family == Family::sql) return look_at_sql(file, scanned);
      const std::vector<Place> places = find_places(scanned, *file.language, declared_);
      for (const Place& place : places) {
        if (!is_followed(file, scanned, place)) add(file.path, place);
      }
      if (file.language->family == Family::java) look_at_java(file, scanned, places);
    });
    settle_open_sites();
    settle_outside_statements();
    note_left_out();
    count_read(program_, coverage_);
    move_groups();
    return std::move(coverage_);
  }

 private:
  static bool is_jvm(const MeasuredFile& file) {
    return file.language->family == Family::java || file.language->family == Family::jvm;
  }

  template <class See>
  void for_each_file(See see) const {
    for (const MeasuredFile& file : files_) {
      const Result<std::string> text = read_file(file.path, kLargestFile);
      if (text) see(file, scan(*text, *file.language));
    }
  }

  void note_large_files() {
    for (const MeasuredFile& file : files_) {
      std::error_code error;
      const std::uintmax_t size = std::filesystem::file_size(file.path, error);
      // A dump of tables is SQL of any size, which its reader reads.
      if (error || size <= kLargestFile || file.language->family == Family::sql) continue;
      add(file.path, {}, "files that are too large to be looked at", "leave them out by name");
    }
  }

  // A call of a client of Redis that is a statement of the program, or leads to one.
  bool is_followed(const MeasuredFile& file, const ScannedText& scanned, const Place& place) const {
    if (file.language->family != Family::java || place.technology != kRedis) return false;
    const std::string line = scanned.excerpt(place.line);
    // The import stands for a file without a call.
    if (line.starts_with("import ")) {
      const bool has_others = std::ranges::any_of(kOtherClients, [&](std::string_view word) {
        return scanned.code.find(word) != std::string::npos;
      });
      return !has_others && is_read_client(line);
    }
    return accounted_.has_followed(file.path, place.line) ||
           accounted_.has_statement(file.path, place.line, place.line);
  }

  void add(const std::string& file, const Place& place) {
    add(file, place, place.technology, std::string(what_to_do(place.use)));
  }
  void add(const std::string& file, const Place& place, const std::string& technology,
           const std::string& what_to_do) {
    UnreadUse& use = groups_[technology];
    use.technology = technology;
    use.what_to_do = what_to_do;
    use.places.push_back(
        {.file = file, .position = {place.line, place.column}, .what = place.what});
  }

  static Place place_at(const ScannedText& scanned, std::size_t offset) {
    const std::uint32_t line = scanned.line_of(offset);
    return {.technology = {},
            .line = line,
            .column = scanned.column_of(offset),
            .what = scanned.excerpt(line)};
  }

  // Statements through JDBC that no functionality accounts for.
  void look_at_java(const MeasuredFile& file, const ScannedText& scanned,
                    const std::vector<Place>& places) {
    const JavaOutline outline = outline_java(scanned);
    if (outline.has_tests) return;
    const std::vector<JdbcSite> sites = jdbc_sites(scanned, *file.language, declared_);
    const std::set<std::string> dead = dead_methods(outline, scanned.code);
    for (const JdbcSite& site : sites) {
      if (site.defines || accounted_.has_statement(file.path, site.first_line, site.last_line)) {
        continue;
      }
      if (is_among(places, site.first_line, site.last_line)) continue;
      look_at_site(file, scanned, site, outline.method_at(site.offset), dead);
    }
    if (sites.empty()) look_at_texts(file, scanned, places);
  }

  static bool is_among(const std::vector<Place>& places, std::uint32_t first, std::uint32_t last) {
    return std::ranges::any_of(
        places, [&](const Place& one) { return first <= one.line && one.line <= last; });
  }

  void look_at_site(const MeasuredFile& file, const ScannedText& scanned, const JdbcSite& site,
                    const OutlinedMethod* method, const std::set<std::string>& dead) {
    Place place = place_at(scanned, site.offset);
    if (method != nullptr && method->is_private && dead.contains(method->name)) {
      ++dead_sites_;
      return;
    }
    if (site.hands_over) {
      add(file.path, place, "libraries that are given the database",
          "give their source, too, or say what they send as procedures in PL/pgSQL");
      return;
    }
    if (method != nullptr && method->is_main) place.what += " (in main, which is not followed)";
    open_.push_back({.file = file.path,
                     .place = std::move(place),
                     .method = method == nullptr ? "" : method->name});
  }

  // Private methods that nothing calls but others of their kind.
  static std::set<std::string> dead_methods(const JavaOutline& outline, std::string_view code) {
    std::set<std::string> dead;
    for (const OutlinedMethod& one : outline.methods) {
      const bool may_be = one.is_private && one.name != one.type;
      if (may_be && !is_used_by_a_field(outline, code, one.name)) dead.insert(one.name);
    }
    for (bool changes = true; changes;) {
      changes = false;
      for (const OutlinedMethod& caller : outline.methods) {
        if (caller.is_private && dead.contains(caller.name)) continue;
        for (const std::string& called : caller.calls) changes = dead.erase(called) > 0 || changes;
      }
    }
    return dead;
  }

  // Whether the name stands outside of methods more often than it is declared.
  static bool is_used_by_a_field(const JavaOutline& outline, std::string_view code,
                                 const std::string& name) {
    std::ptrdiff_t outside = -std::ranges::count(outline.methods, name, &OutlinedMethod::name);
    for (std::size_t at = find_word(code, name); at != std::string_view::npos;
         at = find_word(code, name, at + 1)) {
      if (outline.method_at(at) == nullptr) ++outside;
    }
    return outside > 0;
  }

  // Texts of SQL in a file that executes none: something else does, and it should be known.
  void look_at_texts(const MeasuredFile& file, const ScannedText& scanned,
                     const std::vector<Place>& places) {
    for (const Literal& literal : joined_literals(scanned)) {
      if (sql_kind(literal.text) != SqlKind::data) continue;
      const std::uint32_t first = scanned.line_of(literal.begin);
      const std::uint32_t last = scanned.line_of(literal.end);
      const bool is_known = is_among(places, first - 1, last + 1) ||
                            accounted_.has_statement(file.path, first, last) ||
                            accounted_.has_statement_like(literal.text);
      if (is_known) continue;
      add(file.path, place_at(scanned, literal.begin), "SQL in Java that nothing known executes",
          "give the source of what executes it, or say it as procedures in PL/pgSQL");
    }
  }

  // A statement that may do anything stands for a call that is not followed, and so for all that is
  // called from there.
  void settle_open_sites() {
    if (open_.empty()) return;
    const std::set<std::string, std::less<>> reached = methods_behind_opaque_calls();
    for (OpenSite& one : open_) {
      if (reached.contains(one.method)) continue;
      add(one.file, one.place, "JDBC that no functionality runs",
          "call it from a public method, or say it as a procedure in PL/pgSQL");
    }
  }

  std::set<std::string, std::less<>> methods_behind_opaque_calls() const {
    std::set<std::string, std::less<>> reached(accounted_.opaque_calls().begin(),
                                               accounted_.opaque_calls().end());
    if (reached.empty()) return reached;
    std::map<std::string, std::set<std::string, std::less<>>> calls;
    for_each_file([&](const MeasuredFile& file, const ScannedText& scanned) {
      if (file.language->family != Family::java) return;
      for (OutlinedMethod& method : outline_java(scanned).methods) {
        calls[method.name].merge(method.calls);
      }
    });
    std::vector<std::string> todo(reached.begin(), reached.end());
    while (!todo.empty()) {
      const auto from = calls.find(todo.back());
      todo.pop_back();
      if (from == calls.end()) continue;
      for (const std::string& called : from->second) {
        if (calls.contains(called) && reached.insert(called).second) todo.push_back(called);
      }
    }
    return reached;
  }

  void look_at_sql(const MeasuredFile& file, const ScannedText& scanned) {
    for (const SqlMark& mark : sql_marks(scanned)) {
      Place place = place_at(scanned, scanned.lines[mark.line - 1]);
      const bool is_read = accounted_.has_functionality(file.path, mark.first_line, mark.line);
      switch (mark.kind) {
        case SqlMarkKind::routine:
          if (!is_read && !is_trigger_function(mark.name)) {
            add(file.path, place, "routines that are not read",
                "say them in PL/pgSQL or PostgreSQL's SQL");
          }
          break;
        case SqlMarkKind::trigger:
          add(file.path, place, "triggers", "do what they do in the procedures that set them off");
          break;
        case SqlMarkKind::inheritance:
          add(file.path, place, "tables whose rows are rows of others, too (INHERITS)",
              "use one of the two tables only");
          break;
        case SqlMarkKind::table:
          tables_of_[file.path].emplace_back(mark.name, place);
          break;
        case SqlMarkKind::statement:
          outside_.push_back({.file = file.path, .place = std::move(place), .method = {}});
          break;
      }
    }
  }

  // It runs where a trigger says so, which is a place of its own.
  bool is_trigger_function(const std::string& name) const {
    return std::ranges::any_of(program_.notes, [&](const Diagnostic& note) {
      return note.what.starts_with("trigger function ") &&
             to_lower(note.what).find(name + "()") != std::string::npos;
    });
  }

  // Scripts fill tables, which is no part of a program, unless there is nothing else.
  void settle_outside_statements() {
    if (!program_.functionalities.empty()) return;
    for (const OpenSite& one : outside_) {
      add(one.file, one.place, "SQL outside of routines",
          "put what runs together into a CREATE PROCEDURE");
    }
  }

  // Tables of a file that was left out.
  void note_left_out() {
    for (const Diagnostic& note : program_.notes) {
      if (!note.what.ends_with(": the file is left out")) continue;
      for (const auto& [name, place] : tables_of_[note.file]) {
        const bool is_known = std::ranges::any_of(program_.schema.tables, [&](const Table& table) {
          return equal_ignoring_case(table.name, name);
        });
        if (is_known) continue;
        add(note.file, place, "tables in files that cannot be read",
            "repair the file, or name its dialect with --dialect");
      }
    }
  }

  void move_groups() {
    if (dead_sites_ > 0) {
      coverage_.remarks.push_back(fmt::format(
          "{} in private methods that nothing calls",
          dead_sites_ == 1 ? "1 statement is" : fmt::format("{} statements are", dead_sites_)));
    }
    for (auto& [name, use] : groups_) {
      std::ranges::stable_sort(use.places, [](const UnreadPlace& a, const UnreadPlace& b) {
        return std::pair(a.file, a.position.line) < std::pair(b.file, b.position.line);
      });
      coverage_.unread.push_back(std::move(use));
    }
    std::ranges::stable_sort(coverage_.unread, [](const UnreadUse& a, const UnreadUse& b) {
      return a.places.size() > b.places.size();
    });
  }

  const Program& program_;
  std::vector<MeasuredFile> files_;  // by path
  AccountedLines accounted_;
  Declared declared_;
  Coverage coverage_;
  std::map<std::string, UnreadUse> groups_;  // by technology
  std::vector<OpenSite> open_;
  std::vector<OpenSite> outside_;
  std::map<std::string, std::vector<std::pair<std::string, Place>>> tables_of_;  // by file
  std::size_t dead_sites_ = 0;
};

}  // namespace

Coverage measure_coverage(const Program& program, const std::vector<std::string>& files,
                          const std::vector<SourceLocation>& followed) {
  return CoverageMeter(program, files, followed).measure();
}

}  // namespace heddle::marks
