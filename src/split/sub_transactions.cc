#include "split/sub_transactions.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace heddle::chopping {

namespace {

// The last statements of the open transaction; none: nobody gets here.
using Last = std::optional<std::set<std::size_t>>;

Last either_last(const Last& a, const Last& b) {
  if (!a) return b;
  if (!b) return a;
  std::set<std::size_t> all = *a;
  all.insert(b->begin(), b->end());
  return all;
}

// Joins what follows each other (union-find).
class FollowFinder {
 public:
  explicit FollowFinder(const Functionality& functionality)
      : listed_(list_statements(functionality)), same_(listed_.size()) {
    std::iota(same_.begin(), same_.end(), std::size_t{0});
    for (std::size_t i = 0; i < listed_.size(); ++i) numbers_[listed_[i].statement] = i;
    walk(functionality.body, std::set<std::size_t>{});
  }

  const Statement& statement(std::size_t i) const { return listed_[i].statement->statement; }
  std::size_t size() const { return same_.size(); }
  // The least of those that are of one sub-transaction.
  std::size_t first_of(std::size_t i) const {
    while (same_[i] != i) i = same_[i];
    return i;
  }

 private:
  void join(std::size_t a, std::size_t b) {
    a = first_of(a);
    b = first_of(b);
    same_[std::max(a, b)] = std::min(a, b);
  }

  Last enter(const ProgramStatement& statement, const std::set<std::size_t>& last) {
    const StatementKind kind = statement.statement.kind;
    if (kind == StatementKind::commit || kind == StatementKind::rollback) {
      return std::set<std::size_t>{};
    }
    if (statement.statement.tables.empty()) return last;
    const std::size_t number = numbers_.at(&statement);
    for (const std::size_t before : last) join(before, number);
    for (std::set<std::size_t>& failed : attempts_) failed.insert(number);
    return std::set{number};
  }

  Last walk(const Block& block, Last last) {
    for (const Action& action : block) {
      if (!last) return last;
      last = std::visit([&](const auto& what) { return step(what, *last); }, action.what);
    }
    return last;
  }

  // A second round follows the first.
  Last loop(const Block& body, const std::set<std::size_t>& last) {
    const Last once = walk(body, last);
    return either_last(last, walk(body, either_last(last, once)));
  }

  template <class Other>
  Last step(const Other& /*what*/, const std::set<std::size_t>& last) {
    return last;
  }
  Last step(const RunStatement& what, const std::set<std::size_t>& last) {
    return enter(what.statement, last);
  }
  Last step(const OpenRows& what, const std::set<std::size_t>& last) {
    return enter(what.statement, last);
  }
  Last step(const RowLoop& what, const std::set<std::size_t>& last) {
    return loop(what.body, *enter(what.statement, last));
  }
  Last step(const Loop& what, const std::set<std::size_t>& last) { return loop(what.body, last); }
  Last step(const CountLoop& what, const std::set<std::size_t>& last) {
    return loop(what.body, last);
  }
  Last step(const ElementLoop& what, const std::set<std::size_t>& last) {
    return loop(what.body, last);
  }
  Last step(const Branch& what, const std::set<std::size_t>& last) {
    return either_last(walk(what.then, last), walk(what.otherwise, last));
  }
  // An error may come behind any statement of its body.
  Last step(const Attempt& what, const std::set<std::size_t>& last) {
    attempts_.push_back(last);
    Last after = walk(what.body, last);
    const std::set<std::size_t> failed = std::move(attempts_.back());
    attempts_.pop_back();
    for (const Recovery& recovery : what.recoveries) {
      after = either_last(after, walk(recovery.body, failed));
    }
    return after;
  }
  Last step(const Return& /*what*/, const std::set<std::size_t>& /*last*/) { return std::nullopt; }
  Last step(const Raise& /*what*/, const std::set<std::size_t>& /*last*/) { return std::nullopt; }

  std::vector<ListedStatement> listed_;
  std::map<const ProgramStatement*, std::size_t> numbers_;
  std::vector<std::size_t> same_;
  // Of each Attempt whose body is being gone through: what may have run last when it failed.
  std::vector<std::set<std::size_t>> attempts_;
};

}  // namespace

std::vector<SubTransaction> sub_transactions_of(const Functionality& functionality,
                                                const TableServices& services) {
  const FollowFinder finder(functionality);
  std::map<std::size_t, std::size_t> numbers;
  std::vector<SubTransaction> all;
  for (std::size_t i = 0; i < finder.size(); ++i) {
    const std::set<std::size_t> own = services.of(finder.statement(i));
    if (own.empty()) continue;
    const auto [number, is_new] = numbers.try_emplace(finder.first_of(i), all.size());
    if (is_new) all.push_back({.service = *own.begin(), .statements = {}});
    all[number->second].statements.push_back(i);
  }
  return all;
}

}  // namespace heddle::chopping
