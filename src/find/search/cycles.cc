#include "find/search/cycles.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::find {

namespace {

// Up to so many transactions all orders are gone through; of more, only those whose beginnings are
// cycles' beginnings, and each ring of alike transactions from one of them on alone.
constexpr std::size_t kFew = 4;

// How many operations the transaction between these edges has in the cycle, at least: one, if what
// is entered is what is left.
std::size_t operations(const Conflict& in, const Conflict& out, bool& is_one) {
  is_one = meet_in_one_operation(in, out);
  return is_one ? 1 : 2;
}

class CycleEnumerator {
 public:
  CycleEnumerator(const CycleInput& input, const std::function<bool(const Skeleton&)>& see)
      : input_(input), see_(see), order_(input.instances) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  // The first transaction stays the first, so that no cycle comes twice by its rotations.
  void run() {
    if (input_.instances > kFew) {
      is_used_.assign(input_.instances, false);
      order_.assign(1, 0);
      is_used_[0] = true;
      walk();
      return;
    }
    do {
      chosen_.clear();
      if (!extend(0)) return;
    } while (std::next_permutation(order_.begin() + 1, order_.end()));
  }

 private:
  bool extend(std::size_t at) {
    if (at == order_.size()) return close();
    const std::size_t to = order_[(at + 1) % order_.size()];
    return choose(order_[at], to, [&] { return extend(at + 1); });
  }

  // Where a path ends that no cycle begins with, no order of the other transactions is tried.
  bool walk() {
    if (order_.size() == input_.instances) {
      return choose(order_.back(), order_.front(), [&] { return close(); });
    }
    const std::size_t from = order_.back();
    for (std::size_t to = 1; to < input_.instances; ++to) {
      if (is_used_[to] || has_twin_before(to)) continue;
      is_used_[to] = true;
      const bool goes_on = choose(from, to, [&] {
        order_.push_back(to);
        const bool may_go_on = walk();
        order_.pop_back();
        return may_go_on;
      });
      is_used_[to] = false;
      if (!goes_on) return false;
    }
    return true;
  }

  // Whether another one of its kind, which is as good, is tried in its place.
  bool has_twin_before(std::size_t transaction) const {
    if (input_.kinds.empty()) return false;
    for (std::size_t other = 1; other < transaction; ++other) {
      if (!is_used_[other] && input_.kinds[other] == input_.kinds[transaction]) return true;
    }
    return false;
  }

  // Tries each conflict as the next dependency.
  template <class GoOn>
  bool choose(std::size_t from, std::size_t to, const GoOn& go_on) {
    if (input_.is_late && input_.is_late()) return false;
    const std::vector<Conflict>& conflicts = *input_.conflicts[from][to];
    for (std::size_t i = 0; i < conflicts.size(); ++i) {
      const RingStep step{.from = rank_of(from), .to = rank_of(to), .choice = i};
      if (walks_rings() && !rotation_.admits(step)) continue;
      rotation_.push(step);
      chosen_.push_back({&conflicts[i], from, to});
      const bool is_short =
          chosen_.size() == 1 || least_length(chosen_, input_.instances) <= input_.max_length;
      const bool is_admitted = is_short && (!input_.admits_path || input_.admits_path(chosen_));
      const bool goes_on = !is_admitted || go_on();
      chosen_.pop_back();
      rotation_.pop();
      if (!goes_on) return false;
    }
    return true;
  }

  // Where all transactions differ, the first one being the first is enough.
  bool walks_rings() const { return input_.instances > kFew && !input_.kinds.empty(); }

  // The kind of the first transaction is the least, so that the least rotation begins with one of
  // it.
  std::size_t rank_of(std::size_t transaction) const {
    if (input_.kinds.empty()) return transaction;
    const std::size_t kind = input_.kinds[transaction];
    return kind == input_.kinds[0] ? 0 : kind + 1;
  }

