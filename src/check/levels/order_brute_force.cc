#include "check/levels/order_brute_force.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/assert.h"
#include "check/observation/explains.h"

namespace heddle {

namespace {

constexpr std::size_t kMostNodes = 9;

// Counts the places up like digits; false after the last combination.
bool next_choice(const std::vector<Choice>& choices, std::vector<std::size_t>& places) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (++places[i] < choices[i].candidates.size()) return true;
    places[i] = 0;
  }
  return false;
}

bool some_choice_explains(const Observation& observation, const std::vector<Node>& order,
                          IsolationLevel level, const OrderSwitches& switches) {
  const std::vector<Choice>& choices = observation.choices();
  std::vector<std::size_t> places(choices.size(), 0);
  std::vector<Node> chosen(choices.size());
  do {
    for (std::size_t i = 0; i < choices.size(); ++i) chosen[i] = choices[i].candidates[places[i]];
    if (explains(observation, order, chosen, level, switches)) return true;
  } while (next_choice(choices, places));
  return false;
}

}  // namespace

Verdict brute_force_level(const Observation& observation, IsolationLevel level,
                          const OrderSwitches& switches) {
  HEDDLE_ASSERT(observation.node_count() <= kMostNodes);
  std::vector<Node> order(observation.node_count() - 1);
  std::iota(order.begin(), order.end(), kInitialNode + 1);
  do {
    if (some_choice_explains(observation, order, level, switches)) return Verdict::satisfied;
  } while (std::ranges::next_permutation(order).found);
  return Verdict::violated;
}

Verdict brute_force_history(const TransactionHistory& history, IsolationLevel level,
                            const OrderSwitches& switches) {
  std::vector<TransactionId> unknown;
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    const bool is_open = history.transactions[i].outcome == TransactionOutcome::unknown;
    if (is_open) unknown.emplace_back(i);
  }
  for (std::size_t way = 0; way < std::size_t{1} << unknown.size(); ++way) {
    std::vector<TransactionId> left_out;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      if ((way >> i & 1) != 0) left_out.push_back(unknown[i]);
    }
    const Observation observation(history, left_out);
    if (brute_force_level(observation, level, switches) == Verdict::satisfied) {
      return Verdict::satisfied;
    }
  }
  return Verdict::violated;
}

}  // namespace heddle
