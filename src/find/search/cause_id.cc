#include "find/search/cause_id.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "find/terms/kinds.h"
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

// What is hashed beside the kind: one fact per line.
std::string statements_of(const FoundCause& cause, const Program& program,
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
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

// Ids of causes in their order; what would have the same id gets a number.
class Ids {
 public:
  std::string next(AnomalyKind kind, const std::string& statements) {
    std::string identity = fmt::format("cause {}\n{}", definition(kind).slug, statements);
    const std::size_t number = ++known_[identity];
    if (number > 1) identity += fmt::format("number {}\n", number);
    return fmt::format("{:016x}", stable_hash(identity)).substr(0, kDigits);
  }

 private:
  std::map<std::string, std::size_t> known_;
};

}  // namespace

void name_causes(const Program& program, std::vector<FoundCause>& causes) {
  std::vector<std::vector<ListedStatement>> statements;
  for (const Functionality& functionality : program.functionalities) {
    statements.push_back(list_statements(functionality));
  }
  Ids ids;
  Ids former_ids;
  for (FoundCause& cause : causes) {
    const std::string text = statements_of(cause, program, statements);
    cause.id = ids.next(cause.kind, text);
    if (const std::optional<AnomalyKind> former = former_kind_of(cause.cores.front())) {
      cause.former_ids = {former_ids.next(*former, text)};
    }
  }
}

}  // namespace heddle::find