  // One transaction at least has to be entered at another operation than it is left at, or by being
  // rolled back.
  bool close() {
    if (walks_rings() && !rotation_.closes()) return true;
    Skeleton skeleton{.edges = chosen_, .length = 0};
    bool has_two = false;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const SkeletonEdge& in = chosen_[i];
      const SkeletonEdge& out = chosen_[(i + 1) % chosen_.size()];
      bool is_one = false;
      skeleton.length += operations(*in.conflict, *out.conflict, is_one);
      const bool rolls_back = in.conflict->kind == DependencyKind::rw &&
                              in.to < input_.may_be_undone.size() && input_.may_be_undone[in.to];
      has_two = has_two || !is_one || rolls_back || (*input_.runs_again[in.to])[in.conflict->to];
    }
    if (!has_two || skeleton.length > input_.max_length) return true;
    return see_(skeleton);
  }

  const CycleInput& input_;
  const std::function<bool(const Skeleton&)>& see_;
  std::vector<std::size_t> order_;  // as far as it is known
  std::vector<bool> is_used_;       // by transaction: whether the path goes through it
  std::vector<SkeletonEdge> chosen_;
  LeastRotation rotation_;  // of chosen_
};

// Of so many it takes longer to ask than to walk.
constexpr std::size_t kMostTurns = 2'000;

bool is_turn(const SkeletonEdge& edge) { return edge.conflict->kind == DependencyKind::rw; }

// Whether the transaction between them is left before it is entered.
bool goes_back(const SkeletonEdge& in, const SkeletonEdge& out) {
  return out.conflict->from < in.conflict->to;
}

// Not for several threads.
class Turns {
 public:
  using Admits = std::function<bool(const std::vector<SkeletonEdge>&)>;

  // `input` outlives it. `admits`: which dependencies a cycle may have together; with fewer of them
  // it admits no less, and it asks for nothing but their statements.
  Turns(const CycleInput& input, Admits admits);

  // Whether a cycle may begin with these dependencies, which have been admitted.
  bool may_follow(const std::vector<SkeletonEdge>& path);

 private:
  using Statements = std::vector<std::uint64_t>;  // bits

  void find_turns();
  void add_turn(std::vector<SkeletonEdge> edges);
  void add_statement(std::size_t transaction, std::size_t statement, Statements& to) const;
  Statements statements_of(const std::vector<SkeletonEdge>& edges) const;
  bool has_turn(const std::vector<SkeletonEdge>& path) const;

  const CycleInput& input_;
  Admits admits_;
  std::vector<std::size_t> first_numbers_;  // by transaction, of its first statement
  std::size_t words_ = 0;
  bool is_told_ = true;                                    // false: anything may follow
  std::map<Statements, std::vector<SkeletonEdge>> turns_;  // an edge, or two that join
  std::map<Statements, bool> known_;                       // by the statements of a path
};

Turns::Turns(const CycleInput& input, Admits admits) : input_(input), admits_(std::move(admits)) {
  std::map<std::size_t, std::size_t> by_kind;
  std::size_t count = 0;
  for (std::size_t i = 0; i < input.instances; ++i) {
    const std::size_t kind = input.kinds.empty() ? i : input.kinds[i];
    const auto [known, is_new] = by_kind.emplace(kind, count);
    if (is_new) count += input.runs_again[i]->size();
    first_numbers_.push_back(known->second);
    // In a loop a later statement comes first, too; what is rolled back is seen and is not there.
    const bool is_undone = i < input.may_be_undone.size() && input.may_be_undone[i];
    if (is_undone || std::ranges::find(*input.runs_again[i], true) != input.runs_again[i]->end()) {
      is_told_ = false;
    }
  }
  constexpr std::size_t kBits = 64;
  words_ = (count + kBits - 1) / kBits;
  if (is_told_) find_turns();
}

