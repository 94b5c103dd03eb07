#include "program/held_cursors.h"

#include "program/visit.h"

namespace heddle::program {

namespace {

// What the action, or the last one of its arms, opens.
void add_opened(const Action& action, std::set<std::string>& opened) {
  if (const auto* open = std::get_if<OpenRows>(&action.what)) opened.insert(open->cursor);
  const auto* branch = std::get_if<Branch>(&action.what);
  if (branch == nullptr) return;
  for (const Block* arm : {&branch->then, &branch->otherwise}) {
    if (!arm->empty()) add_opened(arm->back(), opened);
  }
}

// A COMMIT, or a branch that begins with one: auto-commit may hang on a condition.
bool begins_with_commit(const Action& action) {
  const auto* run = std::get_if<RunStatement>(&action.what);
  if (run != nullptr) return run->statement.statement.kind == StatementKind::commit;
  const auto* branch = std::get_if<Branch>(&action.what);
  if (branch == nullptr) return false;
  return (!branch->then.empty() && begins_with_commit(branch->then.front())) ||
         (!branch->otherwise.empty() && begins_with_commit(branch->otherwise.front()));
}

void add_held(const Block& block, std::set<std::string>& held) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i > 0 && begins_with_commit(block[i])) add_opened(block[i - 1], held);
    for_each_block(block[i], [&](const Block& inner) { add_held(inner, held); });
  }
}

}  // namespace

std::set<std::string> held_cursors(const Functionality& functionality) {
  std::set<std::string> held;
  add_held(functionality.body, held);
  return held;
}

}  // namespace heddle::program
