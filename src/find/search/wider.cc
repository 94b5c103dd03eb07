#include "find/search/wider.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "find/search/cycles.h"

namespace heddle::find {

namespace {

using PlaceOfStatement = std::pair<std::size_t, std::size_t>;  // functionality, statement

// The statements of the known cycles, as sets of bits: paths are asked about for each of their
// steps.
class KnownStatements {
 public:
  explicit KnownStatements(const std::vector<FoundCycle>& cycles) {
    std::set<std::set<PlaceOfStatement>> all;
    for (const FoundCycle& cycle : cycles) {
      std::set<PlaceOfStatement> statements;
      for (const FoundNode& node : cycle.nodes) {
        statements.emplace(node.functionality, node.statement);
      }
      all.insert(std::move(statements));
    }
    for (const std::set<PlaceOfStatement>& one : all) {
      // What has all of a smaller one is told by that.
      const bool is_told = std::ranges::any_of(all, [&](const auto& other) {
        return other.size() < one.size() && std::ranges::includes(one, other);
      });
      if (is_told) continue;
      Bits bits;
      for (const PlaceOfStatement& statement : one) set(bits, number_of(statement));
      sets_.push_back(std::move(bits));
    }
    words_ = (count_ + kBits - 1) / kBits;
    for (Bits& bits : sets_) bits.resize(words_);
  }

  // Whether the edges have all statements of a known cycle.
  bool are_in(const std::vector<std::size_t>& members,
              const std::vector<SkeletonEdge>& edges) const {
    Bits statements(words_);
    for (const SkeletonEdge& edge : edges) {
      add({members[edge.from], edge.conflict->from}, statements);
      add({members[edge.to], edge.conflict->to}, statements);
    }
    return std::ranges::any_of(sets_, [&](const Bits& inner) {
      for (std::size_t i = 0; i < words_; ++i) {
        if ((inner[i] & ~statements[i]) != 0) return false;
      }
      return true;
    });
  }

 private:
  using Bits = std::vector<std::uint64_t>;
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t kNone = SIZE_MAX;

  static void set(Bits& bits, std::size_t number) {
    if (bits.size() <= number / kBits) bits.resize(number / kBits + 1);
    bits[number / kBits] |= std::uint64_t{1} << (number % kBits);
  }

  std::size_t number_of(const PlaceOfStatement& statement) {
    const auto& [functionality, place] = statement;
    if (numbers_.size() <= functionality) numbers_.resize(functionality + 1);
    std::vector<std::size_t>& of = numbers_[functionality];
    if (of.size() <= place) of.resize(place + 1, kNone);
    if (of[place] == kNone) of[place] = count_++;
    return of[place];
  }

  // A statement of no known cycle makes no difference.
  void add(const PlaceOfStatement& statement, Bits& bits) const {
    const auto& [functionality, place] = statement;
    if (functionality >= numbers_.size() || place >= numbers_[functionality].size()) return;
    const std::size_t number = numbers_[functionality][place];
    if (number != kNone) set(bits, number);
  }

  std::vector<std::vector<std::size_t>> numbers_;  // by functionality and statement
  std::size_t count_ = 0;
  std::size_t words_ = 0;
  std::vector<Bits> sets_;
};

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
    if (is_settled()) return;
    for (std::size_t next = members_.front(); next < input_.prepared.size(); ++next) {
      members_.push_back(next);
      try_edges(at, next, [this] { go_on(); });
      members_.pop_back();
    }
  }

  // Whether all sets that the walk can come to from here have been found already, as far as that is
  // told quickly.
  bool is_settled() {
    constexpr std::size_t kMostCompletions = 200;
    const std::size_t kinds = input_.prepared.size() - members_.front();
    std::size_t count = 1;
    for (std::size_t i = 1; i <= size_ - members_.size() && count <= kMostCompletions; ++i) {
      count = count * (kinds + i - 1) / i;
    }
    if (count > kMostCompletions || sets_.empty()) return false;
    const std::size_t at = members_.size();
    const bool are_found = completions_are_found(members_.front());
    members_.resize(at);
    return are_found;
  }

  bool completions_are_found(std::size_t least) {
    if (members_.size() == size_) return sets_.contains(sorted());
    for (std::size_t next = least; next < input_.prepared.size(); ++next) {
      members_.push_back(next);
      if (!completions_are_found(next)) return false;
      members_.pop_back();
    }
    return true;
  }

  // Each dependency of the last member on the one that stands at this place.
  template <class Then>
  void try_edges(std::size_t to, std::size_t functionality, const Then& then) {
    const std::size_t from = path_.size();
    if (!input_.conflicts->may_conflict(members_[from], functionality)) return;
    const auto conflicts = input_.conflicts_between(members_[from], functionality);
    if (!conflicts->is_complete) found_.is_complete = false;
    for (std::size_t i = 0; i < conflicts->all.size(); ++i) {
      if (input_.is_late()) found_.is_complete = false;
      if (!found_.is_complete) return;
      const RingStep step{.from = members_[from], .to = functionality, .choice = i};
      if (!rotation_.admits(step)) continue;
      rotation_.push(step);
      path_.push_back({&conflicts->all[i], from, to});
      const bool is_short = least_length(path_, size_) <= input_.max_length;
      if (is_short && input_.admits_path(members_, path_)) then();
      path_.pop_back();
      rotation_.pop();
    }
  }

  void close() {
    if (!rotation_.closes()) return;
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
  LeastRotation rotation_;  // of path_
  std::set<std::vector<std::size_t>> sets_;
  CycleSets found_;
};

}  // namespace

Admission beyond(const SearchInput& input, std::vector<FoundCycle> known) {
  // What goes wrong with equal arguments alone says nothing of others.
  std::erase_if(known, &FoundCycle::needs_equal_arguments);
  const auto statements = std::make_shared<const KnownStatements>(known);
  return [&input, statements](const std::vector<std::size_t>& members, const Skeleton& skeleton) {
    return may_be_larger(input, members, skeleton) && !statements->are_in(members, skeleton.edges);
  };
}

void leave_out(SearchInput& input, const std::vector<FoundCycle>& known) {
  const auto statements = std::make_shared<const KnownStatements>(known);
  input.admits = [statements](const std::vector<std::size_t>& members, const Skeleton& skeleton) {
    return !statements->are_in(members, skeleton.edges);
  };
  input.admits_path = [statements](const std::vector<std::size_t>& members,
                                   const std::vector<SkeletonEdge>& path) {
    return !statements->are_in(members, path);
  };
}

CycleSets sets_with_cycles(const SearchInput& input, std::size_t size) {
  return CycleWalk(input, size).run();
}

}  // namespace heddle::find
