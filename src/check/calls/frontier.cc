#include "check/calls/frontier.h"

#include <algorithm>
#include <unordered_map>

namespace heddle {

RealTimeFrontier::RealTimeFrontier(const CallProblem& problem)
    : problem_(problem),
      next_(problem.events + 1, kHead),
      previous_(problem.events + 1, kHead),
      owner_(problem.events + 1, 0) {
  std::vector<bool> used(problem.events + 1, false);
  for (std::uint32_t i = 0; i < problem.calls.size(); ++i) {
    const RankedCall& call = problem.calls[i];
    if (!call.certain) continue;
    owner_[call.called + 1] = i;
    used[call.called + 1] = true;
    if (call.returned == kNeverReturns) continue;
    owner_[call.returned + 1] = i;
    used[call.returned + 1] = true;
  }
  std::uint32_t last = kHead;
  for (std::uint32_t node = 1; node < used.size(); ++node) {
    if (!used[node]) continue;
    next_[last] = node;
    previous_[node] = last;
    last = node;
  }
  next_[last] = kHead;
  previous_[kHead] = last;
}

std::uint64_t RealTimeFrontier::bytes(const CallProblem& problem) {
  return (std::uint64_t{problem.events} + 1) * 3 * sizeof(std::uint32_t);
}

void RealTimeFrontier::unlink(std::uint32_t node) {
  next_[previous_[node]] = next_[node];
  previous_[next_[node]] = previous_[node];
}

void RealTimeFrontier::link(std::uint32_t node) {
  next_[previous_[node]] = node;
  previous_[next_[node]] = node;
}

void RealTimeFrontier::take(std::uint32_t call) {
  const RankedCall& ranked = problem_.calls[call];
  unlink(ranked.called + 1);
  if (ranked.returned != kNeverReturns) unlink(ranked.returned + 1);
}

void RealTimeFrontier::give_back(std::uint32_t call) {
  const RankedCall& ranked = problem_.calls[call];
  if (ranked.returned != kNeverReturns) link(ranked.returned + 1);
  link(ranked.called + 1);
}

std::uint32_t RealTimeFrontier::first_return() const {
  std::uint32_t node = next_[kHead];
  while (node != kHead && is_call(node)) node = next_[node];
  return node;
}

std::optional<std::uint32_t> RealTimeFrontier::urgent() const {
  const std::uint32_t node = first_return();
  return node == kHead ? std::nullopt : std::optional(owner_[node]);
}

std::optional<std::uint32_t> RealTimeFrontier::candidate(std::uint32_t& cursor) const {
  const std::uint32_t node = next_[cursor];
  if (node == kHead || !is_call(node)) return std::nullopt;
  cursor = node;
  return owner_[node];
}

bool RealTimeFrontier::may_take_optional(std::uint32_t call) const {
  const std::uint32_t node = first_return();
  return node == kHead || problem_.calls[call].called + 1 < node;
}

std::uint64_t RealTimeFrontier::progress(std::size_t) const {
  const std::uint32_t node = first_return();
  return node == kHead ? std::uint64_t{problem_.events} + 1 : node;
}

ProcessFrontier::ProcessFrontier(const CallProblem& problem) : chain_of_(problem.calls.size()) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < problem.calls.size(); ++i) {
    const RankedCall& call = problem.calls[i];
    const auto [entry, is_new] = numbers.emplace(call.call->process, chains_.size());
    if (is_new) chains_.emplace_back();
    chain_of_[i] = entry->second;
    if (!call.certain) continue;
    chains_[entry->second].calls.push_back(i);
    ++left_;
  }
}

std::uint64_t ProcessFrontier::bytes(const CallProblem& problem) {
  return std::uint64_t{problem.calls.size()} * 64;
}

void ProcessFrontier::take(std::uint32_t call) {
  ++chains_[chain_of_[call]].taken;
  --left_;
}

void ProcessFrontier::give_back(std::uint32_t call) {
  --chains_[chain_of_[call]].taken;
  ++left_;
}

// The one that was called first: an order near to real time is the likeliest.
std::optional<std::uint32_t> ProcessFrontier::urgent() const {
  std::optional<std::uint32_t> first;
  for (const Chain& chain : chains_) {
    if (chain.taken == chain.calls.size()) continue;
    const std::uint32_t call = chain.calls[chain.taken];
    if (!first || call < *first) first = call;
  }
  return first;
}

std::optional<std::uint32_t> ProcessFrontier::candidate(std::uint32_t& cursor) const {
  while (cursor < chains_.size()) {
    const Chain& chain = chains_[cursor++];
    if (chain.taken < chain.calls.size()) return chain.calls[chain.taken];
  }
  return std::nullopt;
}

// Once the calls of its process in front of it are there.
bool ProcessFrontier::may_take_optional(std::uint32_t call) const {
  const Chain& chain = chains_[chain_of_[call]];
  return chain.taken == chain.calls.size() || chain.calls[chain.taken] > call;
}

}  // namespace heddle
