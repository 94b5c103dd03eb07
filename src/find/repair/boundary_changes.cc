// Changes are made from the last COMMIT to the first, so that the numbers of those that are still
// to be changed stay what they are.
#include "find/repair/boundary_changes.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "program/connections.h"
#include "program/visit.h"

namespace heddle::find {

namespace {

bool is_commit(const ProgramStatement& statement) {
  return statement.statement.kind == StatementKind::commit && !statement.ends_call;
}

// BEGIN, SET and what else is about transactions, not about rows.
bool is_of_rows(const ProgramStatement& statement) {
  switch (statement.statement.kind) {
    case StatementKind::begin:
    case StatementKind::commit:
    case StatementKind::rollback:
    case StatementKind::set:
    case StatementKind::set_transaction:
      return false;
    default:
      return true;
  }
}

void collect_places(Block& block, std::vector<StatementPlace>& places) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (program::statement_of(block[i]) != nullptr) places.push_back({&block, i});
    program::for_each_block(block[i], [&](Block& inner) { collect_places(inner, places); });
  }
}

bool has_rows_inside(const Block& block) {
  return std::ranges::any_of(block, [](const Action& action) {
    const ProgramStatement* const statement = program::statement_of(action);
    bool has = statement != nullptr && is_of_rows(*statement);
    program::for_each_block(action,
                            [&](const Block& inner) { has = has || has_rows_inside(inner); });
    return has;
  });
}

// Goes through the code from its end to its beginning.
class FollowedReader {
 public:
  std::map<const ProgramStatement*, bool> run(const Functionality& functionality) {
    walk(functionality.body, false);
    return std::move(followed_);
  }

 private:
  // Whether a statement may run from the block's beginning on, if one may behind it or not.
  bool walk(const Block& block, bool after) {
    for (std::size_t i = block.size(); i-- > 0;) {
      after = std::visit([&](const auto& what) { return before(what, after); }, block[i].what);
    }
    return after;
  }

  bool see(const ProgramStatement& statement, bool after) {
    followed_[&statement] = after;
    return after || is_of_rows(statement);
  }

  bool walk_loop(const Block& body, bool after) {
    const std::pair outer = std::exchange(loop_, {after || has_rows_inside(body), after});
    const bool inside = walk(body, loop_.first);
    loop_ = outer;
    return inside || after;
  }

  bool before(const RunStatement& run, bool after) { return see(run.statement, after); }
  bool before(const OpenRows& open, bool after) { return see(open.statement, after); }
  bool before(const Branch& branch, bool after) {
    const bool then = walk(branch.then, after);
    return walk(branch.otherwise, after) || then;
  }
  bool before(const Loop& loop, bool after) { return walk_loop(loop.body, after); }
  bool before(const CountLoop& loop, bool after) { return walk_loop(loop.body, after); }
  bool before(const ElementLoop& loop, bool after) { return walk_loop(loop.body, after); }
  bool before(const RowLoop& loop, bool after) {
    return see(loop.statement, walk_loop(loop.body, after));
  }
  bool before(const Attempt& attempt, bool after) {
    bool recovers = after;
    for (const Recovery& recovery : attempt.recoveries) {
      recovers = walk(recovery.body, after) || recovers;
    }
    const bool outer = std::exchange(raised_, raised_ || recovers);
    const bool inside = walk(attempt.body, after);
    raised_ = outer;
    return inside || recovers;
  }
  // Which loop it leaves does not matter much: what is behind any of them counts.
  bool before(const LeaveLoop& leave, bool after) {
    if (!leave.label.empty()) return true;
    static_cast<void>(after);
    return leave.next ? loop_.first : loop_.second;
  }
  bool before(const Return& /*end*/, bool /*after*/) { return false; }
  bool before(const Raise& /*raise*/, bool /*after*/) { return raised_; }
  template <class Other>
  bool before(const Other& /*other*/, bool after) {
    return after;
  }

  std::map<const ProgramStatement*, bool> followed_;
  std::pair<bool, bool> loop_ = {false, false};  // the innermost: from its beginning, behind it
  bool raised_ = false;                          // behind an error
};

bool sets_only_variables(const Action& action) {
  return std::holds_alternative<Assign>(action.what) ||
         std::holds_alternative<CountRows>(action.what);
}

// The statement of rows that the action runs as a whole; null: it does something else.
const ProgramStatement* single_statement(const Action& action) {
  const auto* run = std::get_if<RunStatement>(&action.what);
  return run != nullptr && is_of_rows(run->statement) ? &run->statement : nullptr;
}

