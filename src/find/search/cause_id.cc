#include "find/search/cause_id.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::find {

namespace {

constexpr std::size_t kDigits = 12;

// Without comments and white space.
std::string bare_text(std::string_view sql) {
  const sql::Tokens tokens(sql);
  std::string bare;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!bare.empty()) bare += ' ';
    bare += tokens.text(i);
  }
  return bare;
}

// What is hashed: one fact per line.
std::string identity_of(const FoundCause& cause, const Program& program,
                        const std::vector<std::vector<ListedStatement>>& statements) {
  std::set<std::pair<std::size_t, std::size_t>> used;
  for (const FoundNode& node : cause.cores.front().nodes) {
    used.emplace(node.functionality, node.statement);
  }
  // Sorted by what they say, so that functionalities may change places.
  std::multiset<std::string> lines;
  for (const auto& [functionality, number] : used) {
    const ProgramStatement& statement = *statements[functionality][number].statement;
    lines.insert(fmt::format("{}: {}\n", program.functionalities[functionality].name,
                             bare_text(named_text(statement.statement.text, statement.arguments))));
  }
  std::string text = fmt::format("cause {}\n", definition(cause.kind).slug);
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

void name_causes(const Program& program, std::vector<FoundCause>& causes) {
  std::vector<std::vector<ListedStatement>> statements;
  for (const Functionality& functionality : program.functionalities) {
    statements.push_back(list_statements(functionality));
  }
  std::map<std::string, std::size_t> known;
  for (FoundCause& cause : causes) {
    std::string identity = identity_of(cause, program, statements);
    const std::size_t number = ++known[identity];
    if (number > 1) identity += fmt::format("number {}\n", number);
    cause.id = fmt::format("{:016x}", stable_hash(identity)).substr(0, kDigits);
  }
}

}  // namespace heddle::find
