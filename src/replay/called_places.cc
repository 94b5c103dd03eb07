#include "replay/called_places.h"

#include <algorithm>
#include <map>

#include "program/visit.h"

namespace heddle {

namespace {

// How many steps are behind one at a place of the body, at least and at most.
struct Passed {
  std::size_t least = 0;
  std::optional<std::size_t> most = 0;
};

// What goes with the step before or behind it (called_functionality.h).
bool may_go_along(const ProgramStatement& statement) {
  switch (statement.statement.kind) {
    case StatementKind::select:
    case StatementKind::insert:
    case StatementKind::update:
    case StatementKind::delete_:
    case StatementKind::merge:
    case StatementKind::commit:
    case StatementKind::rollback:
      return statement.is_part;
    default:
      return true;
  }
}

class PlaceReader {
 public:
  explicit PlaceReader(const Functionality& functionality) {
    const std::vector<ListedStatement> listed = list_statements(functionality);
    for (std::size_t i = 0; i < listed.size(); ++i) numbers_[listed[i].statement] = i;
    places_.resize(listed.size());
    read_block(functionality.body, {});
  }

  std::vector<CalledPlace> take() { return std::move(places_); }

 private:
  // Blocks are nested no deeper than the reader of programs lets them. An early end of a block lets
  // nothing come sooner than what is counted here.
  Passed read_block(const Block& block, Passed passed) {
    for (const Action& action : block) passed = read_action(action, passed);
    return passed;
  }

  Passed read_action(const Action& action, Passed passed) {
    if (const auto* branch = std::get_if<Branch>(&action.what)) {
      return either(read_block(branch->then, passed), read_block(branch->otherwise, passed));
    }
    if (const auto* attempt = std::get_if<Attempt>(&action.what)) {
      const Passed tried = read_block(attempt->body, passed);
      // An error may come at once, or at the very end.
      const Passed failed{.least = passed.least, .most = tried.most};
      Passed all = {.least = passed.least, .most = tried.most};
      for (const Recovery& recovery : attempt->recoveries) {
        all = either(all, read_block(recovery.body, failed));
      }
      return all;
    }
    if (const ProgramStatement* statement = program::statement_of(action)) {
      places_[numbers_.at(statement)] = {.earliest = passed.least, .latest = passed.most};
      if (!may_go_along(*statement)) ++passed.least;
      if (passed.most) ++*passed.most;
    }
    Passed behind = passed;
    program::for_each_block(action, [&](const Block& body) { behind = read_loop(body, passed); });
    return behind;
  }

  // The body runs any number of times, or not at all.
  Passed read_loop(const Block& body, Passed passed) {
    const Passed once = read_block(body, passed);
    if (once.most == passed.most) return passed;
    passed.most.reset();
    read_block(body, passed);
    return passed;
  }

  static Passed either(const Passed& a, const Passed& b) {
    Passed both{.least = std::min(a.least, b.least), .most = std::nullopt};
    if (a.most && b.most) both.most = std::max(*a.most, *b.most);
    return both;
  }

  std::map<const ProgramStatement*, std::size_t> numbers_;
  std::vector<CalledPlace> places_;
};

}  // namespace

std::vector<CalledPlace> called_places(const Functionality& functionality) {
  return PlaceReader(functionality).take();
}

}  // namespace heddle
