// read_java_program: a tree of Java files. Which of its methods are functionalities: public ones
// that may reach a database and that no other class of the program calls.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

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
    for (const SourceText& file : files) {
      if (auto added = add_file(file); !added) return added.error();
    }
    classes_.find_reaching();
    find_called();
    const std::size_t before = program_.functionalities.size();
    for (const auto& each : classes_.all()) {
      for (const Method& method : each->methods) {
        if (is_functionality(*each, method)) read_method(*each, method);
      }
    }
    name_functionalities(before);
    return {};
  }

 private:
  Result<void> add_file(const SourceText& file) {
    if (!is_utf8(file.text)) {
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
    files_.push_back(std::make_unique<SourceFile>(file.file, file.text));
    if (std::optional<Diagnostic> error = files_.back()->find_error()) {
      return refuse(std::move(*error));
    }
    classes_.add(*files_.back());
    return {};
  }

  // One file of many is left out, which is said.
  Result<void> refuse(Diagnostic trouble) {
    if (!options_.skips_unreadable) return trouble;
    trouble.what += ": the file is left out";
    program_.notes.push_back(std::move(trouble));
    return {};
  }

  // Names that methods of other classes call; a name with two owners counts for both.
  void find_called() {
    for (const auto& each : classes_.all()) {
      for (const Method& method : each->methods) {
        if (method.is_test || !method.may_reach_store) continue;
        for (const std::string& name : method.calls) callers_[name].insert(each.get());
      }
    }
  }

  bool is_functionality(const Class& of, const Method& method) const {
    if (!method.is_public || method.is_constructor || method.is_abstract || method.is_test ||
        !method.may_reach_store || of.is_interface) {
      return false;
    }
    // What a framework calls, whoever else does.
    if (method.name == "run" && classes_.extends(of.name, "Procedure", &of)) return true;
    const auto callers = callers_.find(method.name);
    if (callers == callers_.end()) return true;
    return std::ranges::none_of(callers->second, [&](const Class* caller) {
      return caller != &of && may_call(*caller, of);
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

  void read_method(const Class& of, const Method& method) {
    FunctionalityReader reader(classes_, program_, {.depth = options_.depth});
    const std::size_t notes = program_.notes.size();
    Result<Functionality> functionality = reader.read(of, method);
    if (!functionality) functionality = reader.opaque(method, functionality.error());
    if (!reader.reached_store()) {
      program_.notes.resize(notes);
      return;
    }
    const bool is_procedure = method.name == "run" && classes_.extends(of.name, "Procedure", &of);
    functionality->name = is_procedure ? of.name : method.name;
    program::simplify(*functionality);
    program::rename_variables(*functionality, program_.schema);
    note_unknown(functionality->body);
    owners_.push_back(of.name);
    program_.functionalities.push_back(std::move(*functionality));
  }

  // Values that reach a statement, a branch or the caller without being understood.
  void note_unknown(Block& block) {
    for (Action& action : block) {
      if (std::holds_alternative<Raise>(action.what)) continue;  // only a message
      const auto note = [&](Expression& value) { note_unknown_in(value, action.source); };
      program::for_each_expression(action, note, [](Expression&) {});
      program::for_each_block(action, [&](Block& inner) { note_unknown(inner); });
    }
  }
  void note_unknown_in(const Expression& value, const SourceLocation& source) {
    if (value.kind == ExpressionKind::unknown) {
      std::string what = value.text;
      std::ranges::replace(what, '\n', ' ');
      program_.notes.push_back({.what = fmt::format("the value of \"{}\" is not known", what),
                                .what_to_do = "any value is taken for it",
                                .file = source.file,
                                .position = source.position});
    }
    for (const Expression& operand : value.operands) note_unknown_in(operand, source);
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
  std::deque<std::unique_ptr<SourceFile>> files_;
  Classes classes_;
  std::map<std::string, std::set<const Class*>> callers_;
  std::vector<std::string> owners_;
};

}  // namespace
}  // namespace java

Result<void> read_java_program(const std::vector<SourceText>& files, const JavaOptions& options,
                               Program& program) {
  return java::JavaProgramReader(program, options).read(files);
}

}  // namespace heddle