void Turns::find_turns() {
  for (std::size_t from = 0; from < input_.instances; ++from) {
    for (std::size_t at = 0; at < input_.instances; ++at) {
      for (const Conflict& in : *input_.conflicts[from][at]) {
        const SkeletonEdge entry{&in, from, at};
        if (is_turn(entry)) add_turn({entry});
        for (std::size_t to = 0; to < input_.instances && !is_turn(entry); ++to) {
          for (const Conflict& out : *input_.conflicts[at][to]) {
            const SkeletonEdge exit{&out, at, to};
            if (goes_back(entry, exit)) add_turn({entry, exit});
          }
        }
        if (turns_.size() > kMostTurns) is_told_ = false;
        if (!is_told_) return;
      }
    }
  }
}

void Turns::add_turn(std::vector<SkeletonEdge> edges) {
  Statements statements = statements_of(edges);
  turns_.emplace(std::move(statements), std::move(edges));
}

void Turns::add_statement(std::size_t transaction, std::size_t statement, Statements& to) const {
  constexpr std::size_t kBits = 64;
  const std::size_t number = first_numbers_[transaction] + statement;
  to[number / kBits] |= std::uint64_t{1} << (number % kBits);
}

Turns::Statements Turns::statements_of(const std::vector<SkeletonEdge>& edges) const {
  Statements statements(words_);
  for (const SkeletonEdge& edge : edges) {
    add_statement(edge.from, edge.conflict->from, statements);
    add_statement(edge.to, edge.conflict->to, statements);
  }
  return statements;
}

bool Turns::has_turn(const std::vector<SkeletonEdge>& path) const {
  if (std::ranges::any_of(path, is_turn)) return true;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (goes_back(path[i], path[i + 1])) return true;
  }
  return path.size() == input_.instances && goes_back(path.back(), path.front());
}

bool Turns::may_follow(const std::vector<SkeletonEdge>& path) {
  if (!is_told_ || has_turn(path)) return true;
  if (path.size() == input_.instances) return false;
  const auto [known, is_new] = known_.try_emplace(statements_of(path));
  if (!is_new) return known->second;
  known->second = std::ranges::any_of(turns_, [&](const auto& turn) {
    std::vector<SkeletonEdge> both = path;
    both.insert(both.end(), turn.second.begin(), turn.second.end());
    return admits_(both);
  });
  return known->second;
}

}  // namespace

std::size_t least_length(const std::vector<SkeletonEdge>& path, std::size_t instances) {
  std::size_t length = instances;
  bool is_one = false;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    length += operations(*path[i].conflict, *path[i + 1].conflict, is_one) - 1;
  }
  return length;
}

void leave_out_straight(CycleInput& input) {
  const Turns::Admits admits = input.admits_path;
  const auto turns = std::make_shared<Turns>(input, admits);
  input.admits_path = [admits, turns](const std::vector<SkeletonEdge>& path) {
    return admits(path) && turns->may_follow(path);
  };
}

void enumerate_cycles(const CycleInput& input, const std::function<bool(const Skeleton&)>& see) {
  CycleEnumerator(input, see).run();
}

std::string least_rotation(const std::vector<std::string>& parts) {
  std::string least;
  for (std::size_t first = 0; first < parts.size(); ++first) {
    std::string rotated;
    for (std::size_t i = 0; i < parts.size(); ++i) rotated += parts[(first + i) % parts.size()];
    if (least.empty() || rotated < least) least = rotated;
  }
  return least;
}

std::string rotation_free_text(const Skeleton& skeleton, const std::vector<std::size_t>& members) {
  std::vector<std::string> parts;
  for (const SkeletonEdge& edge : skeleton.edges) {
    const Conflict& of = *edge.conflict;
    parts.push_back(fmt::format("{}.{}.{}-{}{}{}.{}-{} ", members[edge.from], of.from,
                                of.from_source, to_string(of.kind), of.by_lock ? "l" : "",
                                of.to_source, of.to, members[edge.to]));
  }
  return least_rotation(parts);
}

}  // namespace heddle::find
