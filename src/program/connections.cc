#include "program/connections.h"

#include <algorithm>
#include <map>
#include <set>

#include "program/redis_commands.h"
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

bool are_open_together(const Functionality& functionality,
                       const std::function<bool(std::size_t)>& is_ended_by_caller) {
  std::set<std::size_t> open;
  std::set<std::size_t> passed;  // open ones, beside which another one has ended
  bool are_together = false;
  for_each_statement_in(functionality.body, [&](const ProgramStatement& statement) {
    const std::size_t here = statement.connection;
    if (here == 0 || is_redis(statement)) return;
    are_together = are_together || passed.contains(here);
    const StatementKind kind = statement.statement.kind;
    if (kind != StatementKind::commit && kind != StatementKind::rollback) {
      open.insert(here);
      return;
    }
    open.erase(here);
    passed.insert(open.begin(), open.end());
    are_together = are_together || std::ranges::any_of(open, is_ended_by_caller);
  });
  return are_together;
}

std::size_t connection_count(const Functionality& functionality) {
  std::size_t last = 0;
  for_each_statement_in(functionality.body, [&](const ProgramStatement& statement) {
    last = std::max(last, statement.connection);
  });
  return last + 1;
}

bool runs_on(const Block& block, std::size_t connection) {
  bool any = false;
  for_each_statement_in(block, [&](const ProgramStatement& statement) {
    any = any || statement.connection == connection;
  });
  return any;
}

bool leaves_open(const Functionality& functionality, std::size_t connection) {
  bool is_open = false;
  for_each_statement_in(functionality.body, [&](const ProgramStatement& statement) {
    if (statement.connection != connection) return;
    is_open = statement.statement.kind != StatementKind::commit &&
              statement.statement.kind != StatementKind::rollback;
  });
  return is_open;
}

void move_to_connection(Block& block, std::size_t connection) {
  for_each_statement_in(block, [&](ProgramStatement& statement) {
    if (statement.connection == 0) statement.connection = connection;
  });
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