// Where in the block the statement next to the COMMIT is, with nothing but assignments in between.
std::optional<std::size_t> next_to(const Block& block, std::size_t commit, bool behind) {
  std::size_t i = commit;
  for (;;) {
    if (behind ? i + 1 == block.size() : i == 0) return std::nullopt;
    i = behind ? i + 1 : i - 1;
    if (single_statement(block[i]) != nullptr) return i;
    if (!sets_only_variables(block[i])) return std::nullopt;
  }
}

// Where a lock is taken again: in front of the next statement behind the COMMIT.
std::optional<std::size_t> lock_place(const Block& block, std::size_t commit) {
  for (std::size_t i = commit + 1; i < block.size(); ++i) {
    const ProgramStatement* const next = program::statement_of(block[i]);
    if (next != nullptr) return is_of_rows(*next) ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

bool mentions(const Expression& expression, const std::set<std::string>& names) {
  if (expression.kind == ExpressionKind::variable && names.contains(expression.text)) return true;
  return std::ranges::any_of(expression.operands,
                             [&](const Expression& operand) { return mentions(operand, names); });
}

bool mentions(const ProgramStatement& statement, const std::set<std::string>& names) {
  return std::ranges::any_of(statement.arguments,
                             [&](const Expression& argument) { return mentions(argument, names); });
}

std::string root_of(const Expression& target) {
  return target.operands.empty() ? target.text : root_of(target.operands.front());
}

// The variables that the block gives a value, and how often the code does.
void count_assignments(Block& block, std::map<std::string, std::size_t>& counts) {
  for (Action& action : block) {
    program::for_each_expression(
        action, [](Expression&) {}, [&](Expression& target) { ++counts[root_of(target)]; });
    if (const auto* loop = std::get_if<CountLoop>(&action.what)) counts[loop->variable] += 2;
    if (const auto* loop = std::get_if<ElementLoop>(&action.what)) counts[loop->variable] += 2;
    program::for_each_block(action, [&](Block& inner) { count_assignments(inner, counts); });
  }
}

// SELECT, UPDATE, WITH; of Redis the command.
std::string word_of(const ProgramStatement& statement) {
  std::string word;
  for (const char c : statement.statement.text) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return word;
}

bool is_same_place(const SourceLocation& one, const SourceLocation& other) {
  return one.file == other.file && one.position.line == other.position.line &&
         one.position.column == other.position.column;
}

class BoundaryChanges {
 public:
  BoundaryChanges(Functionality functionality, std::size_t number)
      : copy_(std::move(functionality)),
        number_(number),
        places_(statement_places(copy_)),
        followed_(followed_statements(copy_)) {}

  std::vector<ProgramChange> run() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!is_commit(statement(i)) || followed_[i] == 0) continue;
      commits_.push_back(i);
    }
    join_all();
    for (const std::size_t commit : commits_) {
      join(commit);
      move_before(commit);
      move_behind(commit);
      lock_again(commit);
    }
    return std::move(changes_);
  }

 private:
  const ProgramStatement& statement(std::size_t i) const {
    return *program::statement_of((*places_[i].block)[places_[i].index]);
  }

  // The COMMIT of a connection that commits after each statement stands where that does.
  bool is_automatic(std::size_t commit) const {
    return commit > 0 && is_same_place(statement(commit - 1).source, statement(commit).source);
  }

  std::string said(std::size_t commit) const {
    return is_automatic(commit)
               ? fmt::format("the end of the transaction behind the {} at {}",
                             word_of(statement(commit - 1)), place_of(statement(commit)))
               : fmt::format("the COMMIT at {}", place_of(statement(commit)));
  }

  void add(RepairKind kind, std::size_t of, std::optional<std::size_t> commit,
           std::string sentence) {
    changes_.push_back({.kind = kind,
                        .functionality = number_,
                        .statement = of,
                        .commit = commit,
                        .sentence = std::move(sentence),
                        .source = statement(of).source});
  }

  void join_all() {
    if (commits_.size() < 2) return;
    const bool is_all_automatic =
        std::ranges::all_of(commits_, [&](std::size_t commit) { return is_automatic(commit); });
    add(RepairKind::one_transaction, commits_.front(), std::nullopt,
        fmt::format("run all of {} in one transaction: {}", copy_.name,
                    is_all_automatic ? "switch off auto-commit, and commit at its end"
                                     : "commit at its end alone"));
  }

  void join(std::size_t commit) {
    add(RepairKind::one_transaction, commit, commit,
        is_automatic(commit)
            ? fmt::format("run the {} at {} ({}) in one transaction with what follows it",
                          word_of(statement(commit - 1)), place_of(statement(commit)), copy_.name)
            : fmt::format("take out {} ({})", said(commit), copy_.name));
  }

  // The number of the statement that is the action.
  std::size_t number_of(const Block& block, std::size_t index) const {
    const auto found = std::ranges::find_if(places_, [&](const StatementPlace& place) {
      return place.block == &block && place.index == index;
    });
    return static_cast<std::size_t>(found - places_.begin());
  }

  // With nothing behind it in its transaction the COMMIT might as well be taken out.
  void move_before(std::size_t commit) {
    const Block& block = *places_[commit].block;
    const auto next = next_to(block, places_[commit].index, true);
    if (!next) return;
    const std::size_t moved = number_of(block, *next);
    const bool ends = moved + 1 == places_.size() || !is_of_rows(statement(moved + 1));
    if (ends || followed_[moved] == 0) return;
    add_move(moved, commit, "before");
  }

  void move_behind(std::size_t commit) {
    const Block& block = *places_[commit].block;
    const auto last = next_to(block, places_[commit].index, false);
    if (!last) return;
    const std::size_t moved = number_of(block, *last);
    if (moved == 0 || !is_of_rows(statement(moved - 1))) return;
    add_move(moved, commit, "behind");
  }

  void add_move(std::size_t moved, std::size_t commit, std::string_view where) {
    add(RepairKind::move_statement, moved, commit,
        fmt::format("move the {} at {} {} {} ({})", word_of(statement(moved)),
                    place_of(statement(moved)), where, said(commit), copy_.name));
  }

  void lock_again(std::size_t commit) {
    const StatementPlace& place = places_[commit];
    const auto next = lock_place(*place.block, place.index);
    if (!next || mentions(*program::statement_of((*place.block)[*next]), {"found"})) return;
    std::map<std::string, std::size_t> assigned;
    count_assignments(copy_.body, assigned);
    std::set<std::string> changing;
    for (const Variable& parameter : copy_.parameters) {
      if (assigned.contains(parameter.name)) changing.insert(parameter.name);
    }
    for (const auto& [name, count] : assigned) {
      if (count > 1) changing.insert(name);
    }
    for (std::size_t i = 0; i < commit; ++i) {
      const ProgramStatement& read = statement(i);
      const bool is_single = single_statement((*places_[i].block)[places_[i].index]) != nullptr;
      const bool locks = read.statement.kind == StatementKind::select && is_single &&
                         !read.made_text && read.store.empty() &&
                         std::ranges::any_of(read.statement.tables, [](const TableUse& use) {
                           return use.locking != LockingClause::none;
                         });
      if (!locks || mentions(read, changing)) continue;
      add(RepairKind::lock_again, i, commit,
          fmt::format("lock again, behind {} ({}), what the {} at {} locked", said(commit),
                      copy_.name, word_of(read), place_of(read)));
    }
  }

  Functionality copy_;
  const std::size_t number_;
  std::vector<StatementPlace> places_;  // in the copy
  std::vector<char> followed_;
  std::vector<std::size_t> commits_;  // of which something comes
  std::vector<ProgramChange> changes_;
};

