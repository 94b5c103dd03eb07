#include "find/search/wider.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "find/search/cycles.h"

namespace heddle::find {

namespace {

using PlaceOfStatement = std::pair<std::size_t, std::size_t>;  // functionality, statement

// The statements of the known cycles, by the first of them.
using KnownStatements = std::map<PlaceOfStatement, std::set<std::set<PlaceOfStatement>>>;

KnownStatements known_statements(const std::vector<FoundCycle>& cycles) {
  KnownStatements known;
  for (const FoundCycle& cycle : cycles) {
    std::set<PlaceOfStatement> statements;
    for (const FoundNode& node : cycle.nodes) {
      statements.emplace(node.functionality, node.statement);
    }
    const PlaceOfStatement first = *statements.begin();
    known[first].insert(std::move(statements));
  }
  return known;
}

bool has_known(const KnownStatements& known, const std::vector<std::size_t>& members,
               const std::vector<SkeletonEdge>& edges) {
  std::set<PlaceOfStatement> statements;
  for (const SkeletonEdge& edge : edges) {
    statements.emplace(members[edge.from], edge.conflict->from);
    statements.emplace(members[edge.to], edge.conflict->to);
  }
  return std::ranges::any_of(statements, [&](const PlaceOfStatement& first) {
    const auto near = known.find(first);
    return near != known.end() && std::ranges::any_of(near->second, [&](const auto& inner) {
             return std::ranges::includes(statements, inner);
           });
  });
}

// Whether a cycle of this form may be beyond the bounds: in two rounds of a loop one statement is
// two operations.
bool may_be_larger(const SearchInput& input, const std::vector<std::size_t>& members,
                   const Skeleton& skeleton) {
  if (members.size() > input.options.max_instances) return true;
  if (skeleton.length > input.max_length) return true;
  return std::ranges::any_of(skeleton.edges, [&](const SkeletonEdge& edge) {
    return input.prepared[members[edge.from]].runs_again[edge.conflict->from] ||
           input.prepared[members[edge.to]].runs_again[edge.conflict->to];
  });
}

// Goes along the conflicts of functionalities, each cycle from the least of its members on.
class CycleWalk {
 public:
  CycleWalk(const SearchInput& input, std::size_t size) : input_(input), size_(size) {}

  CycleSets run() {
    for (std::size_t first = 0; first < input_.prepared.size(); ++first) {
      members_.assign(1, first);
      go_on();
    }
    found_.sets.assign(sets_.begin(), sets_.end());
    return std::move(found_);
  }

 private:
  void go_on() {
    if (members_.size() == size_) {
      if (!sets_.contains(sorted())) try_edges(0, members_.front(), [this] { close(); });
      return;
    }
    const std::size_t at = members_.size();
    for (std::size_t next = members_.front(); next < input_.prepared.size(); ++next) {
      members_.push_back(next);
      try_edges(at, next, [this] { go_on(); });
      members_.pop_back();
    }
  }

  // Each dependency of the last member on the one that stands at this place.
  template <class Then>
  void try_edges(std::size_t to, std::size_t functionality, const Then& then) {
    const std::size_t from = path_.size();
    if (!input_.conflicts->may_conflict(members_[from], functionality)) return;
    const auto conflicts = input_.conflicts_between(members_[from], functionality);
    if (!conflicts->is_complete) found_.is_complete = false;
    for (const Conflict& conflict : conflicts->all) {
      if (input_.is_late()) found_.is_complete = false;
      if (!found_.is_complete) return;
      path_.push_back({&conflict, from, to});
      const bool is_short = least_length(path_, size_) <= input_.max_length;
      if (is_short && input_.admits_path(members_, path_)) then();
      path_.pop_back();
    }
  }

  void close() {
    std::vector<SkeletonEdge> ring = path_;
    ring.push_back(path_.front());
    // A ring has no beginning: its first transaction is counted as one that it comes to.
    const std::size_t length = least_length(ring, size_);
    const bool has_two = length > size_ || std::ranges::any_of(path_, [&](const auto& edge) {
                           const Prepared& entered = input_.prepared[members_[edge.to]];
                           return entered.may_be_undone || entered.runs_again[edge.conflict->to];
                         });
    if (has_two && length <= input_.max_length) sets_.insert(sorted());
  }

  std::vector<std::size_t> sorted() const {
    std::vector<std::size_t> members = members_;
    std::ranges::sort(members);
    return members;
  }

  const SearchInput& input_;
  std::size_t size_;
  std::vector<std::size_t> members_;
  std::vector<SkeletonEdge> path_;
  std::set<std::vector<std::size_t>> sets_;
  CycleSets found_;
};

}  // namespace

Admission beyond(const SearchInput& input, const std::vector<FoundCycle>& known) {
  const auto statements = std::make_shared<const KnownStatements>(known_statements(known));
  return [&input, statements](const std::vector<std::size_t>& members, const Skeleton& skeleton) {
    return may_be_larger(input, members, skeleton) &&
           !has_known(*statements, members, skeleton.edges);
  };
}

void leave_out(SearchInput& input, const std::vector<FoundCycle>& known) {
  const auto statements = std::make_shared<const KnownStatements>(known_statements(known));
  input.admits = [statements](const std::vector<std::size_t>& members, const Skeleton& skeleton) {
    return !has_known(*statements, members, skeleton.edges);
  };
  input.admits_path = [statements](const std::vector<std::size_t>& members,
                                   const std::vector<SkeletonEdge>& path) {
    return !has_known(*statements, members, path);
  };
}

CycleSets sets_with_cycles(const SearchInput& input, std::size_t size) {
  return CycleWalk(input, size).run();
}

}  // namespace heddle::find
