#include "cli/program/chosen_functionalities.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/path_pattern.h"
#include "base/text.h"
#include "cli/program/find_program.h"

namespace heddle {

namespace {

// "bank.Accounts.pay(int)": pay, Accounts.pay, bank.Accounts.pay, and each with (int) behind it.
std::vector<std::string> names_of(const Functionality& functionality) {
  std::vector<std::string> names = {functionality.name};
  const std::string_view method = functionality.method;
  const std::size_t end = std::min(method.find('('), method.size());
  for (std::size_t begin = 0; begin < end;) {
    names.emplace_back(method.substr(begin, end - begin));
    names.emplace_back(method.substr(begin));
    const std::size_t dot = method.find('.', begin);
    begin = dot < end ? dot + 1 : end;
  }
  return names;
}

// As people would write it.
std::string shown_name(const Functionality& functionality) {
  const std::string_view method = functionality.method;
  const std::string_view path = method.substr(0, method.find('('));
  const std::size_t dot = path.rfind('.');
  if (path.empty() || dot == path.npos || dot == 0) return functionality.name;
  const std::size_t before = path.rfind('.', dot - 1);
  return std::string(path.substr(before == path.npos ? 0 : before + 1));
}

std::string near_names(std::string_view name, const Program& program) {
  std::vector<std::string> all;
  for (const Functionality& functionality : program.functionalities) {
    for (std::string& each : names_of(functionality)) all.push_back(std::move(each));
  }
  const std::string closest = closest_word(name, all);
  if (!closest.empty()) return fmt::format("did you mean \"{}\"?", closest);
  constexpr std::size_t kShown = 8;
  std::set<std::string> shown;
  for (const Functionality& functionality : program.functionalities) {
    if (shown.size() < kShown) shown.insert(shown_name(functionality));
  }
  const bool is_cut = shown.size() < program.functionalities.size();
  return "use one of: " + join({shown.begin(), shown.end()}, ", ") + (is_cut ? ", ..." : "");
}

// `name`: as the value of the option with that number has it.
Diagnostic nobody(const Arguments& arguments, std::string_view option, std::size_t number,
                  const std::string& name, const Program& program) {
  Diagnostic trouble{.what = fmt::format("{}={}: there is no functionality of that name", option,
                                         arguments.texts(option)[number]),
                     .what_to_do = near_names(name, program)};
  if (program.functionalities.empty()) trouble.what_to_do = "the program has none at all";
  if (const ValueOrigin* const origin = arguments.origin(option, number)) {
    trouble.what = fmt::format("there is no functionality \"{}\"", name);
    trouble.file = origin->file;
    trouble.position = origin->position;
  }
  return trouble;
}

}  // namespace

std::vector<OptionDefinition> choice_options() {
  constexpr std::string_view kGroup = "Program";
  return {{.name = "--entry",
           .value = "NAME",
           .kind = ValueKind::text,
           .group = kGroup,
           .meaning = "Take these functionalities alone for the program: a name, Class.method, or "
                      "a pattern such as \"*Controller.*\". May be given several times.",
           .repeatable = true},
          {.name = "--only",
           .value = "NAME",
           .kind = ValueKind::text,
           .group = kGroup,
           .meaning = "Report only causes in which this functionality takes part, with any other "
                      "as its partner. Names are as for --entry. May be given several times.",
           .repeatable = true}};
}

bool is_named(const Functionality& functionality, std::string_view name) {
  return std::ranges::any_of(names_of(functionality), [&](const std::string& each) {
    // Routines in SQL have names without case.
    if (functionality.method.empty()) {
      return matches_glob(to_lower(name), to_lower(each)) || equal_ignoring_case(name, each);
    }
    return each == name || matches_glob(name, each);
  });
}

Result<std::vector<std::string>> chosen(const Arguments& arguments, std::string_view option,
                                        const Program& program) {
  const std::vector<std::string> asked = arguments.texts(option);
  std::vector<bool> is_used(asked.size());
  std::vector<std::string> names;
  for (const Functionality& functionality : program.functionalities) {
    bool is_chosen = false;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!is_named(functionality, asked[i])) continue;
      is_chosen = true;
      is_used[i] = true;
    }
    if (is_chosen) names.push_back(functionality.name);
  }
  const auto unused = std::ranges::find(is_used, false);
  if (unused == is_used.end()) return names;
  const auto number = static_cast<std::size_t>(unused - is_used.begin());
  return nobody(arguments, option, number, asked[number], program);
}

Result<void> read_levels(const Arguments& arguments, const Program& program, FindOptions& options) {
  const std::vector<std::string> texts = arguments.texts("--isolation");
  for (const bool is_from_file : {true, false}) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if ((arguments.origin("--isolation", i) != nullptr) != is_from_file) continue;
      std::map<std::string, IsolationLevel> level;
      if (auto added = add_level(texts[i], options.level, level); !added) return added;
      if (level.empty()) continue;
      const auto& [name, of_name] = *level.begin();
      bool is_used = false;
      for (const Functionality& functionality : program.functionalities) {
        if (!is_named(functionality, name)) continue;
        options.levels[functionality.name] = of_name;
        is_used = true;
      }
      if (!is_used) return nobody(arguments, "--isolation", i, name, program);
    }
  }
  return {};
}

Result<std::string> keep_entries(const Arguments& arguments, Program& program) {
  if (!arguments.has("--entry")) return std::string();
  const Result<std::vector<std::string>> names = chosen(arguments, "--entry", program);
  if (!names) return names.error();
  const std::set<std::string> kept(names->begin(), names->end());
  const std::size_t all = program.functionalities.size();
  std::erase_if(program.functionalities, [&](const Functionality& functionality) {
    return !kept.contains(functionality.name);
  });
  return fmt::format("{} of {} functionalities are entries, the others are left out by name",
                     program.functionalities.size(), all);
}

void keep_only(const std::vector<std::string>& only, SplitReport& report) {
  if (only.empty()) return;
  const std::set<std::string> names(only.begin(), only.end());
  const ChoppedProgram& chopped = report.chopped;
  const auto is_kept = [&](std::size_t functionality) {
    return names.contains(chopped.program.functionalities[functionality].name);
  };
  // Of a session, whom it calls.
  const auto takes_part = [&](std::size_t functionality) {
    const std::size_t single = chopped.single_calls();
    if (functionality < single) return is_kept(functionality);
    return std::ranges::any_of(chopped.sessions[functionality - single], is_kept);
  };
  std::erase_if(report.causes, [&](const SplitCause& cause) {
    return std::ranges::none_of(cause.parts, [&](const std::vector<SplitPart>& parts) {
      return !parts.empty() && takes_part(parts.front().functionality);
    });
  });
}

}  // namespace heddle
