#include "program/connections.h"

#include <map>

#include "program/visit.h"

namespace heddle::program {

namespace {

// Calls `see` with each statement, in the order of the text.
template <class AnyBlock, class See>
void for_each_statement_in(AnyBlock& block, See see) {
  for (auto& action : block) {
    if (auto* statement = statement_of(action)) see(*statement);
    for_each_block(action, [&](auto& inner) { for_each_statement_in(inner, see); });
  }
}

}  // namespace

bool uses_several_connections(const Functionality& functionality) {
  bool are_several = false;
  for_each_statement_in(functionality.body, [&](const ProgramStatement& statement) {
    are_several = are_several || statement.connection != 0;
  });
  return are_several;
}

void number_connections(Functionality& functionality) {
  std::map<std::size_t, std::size_t> numbers;
  bool has_unknown = false;
  for_each_statement_in(functionality.body, [&](const ProgramStatement& statement) {
    has_unknown = has_unknown || statement.connection == 0;
  });
  if (has_unknown) numbers[0] = 0;
  for_each_statement_in(functionality.body, [&](ProgramStatement& statement) {
    statement.connection = numbers.try_emplace(statement.connection, numbers.size()).first->second;
  });
}

bool join_connections(Functionality& functionality) {
  const bool were_several = uses_several_connections(functionality);
  for_each_statement_in(functionality.body,
                        [](ProgramStatement& statement) { statement.connection = 0; });
  return were_several;
}

}  // namespace heddle::program