// The changes of one COMMIT.
struct CommitChanges {
  bool goes = false;
  std::vector<std::size_t> moved;   // statements, as they were numbered at first
  std::vector<std::size_t> locked;  // queries whose locks are taken again
};

class BoundaryEdit {
 public:
  explicit BoundaryEdit(Functionality& functionality)
      : functionality_(functionality), origins_(statement_places(functionality).size()) {
    std::iota(origins_.begin(), origins_.end(), std::size_t{0});
  }

  void make(std::size_t commit, const CommitChanges& changes) {
    const bool moves_both = changes.moved.size() > 1;
    if (changes.goes || moves_both) return take_out(commit);
    std::vector<Action> locks;
    for (const std::size_t read : changes.locked) {
      const bool goes_behind = changes.moved == std::vector{read};
      if (!goes_behind) locks.push_back(lock_of(read));
    }
    if (!changes.moved.empty()) commit = move_over(commit, changes.moved.front());
    for (Action& lock : locks) add_lock(commit, std::move(lock));
  }

  std::vector<std::size_t> finish() {
    const std::vector<StatementPlace> places = statement_places(functionality_);
    functionality_.states_boundaries = std::ranges::any_of(places, [](const StatementPlace& place) {
      const StatementKind kind = program::statement_of((*place.block)[place.index])->statement.kind;
      return kind == StatementKind::commit || kind == StatementKind::rollback;
    });
    return std::move(origins_);
  }

