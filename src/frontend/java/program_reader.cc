// read_java_program: a tree of Java files. Which of its methods are functionalities: public ones
// that may reach a database and that no other class of the program calls, and those that classes
// of the same package or a framework may call, where nothing calls them.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "base/utf8.h"
#include "frontend/java/functionality_reader.h"
#include "heddle/java_program.h"
#include "program/simplify.h"
#include "program/visit.h"

namespace heddle {

namespace java {
namespace {

class JavaProgramReader {
 public:
  JavaProgramReader(Program& program, const JavaOptions& options)
      : program_(program), options_(options) {}

  Result<void> read(const std::vector<SourceText>& files) {
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
    std::vector<ReadMethod> methods;
    for (const auto& each : classes_.all()) {
      if (is_test(*each) || is_generated(*each)) continue;
      for (const Method& method : each->methods) {
        if (!is_functionality(*each, method)) continue;
        methods.push_back({.of = each.get(), .method = &method, .functionality = {}, .notes = {}});
      }
    }
    run_parallel(methods.size(), options_.jobs, [&](std::size_t i) { read_method(methods[i]); });
    const std::size_t before = program_.functionalities.size();
    for (ReadMethod& one : methods) add(one);
    name_functionalities(before);
    return {};
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
    const auto callers = callers_.find(method.name);
    if (callers == callers_.end()) return true;
    if (!method.is_public) return false;
    if (is_given_code(of, method)) return false;
    return std::ranges::none_of(callers->second, [&](const Class* caller) {
      return caller != &of && may_call(*caller, of);
    });
  }

  // Whether a method runs code of its callers: inTransaction(connection -> ...). It is a part of
  // what they do.
  bool is_given_code(const Class& of, const Method& method) const {
    return std::ranges::any_of(method.parameters, [&](const Parameter& parameter) {
      const Class* type = classes_.find(parameter.type, &of);
      if (type == nullptr) return is_function_type(parameter.type);
      if (!type->is_interface || classes_.find_function(*type) == nullptr) return false;
      return std::ranges::all_of(classes_.all(), [&](const auto& each) {
        return each->is_local || !classes_.extends(each->name, type->name, each.get()) ||
               each.get() == type;
      });
    });
  }

  // Whether a class names another, what that extends or implements, or extends it.
  bool may_call(const Class& caller, const Class& of) const {
    const std::string_view text = caller.node.text();
    std::vector<std::string> names = of.interfaces;
    names.push_back(of.name);
    if (!of.superclass.empty()) names.push_back(of.superclass);
    return std::ranges::any_of(names, [&](const std::string& name) {
      return text.find(name) != std::string_view::npos && classes_.find(name, &caller) != nullptr;
    });
  }

  // A method, and what is read of it.
  struct ReadMethod {
    const Class* of = nullptr;
    const Method* method = nullptr;
    std::optional<Functionality> functionality;  // none: it asks no store for anything
    std::vector<Diagnostic> notes;
  };

  void read_method(ReadMethod& one) const {
    const Class& of = *one.of;
    const Method& method = *one.method;
    FunctionalityReader reader(classes_, program_.schema, {.depth = options_.depth});
    Result<Functionality> functionality = reader.read(of, method);
    if (!functionality) functionality = reader.opaque(method, functionality.error());
    if (!reader.reached_store()) return;
    one.notes = reader.notes();
    const bool is_procedure = method.name == "run" && classes_.extends(of.name, "Procedure", &of);
    functionality->name = is_procedure ? of.name : method.name;
    functionality->method = method_text(of, method);
    program::simplify(*functionality);
    program::rename_variables(*functionality, program_.schema);
    note_unknown(functionality->body, one.notes);
    one.functionality = std::move(*functionality);
  }

  // bank.Accounts$Inner.pay(Connection, int)
  static std::string method_text(const Class& of, const Method& method) {
    std::string type = of.name;
    const Class* outermost = &of;
    for (const Class* outer = of.outer; outer != nullptr; outer = outer->outer) {
      type = outer->name + "$" + type;
      outermost = outer;
    }
    if (!outermost->package.empty()) type = outermost->package + "." + type;
    std::vector<std::string> types;
    for (const Parameter& parameter : method.parameters) {
      types.push_back(simple_type(parameter.type));
    }
    return fmt::format("{}.{}({})", type, method.name, join(types, ", "));
  }

  // What several methods have in common is said once.
  void add(ReadMethod& one) {
    if (!one.functionality) return;
    for (Diagnostic& note : one.notes) {
      const auto key = std::tuple(note.file, note.position.line, note.position.column, note.what);
      if (said_.insert(key).second) program_.notes.push_back(std::move(note));
    }
    owners_.push_back(one.of->name);
    program_.functionalities.push_back(std::move(*one.functionality));
  }

  // Values that reach a statement, a branch or the caller without being understood.
  static void note_unknown(Block& block, std::vector<Diagnostic>& notes) {
    for (Action& action : block) {
      if (std::holds_alternative<Raise>(action.what)) continue;  // only a message
      const auto note = [&](Expression& value) { note_unknown_in(value, action.source, notes); };
      program::for_each_expression(action, note, [](Expression&) {});
      program::for_each_block(action, [&](Block& inner) { note_unknown(inner, notes); });
    }
  }
  static void note_unknown_in(const Expression& value, const SourceLocation& source,
                              std::vector<Diagnostic>& notes) {
    if (value.kind == ExpressionKind::unknown) {
      std::string what = value.text;
      std::ranges::replace(what, '\n', ' ');
      notes.push_back({.what = fmt::format("the value of \"{}\" is not known", what),
                       .what_to_do = "any value is taken for it",
                       .file = source.file,
                       .position = source.position});
    }
    for (const Expression& operand : value.operands) note_unknown_in(operand, source, notes);
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
  std::vector<std::unique_ptr<SourceFile>> files_;  // nullptr: not UTF-8
  Classes classes_;
  std::map<std::string, std::set<const Class*>> callers_;
  std::vector<std::string> owners_;
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> said_;
};

}  // namespace
}  // namespace java

Result<void> read_java_program(const std::vector<SourceText>& files, const JavaOptions& options,
                               Program& program) {
  return java::JavaProgramReader(program, options).read(files);
}

}  // namespace heddle
