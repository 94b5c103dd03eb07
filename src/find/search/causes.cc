#include "find/search/causes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "find/search/containment.h"

namespace heddle::find {

namespace {

using StatementPart =
    std::tuple<std::size_t, std::size_t, OperationPart>;  // functionality, statement

// The operations of each transaction.
std::vector<std::set<StatementPart>> transactions_of(const FoundCycle& cycle) {
  std::vector<std::set<StatementPart>> transactions;
  for (const FoundNode& node : cycle.nodes) {
    if (transactions.size() <= node.instance) transactions.resize(node.instance + 1);
    transactions[node.instance].emplace(node.functionality, node.statement, node.part);
  }
  return transactions;
}

// Every cycle of fewer operations that might be in another one has one of its operations.
class CoreFinder {
 public:
  explicit CoreFinder(const std::vector<FoundCycle>& cycles) : cycles_(cycles) {
    for (const FoundCycle& cycle : cycles) transactions_.push_back(transactions_of(cycle));
  }

  // In the order of `by_length`. Its own number: it is a core.
  std::vector<std::size_t> find(const std::vector<std::size_t>& by_length) {
    std::vector<std::size_t> cores(cycles_.size());
    for (const std::size_t i : by_length) {
      cores[i] = cycles_[i].is_core ? i : core_of(i);
      if (cores[i] == i) add_core(i);
    }
    return cores;
  }

 private:
  std::size_t core_of(std::size_t cycle) const {
    std::size_t least = cycle;
    for (const std::set<StatementPart>& transaction : transactions_[cycle]) {
      for (const StatementPart& operation : transaction) {
        const auto near = cores_with_.find(operation);
        if (near == cores_with_.end()) continue;
        for (const std::size_t core : near->second) {
          if (cycles_[core].nodes.size() >= cycles_[cycle].nodes.size()) break;
          if (least != cycle && core >= least) continue;
          if (contains(transactions_[cycle], transactions_[core])) least = core;
        }
      }
    }
    return least;
  }

  // By its first operation only, which is enough to find it.
  void add_core(std::size_t cycle) {
    cores_with_[*transactions_[cycle].front().begin()].push_back(cycle);
  }

  const std::vector<FoundCycle>& cycles_;
  std::vector<std::vector<std::set<StatementPart>>> transactions_;
  std::map<StatementPart, std::vector<std::size_t>> cores_with_;
};

}  // namespace

bool contains(const FoundCycle& outer, const FoundCycle& inner) {
  return contains(transactions_of(outer), transactions_of(inner));
}

std::vector<FoundCause> group_causes(std::vector<FoundCycle> cycles) {
  std::vector<std::size_t> by_length(cycles.size());
  for (std::size_t i = 0; i < cycles.size(); ++i) by_length[i] = i;
  std::ranges::stable_sort(by_length, {}, [&](std::size_t i) { return cycles[i].nodes.size(); });
  const std::vector<std::size_t> cores = CoreFinder(cycles).find(by_length);
  std::map<std::pair<AnomalyKind, std::set<std::pair<std::size_t, std::size_t>>>, std::size_t>
      numbers;
  std::vector<FoundCause> causes;
  std::vector<std::size_t> cause_of(cycles.size());
  for (const std::size_t i : by_length) {
    if (cores[i] != i) {
      cause_of[i] = cause_of[cores[i]];
      causes[cause_of[i]].extensions.push_back(std::move(cycles[i]));
      continue;
    }
    std::set<std::pair<std::size_t, std::size_t>> statements;
    for (const FoundNode& node : cycles[i].nodes) {
      statements.emplace(node.functionality, node.statement);
    }
    const auto [number, is_new] =
        numbers.try_emplace({cycles[i].kind, std::move(statements)}, causes.size());
    if (is_new) causes.push_back({.kind = cycles[i].kind, .cores = {}, .extensions = {}});
    cause_of[i] = number->second;
    // A copy: what comes later is compared with it.
    causes[number->second].cores.push_back(cycles[i]);
  }
  for (FoundCause& cause : causes) {
    std::ranges::stable_sort(cause.cores, {}, &FoundCycle::needs_equal_arguments);
  }
  std::ranges::stable_sort(causes, {}, [](const FoundCause& cause) {
    return std::pair(cause.kind, cause.needs_equal_arguments());
  });
  return causes;
}

}  // namespace heddle::find