 private:
  StatementPlace placed(std::size_t statement) {
    return statement_places(functionality_)[statement];
  }

  Action lock_of(std::size_t read) {
    const StatementPlace place = placed(read);
    Action lock = (*place.block)[place.index];
    std::get<RunStatement>(lock.what).into.clear();
    std::get<RunStatement>(lock.what).strict = false;
    std::get<RunStatement>(lock.what).returned = false;
    return lock;
  }

  void add_lock(std::size_t commit, Action lock) {
    const StatementPlace place = placed(commit);
    const auto next = lock_place(*place.block, place.index);
    if (!next) return;
    const auto at = static_cast<std::ptrdiff_t>(*next);
    place.block->insert(place.block->begin() + at, std::move(lock));
    origins_.insert(
        origins_.begin() + static_cast<std::ptrdiff_t>(commit) + 1 + count_between(place, *next),
        kAdded);
  }

  // Statements inside of what stands between the COMMIT and the place.
  static std::ptrdiff_t count_between(const StatementPlace& commit, std::size_t next) {
    std::vector<StatementPlace> inside;
    for (std::size_t i = commit.index + 1; i < next; ++i) {
      program::for_each_block((*commit.block)[i],
                              [&](Block& inner) { collect_places(inner, inside); });
    }
    return static_cast<std::ptrdiff_t>(inside.size());
  }

  void take_out(std::size_t commit) {
    const StatementPlace place = placed(commit);
    place.block->erase(place.block->begin() + static_cast<std::ptrdiff_t>(place.index));
    origins_.erase(origins_.begin() + static_cast<std::ptrdiff_t>(commit));
  }

  // The COMMIT goes to the other side of its neighbour, over what assigns in between as well.
  // Returns its new number.
  std::size_t move_over(std::size_t commit, std::size_t moved) {
    const StatementPlace place = placed(commit);
    const bool behind = moved > commit;
    const auto next = next_to(*place.block, place.index, behind);
    if (!next) return commit;
    const auto first = place.block->begin() + static_cast<std::ptrdiff_t>(place.index);
    const auto last = place.block->begin() + static_cast<std::ptrdiff_t>(*next);
    if (behind) {
      std::rotate(first, first + 1, last + 1);
      std::swap(origins_[commit], origins_[commit + 1]);
      return commit + 1;
    }
    std::rotate(last, first, first + 1);
    std::swap(origins_[commit], origins_[commit - 1]);
    return commit - 1;
  }

  Functionality& functionality_;
  std::vector<std::size_t> origins_;
};

}  // namespace

std::string place_of(const ProgramStatement& statement) {
  return fmt::format("{}:{}", statement.source.file, statement.source.position.line);
}

std::vector<StatementPlace> statement_places(Functionality& functionality) {
  std::vector<StatementPlace> places;
  collect_places(functionality.body, places);
  return places;
}

std::vector<char> followed_statements(const Functionality& functionality) {
  const std::map<const ProgramStatement*, bool> followed = FollowedReader().run(functionality);
  std::vector<char> flags;
  for (const ListedStatement& listed : list_statements(functionality)) {
    flags.push_back(followed.at(listed.statement) ? 1 : 0);
  }
  return flags;
}

std::vector<ProgramChange> possible_boundary_changes(const Functionality& functionality,
                                                     std::size_t number) {
  if (program::uses_several_connections(functionality)) return {};
  return BoundaryChanges(functionality, number).run();
}

std::vector<std::size_t> apply_boundary_changes(Functionality& functionality,
                                                const std::vector<ProgramChange>& changes) {
  std::map<std::size_t, CommitChanges, std::greater<>> by_commit;
  bool joins_all = false;
  for (const ProgramChange& change : changes) {
    if (change.kind == RepairKind::one_transaction) {
      joins_all = joins_all || !change.commit;
      if (change.commit) by_commit[*change.commit].goes = true;
    } else if (change.kind == RepairKind::move_statement) {
      by_commit[*change.commit].moved.push_back(*change.statement);
    } else if (change.kind == RepairKind::lock_again) {
      by_commit[*change.commit].locked.push_back(*change.statement);
    }
  }
  if (joins_all) {
    const std::vector<StatementPlace> places = statement_places(functionality);
    const std::vector<char> followed = followed_statements(functionality);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Action& action = (*places[i].block)[places[i].index];
      if (is_commit(*program::statement_of(action)) && followed[i] != 0) by_commit[i].goes = true;
    }
  }
  BoundaryEdit edit(functionality);
  for (const auto& [commit, of_commit] : by_commit) edit.make(commit, of_commit);
  return edit.finish();
}

}  // namespace heddle::find
