#include "split/failures/compensations.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "split/services.h"

namespace heddle::failures {

namespace {

constexpr std::string_view kPrefix = "compensate_";

class CompensationReader {
 public:
  CompensationReader(const ChoppedProgram& chopped, const Cut& cut)
      : chopped_(chopped), cut_(cut), services_(cut, chopped.program.schema) {}

  Result<Compensations> read(Program& routines) {
    Compensations all;
    for (Functionality& routine : routines.functionalities) {
      const Result<SplitPart> part = part_of(routine);
      if (!part) return part.error();
      if (Result<void> fits = check_tables(routine, *part); !fits) return fits.error();
      Result<std::vector<std::size_t>> parameters = parameters_of(routine, part->functionality);
      if (!parameters) return parameters.error();
      if (all.contains(*part)) {
        return trouble(routine, fmt::format("{} is there twice", routine.name), "leave one out");
      }
      Compensation compensation{.routine = routine, .parameters = std::move(*parameters)};
      all.emplace(*part, std::move(compensation));
    }
    return all;
  }

 private:
  static Diagnostic trouble(const Functionality& routine, std::string what,
                            std::string what_to_do) {
    return {.what = std::move(what),
            .what_to_do = std::move(what_to_do),
            .file = routine.source.file,
            .position = routine.source.position,
            .trouble = Trouble::bad_input};
  }

  // Names of functionalities may end in numbers, too: what is behind the last _ counts.
  Result<SplitPart> part_of(const Functionality& routine) const {
    const std::string name = to_lower(routine.name);
    const std::size_t end = name.rfind('_');
    const std::string_view digits = std::string_view(name).substr(end + 1);
    std::size_t number = 0;
    const auto [rest, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (!name.starts_with(kPrefix) || end < kPrefix.size() || error != std::errc() ||
        rest != digits.data() + digits.size()) {
      return trouble(routine, fmt::format("{} names no sub-transaction", routine.name),
                     "call it compensate_FUNCTIONALITY_NUMBER");
    }
    const std::string wanted = name.substr(kPrefix.size(), end - kPrefix.size());
    const auto& functionalities = chopped_.program.functionalities;
    const auto found = std::ranges::find_if(
        functionalities, [&](const Functionality& one) { return to_lower(one.name) == wanted; });
    if (found == functionalities.end()) return no_functionality(routine, wanted);
    const auto functionality = static_cast<std::size_t>(found - functionalities.begin());
    const std::size_t count = chopped_.sub_transactions[functionality].size();
    if (number == 0 || number > count) {
      return trouble(routine, fmt::format("{} has no sub-transaction {}", found->name, number),
                     fmt::format("it has {}, counted from 1: see --show-chopping", count));
    }
    return SplitPart{.functionality = functionality, .number = number - 1};
  }

  Diagnostic no_functionality(const Functionality& routine, const std::string& wanted) const {
    std::vector<std::string> names;
    for (const Functionality& one : chopped_.program.functionalities) names.push_back(one.name);
    const std::string closest = closest_word(wanted, names);
    return trouble(routine, fmt::format("the program has no functionality {}", wanted),
                   closest.empty() ? "call it compensate_FUNCTIONALITY_NUMBER"
                                   : fmt::format("did you mean {}?", closest));
  }

  // It is one transaction of the service whose work it undoes.
  Result<void> check_tables(const Functionality& routine, const SplitPart& part) const {
    const std::size_t own = chopped_.sub_transactions[part.functionality][part.number].service;
    for (const ListedStatement& listed : list_statements(routine)) {
      const ProgramStatement& statement = *listed.statement;
      for (const TableUse& use : statement.statement.tables) {
        const std::optional<std::size_t> service = services_.of(use);
        if (service == own) continue;
        return Diagnostic{
            .what = fmt::format("{} is {}, and {} undoes what {} did", use.table,
                                service ? "a table of " + cut_.services[*service].name
                                        : std::string("no table of the program"),
                                routine.name, cut_.services[own].name),
            .what_to_do = fmt::format("use tables of {} alone", cut_.services[own].name),
            .file = statement.source.file,
            .position = statement.source.position,
            .trouble = Trouble::bad_input};
      }
    }
    return {};
  }

  Result<std::vector<std::size_t>> parameters_of(const Functionality& routine,
                                                 std::size_t functionality) const {
    const Functionality& undone = chopped_.program.functionalities[functionality];
    std::vector<std::size_t> places;
    for (const Variable& parameter : routine.parameters) {
      const auto found = std::ranges::find(undone.parameters, parameter.name, &Variable::name);
      if (found == undone.parameters.end()) {
        std::vector<std::string> names;
        for (const Variable& one : undone.parameters) names.push_back(one.name);
        return trouble(
            routine, fmt::format("{} has no parameter {}", undone.name, parameter.name),
            names.empty() ? "take none" : fmt::format("take some of {}", join(names, ", ")));
      }
      places.push_back(static_cast<std::size_t>(found - undone.parameters.begin()));
    }
    return places;
  }

  const ChoppedProgram& chopped_;
  const Cut& cut_;
  chopping::TableServices services_;
};

}  // namespace

Result<Compensations> read_compensations(const SourceText& file, const ChoppedProgram& chopped,
                                         const Cut& cut) {
  ProgramOptions options;
  options.dialect = chopped.program.schema.dialect;
  options.tables = chopped.program.schema;
  Result<Program> routines = parse_program({file}, options);
  if (!routines) return routines.error();
  if (routines->functionalities.empty()) {
    return Diagnostic{.what = "this is no file of compensations",
                      .what_to_do =
                          "write CREATE PROCEDURE compensate_FUNCTIONALITY_NUMBER(...) "
                          "for what a sub-transaction did",
                      .file = file.file,
                      .trouble = Trouble::bad_input};
  }
  return CompensationReader(chopped, cut).read(*routines);
}

}  // namespace heddle::failures
