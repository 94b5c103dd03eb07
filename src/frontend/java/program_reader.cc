// read_java_program: a tree of Java files. Which of its methods are functionalities: public ones
// that may reach a database and that no other class of the program calls, and those that classes
// of the same package or a framework may call, where nothing calls them.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/bounds.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/utf8.h"
#include "frontend/chopped/join_parts.h"
#include "frontend/java/classes/chopped_annotation.h"
#include "frontend/java/followed_methods.h"
#include "frontend/parts/take_apart.h"
#include "heddle/java_program.h"
#include "program/redis_commands.h"

namespace heddle {

namespace java {
namespace {

class JavaProgramReader {
 public:
  JavaProgramReader(Program& program, const JavaOptions& options)
      : program_(program), options_(options) {}

  Result<Reading> read(const std::vector<SourceText>& files) {
    reading_.files = files.size();
    files_.resize(files.size());
    run_parallel(files.size(), options_.jobs, [&](std::size_t i) {
      if (is_utf8(files[i].text)) {
        files_[i] = std::make_unique<SourceFile>(files[i].file, files[i].text);
      }
    });
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (auto added = add_file(files[i], files_[i].get()); !added) return added.error();
    }
    classes_.finish();
    find_called();
    add_redis(files);
    std::vector<ReadMethod> methods = list_methods();
    if (Result<void> found = find_parts(methods); !found) return found.error();
    FollowedMethods followed(classes_, program_.schema, options_);
    followed.read(methods);
    const std::size_t before = program_.functionalities.size();
    for (ReadMethod& one : methods) add(one);
    for (const auto& [place, parts] : parts_) {
      Functionality& whole = program_.functionalities[place];
      whole = join_parts(whole.name, parts, program_.schema);
    }
    name_functionalities(before);
    if (program_.schema.dialect == Dialect::postgres) {
      for (std::size_t i = before; i < program_.functionalities.size(); ++i) {
        parts::take_apart(program_.functionalities[i]);
      }
    }
    count_uncalled(followed);
    remove_unused_redis();
    finish_reading();
    return std::move(reading_);
  }

