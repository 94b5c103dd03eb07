#include "check/levels/replay_order.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace heddle {

namespace {

struct Store {
  const TransactionHistory& history;
  std::map<KeyId, Value> registers = {};
  std::map<KeyId, std::vector<Value>> lists = {};

  // False: a read that returns something else now.
  bool run(const KeyOperation& operation) {
    const bool seen = operation.value != kUnseen;
    switch (operation.action) {
      case KeyAction::write:
        registers[operation.key] = operation.value;
        return true;
      case KeyAction::append:
        lists[operation.key].push_back(operation.value);
        return true;
      case KeyAction::read: {
        const auto found = registers.find(operation.key);
        const auto value = found == registers.end() ? history.initial : found->second;
        return !seen || value == operation.value;
      }
      case KeyAction::read_list:
        return !seen || std::ranges::equal(lists[operation.key], history.lists[operation.list()]);
    }
    return false;
  }
};

}  // namespace

std::optional<std::string> find_replay_flaw(const TransactionHistory& history,
                                            std::span<const TransactionId> order,
                                            const OrderSwitches& switches) {
  Store store{history};
  std::vector<bool> done(history.transactions.size(), false);
  std::map<std::uint32_t, TransactionId> last_of_session;
  Moment latest_begin = std::numeric_limits<Moment>::min();
  for (const TransactionId id : order) {
    if (id.index() >= done.size() || done[id.index()]) return "not an order of the transactions";
    done[id.index()] = true;
    const RecordedTransaction& txn = history.transactions[id.index()];
    if (txn.outcome == TransactionOutcome::aborted) return fmt::format("{} aborted", id.value);
    for (const KeyOperation& operation : history.operations_of(id)) {
      if (!store.run(operation)) return fmt::format("{} reads something else", id.value);
    }
    const auto [last, is_first] = last_of_session.emplace(txn.session, id);
    const bool keeps_session = switches.session || switches.realtime;
    if (keeps_session && !is_first && id < last->second) return "sessions are out of order";
    last->second = id;
    const bool ends = txn.outcome == TransactionOutcome::committed;
    if (switches.realtime && history.has_times) {
      if (ends && txn.ended < latest_begin) return "real time is out of order";
      latest_begin = std::max(latest_begin, txn.began);
    }
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    const bool must = history.transactions[i].outcome == TransactionOutcome::committed;
    if (must && !done[i]) return fmt::format("{} is missing", i);
  }
  return std::nullopt;
}

}  // namespace heddle
