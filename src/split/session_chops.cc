// A session's statements are those of its calls, though maybe in another order: what comes behind a
// way that returns is on its other way. So they are found again by what they are, not by numbers.
#include "split/session_chops.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/session_program.h"

namespace heddle::chopping {

namespace {

// Which statement of which call each statement of a session is; the ends of calls are none.
struct Called {
  std::size_t call = 0;
  std::size_t statement = 0;

  friend auto operator<=>(const Called&, const Called&) = default;
};
using CalledStatements = std::vector<std::optional<Called>>;

using What = std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>;

What what_of(const ProgramStatement& statement) {
  return {statement.source.file, statement.source.position.line, statement.source.position.column,
          statement.statement.text};
}

CalledStatements called_statements(const Program& program, const Functionality& session,
                                   const std::vector<std::size_t>& calls) {
  std::vector<std::map<What, std::vector<std::size_t>>> left;
  for (const std::size_t called : calls) {
    std::map<What, std::vector<std::size_t>>& own = left.emplace_back();
    const auto listed = list_statements(program.functionalities[called]);
    for (std::size_t i = listed.size(); i-- > 0;) own[what_of(*listed[i].statement)].push_back(i);
  }
  CalledStatements all;
  std::size_t call = 0;
  for (const ListedStatement& listed : list_statements(session)) {
    all.emplace_back();
    if (listed.statement->ends_call) {
      ++call;
      continue;
    }
    const auto known = left[call].find(what_of(*listed.statement));
    if (known == left[call].end() || known->second.empty()) continue;
    all.back() = Called{.call = call, .statement = known->second.back()};
    known->second.pop_back();
  }
  return all;
}

// Of a session of the chopped program, by the sub-transactions of its calls.
std::vector<SubTransaction> sub_transactions_in(const CalledStatements& statements,
                                                const std::vector<std::size_t>& calls,
                                                const ChoppedProgram& chopped) {
  std::vector<SubTransaction> all;
  for (std::size_t call = 0; call < calls.size(); ++call) {
    for (const SubTransaction& sub : chopped.sub_transactions[calls[call]]) {
      SubTransaction& own = all.emplace_back();
      own.service = sub.service;
      for (std::size_t number = 0; number < statements.size(); ++number) {
        const std::optional<Called>& of = statements[number];
        const bool is_in = of && of->call == call &&
                           std::ranges::find(sub.statements, of->statement) != sub.statements.end();
        if (is_in) own.statements.push_back(number);
      }
    }
  }
  return all;
}

}  // namespace

Result<void> add_sessions(const FindOptions& options, std::size_t most, Program& program,
                          ChoppedProgram& chopped) {
  if (most < 2 && options.constraints.sessions.empty()) return {};
  Result<SessionProgram> uncut = with_sessions(program, options, most);
  if (!uncut) return uncut.error();
  Result<SessionProgram> cut = with_sessions(chopped.program, options, most);
  if (!cut) return cut.error();
  const std::size_t single = program.functionalities.size();
  for (std::size_t i = 0; i < cut->calls.size(); ++i) {
    const std::vector<std::size_t>& calls = cut->calls[i];
    const CalledStatements before =
        called_statements(program, uncut->program.functionalities[single + i], calls);
    std::map<Called, std::size_t> numbers;
    for (std::size_t number = 0; number < before.size(); ++number) {
      if (before[number]) numbers.emplace(*before[number], number);
    }
    const CalledStatements after =
        called_statements(chopped.program, cut->program.functionalities[single + i], calls);
    std::vector<std::optional<std::size_t>>& origins = chopped.origins.emplace_back();
    for (const std::optional<Called>& of : after) {
      origins.emplace_back();
      if (!of) continue;
      const std::optional<std::size_t> origin = chopped.origins[calls[of->call]][of->statement];
      if (!origin) continue;
      const auto known = numbers.find({.call = of->call, .statement = *origin});
      if (known != numbers.end()) origins.back() = known->second;
    }
    chopped.sub_transactions.push_back(sub_transactions_in(after, calls, chopped));
  }
  chopped.sessions = std::move(cut->calls);
  chopped.program = std::move(cut->program);
  program = std::move(uncut->program);
  return {};
}

}  // namespace heddle::chopping