 private:
  Result<void> add_file(const SourceText& file, const SourceFile* parsed) {
    if (parsed == nullptr) {
      std::size_t at = 0;
      while (at < file.text.size() && utf8_length(file.text, at) > 0) {
        at += utf8_length(file.text, at);
      }
      const auto line = static_cast<std::uint32_t>(
          1 +
          std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      return refuse({.what = "the file is not UTF-8",
                     .what_to_do = "convert it, as with iconv -t UTF-8",
                     .file = file.file,
                     .position = {line, 1}});
    }
    if (std::optional<Diagnostic> error = parsed->find_error()) return refuse(std::move(*error));
    const std::size_t known = classes_.too_deep().size();
    classes_.add(*parsed);
    if (known == classes_.too_deep().size()) return {};
    Diagnostic trouble{.what = "classes are nested too deeply here to be read",
                       .what_to_do = "let some of them stand beside each other",
                       .file = file.file,
                       .position = classes_.too_deep()[known].location().position,
                       .trouble = Trouble::bound};
    if (!options_.skips_unreadable) return trouble;
    trouble.what += ": those inside are left out";
    program_.notes.push_back(std::move(trouble));
    return {};
  }

  // One file of many is left out, which is said.
  Result<void> refuse(Diagnostic trouble) {
    if (!options_.skips_unreadable) return trouble;
    trouble.what += ": the file is left out";
    count(ReadingReason::not_java, {.file = trouble.file, .position = trouble.position});
    program_.notes.push_back(std::move(trouble));
    return {};
  }

  // Whether JUnit calls it: a class with tests, of any version, is not the program.
  bool is_test(const Class& of) const {
    if (classes_.extends(of.name, "TestCase", &of)) return true;
    return std::ranges::any_of(
        of.methods, [](const Method& method) { return method.is_test && method.name != "main"; });
  }

  bool is_generated(const Class& of) const {
    return options_.declarations_only.contains(of.node.file().name());
  }

  std::vector<ReadMethod> list_methods() {
    std::vector<ReadMethod> methods;
    for (const auto& each : classes_.all()) {
      const bool has_tests = is_test(*each);
      if (has_tests || is_generated(*each)) {
        const bool may_reach = std::ranges::any_of(each->methods, &Method::may_reach_store);
        const auto reason = has_tests ? ReadingReason::test : ReadingReason::generated;
        if (may_reach) count(reason, each->node.location());
        continue;
      }
      for (const Method& method : each->methods) {
        if (method.may_reach_store) ++reading_.methods;
        if (!is_functionality(*each, method)) continue;
        methods.push_back({.of = each.get(), .method = &method});
      }
    }
    return methods;
  }

  // A functionality that was not read has a reason of its own.
  void count_uncalled(const FollowedMethods& followed) {
    for (const auto& each : classes_.all()) {
      if (is_test(*each) || is_generated(*each)) continue;
      for (const Method& method : each->methods) {
        if (!method.may_reach_store || method.is_abstract || is_functionality(*each, method))
          continue;
        if (!followed.follows(method)) count(ReadingReason::uncalled, method.node.location());
      }
    }
  }

  void count(ReadingReason reason, const SourceLocation& place) {
    constexpr std::size_t kFirst = 3;
    ReadingCount& counted = counts_[reason];
    counted.reason = reason;
    ++counted.count;
    if (counted.first.size() < kFirst) counted.first.push_back(place);
  }

  // A place that several functionalities pass counts once.
  void finish_reading() {
    for (const auto& [reason, file, line, column] : passed_over_) {
      count(reason, {.file = file, .position = {line, column}});
    }
    for (auto& [reason, counted] : counts_) reading_.counts.push_back(std::move(counted));
    if (reading_.unread == 0) return;
    program_.notes.push_back(
        {.what = fmt::format("{} methods were not read: {}", reading_.unread, stop_reason()),
         .what_to_do = "nothing is known of what they do; give more time or memory"});
  }

  // The keys of Redis are a table, unless the database has one of that name.
  void add_redis(const std::vector<SourceText>& files) {
    std::vector<Table>& tables = program_.schema.tables;
    const bool is_mentioned =
        options_.reads_redis && std::ranges::any_of(files, [](const SourceText& file) {
          return mentions_redis(file.text);
        });
    const bool is_taken = std::ranges::any_of(tables, [](const Table& table) {
      return equal_ignoring_case(table.name, program::kRedisStore);
    });
    if (is_mentioned && !is_taken) tables.push_back(program::redis_table());
  }

  void remove_unused_redis() {
    if (!program::uses_redis(program_)) {
      std::erase_if(program_.schema.tables, program::is_redis_table);
    }
  }

  // Names that methods of other classes call; a name with two owners counts for both.
  void find_called() {
    for (const auto& each : classes_.all()) {
      if (is_test(*each)) continue;
      for (const Method& method : each->methods) {
        if (method.is_test || !method.may_reach_store) continue;
        for (const std::string& name : method.calls) callers_[name].insert(each.get());
      }
    }
  }

  bool is_functionality(const Class& of, const Method& method) const {
    if (method.is_private || method.is_constructor || method.is_abstract || method.is_test ||
        !method.may_reach_store || of.is_interface || of.is_local) {
      return false;
    }
    // What a framework calls, whoever else does.
    if (method.name == "run" && classes_.extends(of.name, "Procedure", &of)) return true;
    // BenchBase's workers only choose which procedure runs.
    if (method.name == "executeWork" && classes_.extends(of.name, "Worker", &of)) return false;
    const auto callers = callers_.find(method.name);
    if (callers == callers_.end()) return true;
    if (!method.is_public) return false;
    if (is_given_code(of, method) || is_given_statement(method)) return false;
    return !has_caller(of, callers->second);
  }

  // Whether a method runs code of its callers: inTransaction(connection -> ...). It is a part of
  // what they do.
  bool is_given_code(const Class& of, const Method& method) const {
    return std::ranges::any_of(method.parameters, [&](const Parameter& parameter) {
      const Class* type = classes_.find(parameter.type, &of);
      if (type == nullptr) return is_function_type(parameter.type);
      if (!type->is_interface || classes_.find_function(*type) == nullptr) return false;
      return std::ranges::all_of(classes_.implementers(*type), &Class::is_local);
    });
  }

  // Whether a method goes on with a statement of its callers, or with what one gave.
  static bool is_given_statement(const Method& method) {
    static constexpr std::array<std::string_view, 4> kOfStatements = {
        "Statement", "PreparedStatement", "CallableStatement", "ResultSet"};
    return std::ranges::any_of(method.parameters, [](const Parameter& parameter) {
      return std::ranges::find(kOfStatements, simple_type(parameter.type)) != kOfStatements.end();
    });
  }

  // Whether one of the callers names the class, or what that extends or implements, or extends it.
  bool has_caller(const Class& of, const std::unordered_set<const Class*>& callers) const {
    std::vector<std::string> names = of.interfaces;
    names.push_back(of.name);
    if (!of.superclass.empty()) names.push_back(of.superclass);
    return std::ranges::any_of(names, [&](const std::string& name) {
      const std::unordered_set<const Class*>& users = classes_.users(name);
      const bool are_few = users.size() < callers.size();
      const auto& others = are_few ? callers : users;
      return std::ranges::any_of(are_few ? users : callers, [&](const Class* one) {
        return one != &of && others.contains(one) && classes_.find(name, one) != nullptr;
      });
    });
  }

  // Which methods are parts of functionalities.
  Result<void> find_parts(const std::vector<ReadMethod>& methods) {
    for (const ReadMethod& one : methods) {
      Result<std::string> whole = original_transaction(*one.method, classes_);
      if (!whole) return whole.error();
      if (!whole->empty()) wholes_.emplace(one.method, *std::move(whole));
    }
    return {};
  }

  // What several methods have in common is said once.
  void add(ReadMethod& one) {
    if (one.is_unread) {
      ++reading_.unread;
      count(ReadingReason::ended, one.method->node.location());
    }
    if (!one.functionality) return;
    ++(one.passed_over.empty() ? reading_.exact : reading_.approximated);
    for (const auto& [reason, place] : one.passed_over) {
      passed_over_.emplace(reason, place.file, place.position.line, place.position.column);
    }
    for (Diagnostic& note : one.notes) {
      const auto key = std::tuple(note.file, note.position.line, note.position.column, note.what);
      if (said_.insert(key).second) program_.notes.push_back(std::move(note));
    }
    reading_.assumed += one.assumes_transaction ? 1 : 0;
    reading_.redis.insert(reading_.redis.end(), one.redis_places.begin(), one.redis_places.end());
    if (const auto whole = wholes_.find(one.method); whole != wholes_.end()) {
      const auto [known, is_new] =
          chopped_.try_emplace({one.of, whole->second}, program_.functionalities.size());
      parts_[known->second].push_back(std::move(*one.functionality));
      if (!is_new) return;
      one.functionality.emplace().name = whole->second;
    }
    owners_.push_back(one.of->name);
    program_.functionalities.push_back(std::move(*one.functionality));
  }

  // Names that several have get that of their class in front, and then a number.
  void name_functionalities(std::size_t first) {
    std::map<std::string, std::size_t> uses;
    for (const Functionality& each : program_.functionalities) ++uses[each.name];
    std::set<std::string> taken;
    for (std::size_t i = 0; i < program_.functionalities.size(); ++i) {
      std::string& name = program_.functionalities[i].name;
      if (i >= first && uses[name] > 1) name = owners_[i - first] + "_" + name;
      const std::string base = name;
      for (std::size_t number = 2; !taken.insert(name).second; ++number) {
        name = base + "_" + std::to_string(number);
      }
    }
  }

  Program& program_;
  const JavaOptions& options_;
  Reading reading_;
  std::map<ReadingReason, ReadingCount> counts_;
  std::set<std::tuple<ReadingReason, std::string, std::uint32_t, std::uint32_t>> passed_over_;
  std::vector<std::unique_ptr<SourceFile>> files_;  // nullptr: not UTF-8
  Classes classes_;
  std::unordered_map<std::string, std::unordered_set<const Class*>> callers_;
  std::vector<std::string> owners_;
  std::map<const Method*, std::string> wholes_;  // the functionality of each part
  std::map<std::pair<const Class*, std::string>, std::size_t> chopped_;  // their places
  std::map<std::size_t, std::vector<Functionality>> parts_;              // by place
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> said_;
};

}  // namespace
}  // namespace java

Result<Reading> read_java_program(const std::vector<SourceText>& files, const JavaOptions& options,
                                  Program& program) {
  return java::JavaProgramReader(program, options).read(files);
}

}  // namespace heddle
