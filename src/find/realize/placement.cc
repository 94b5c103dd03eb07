#include "find/realize/placement.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::find {

namespace {

using Steps = std::set<std::size_t>;

class Placer {
 public:
  Placer(const std::vector<RunStep>& steps, const std::vector<PlacedTransaction>& transactions)
      : steps_(steps),
        transactions_(transactions),
        at_(transactions.size(), 0),
        view_taken_(transactions.size(), false) {}

  Placement place() {
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      const RunStep& now = steps_[step];
      placement_.before.push_back(now.number == 0 ? "" : prepare(step));
      if (now.writes) replicas_[at_[now.transaction]].insert(step);
      if (now.ends) {
        view_taken_[now.transaction] = false;
        commit(now.transaction);
      }
    }
    placement_.replicas = replicas_.size();
    return std::move(placement_);
  }

 private:
  const PlacedTransaction& transaction_of(std::size_t step) const {
    return transactions_[steps_[step].transaction];
  }

  // What is open there of others nobody sees, and of its own the transaction sees all.
  Steps visible(std::size_t replica, std::size_t transaction) const {
    Steps seen;
    for (const std::size_t step : replicas_[replica]) {
      const bool is_open = transaction_of(step).at_commit && !committed_.contains(step);
      if (!is_open || steps_[step].transaction == transaction) seen.insert(step);
    }
    return seen;
  }

  // Of what it is to see, what has to be there.
  Steps needed(std::size_t step) const {
    Steps need(steps_[step].sees.begin(), steps_[step].sees.end());
    if (!transaction_of(step).at_commit) return need;
    for (std::size_t own = 0; own < step; ++own) {
      if (steps_[own].transaction != steps_[step].transaction || !steps_[own].writes) continue;
      if (!committed_.contains(own)) need.erase(own);
    }
    return need;
  }

  std::string prepare(std::size_t step) {
    if (steps_[step].sees_all) return replicas_.size() > 1 ? "DELIVER ALL;" : "";
    const std::size_t transaction = steps_[step].transaction;
    const bool has_view = transactions_[transaction].keeps_view && view_taken_[transaction];
    view_taken_[transaction] = true;
    if (has_view) return "";
    const Steps need = needed(step);
    const std::size_t replica = choose(transaction, need);
    std::vector<std::string> commands;
    const Steps there = visible(replica, transaction);
    for (const std::size_t wanted : need) {
      if (there.contains(wanted)) continue;
      commands.push_back(fmt::format("DELIVER {}.{} TO r{};", transaction_of(wanted).session,
                                     steps_[wanted].number, replica + 1));
      replicas_[replica].insert(wanted);
    }
    if (replica != at_[transaction]) {
      commands.push_back(
          fmt::format("MOVE SESSION {} TO r{};", transactions_[transaction].session, replica + 1));
      at_[transaction] = replica;
    }
    return join(commands, " ");
  }

  // Where nothing is that it must not see: here, else where most of what it sees is.
  std::size_t choose(std::size_t transaction, const Steps& need) {
    const auto fits = [&](std::size_t replica) {
      const Steps there = visible(replica, transaction);
      return std::ranges::all_of(there, [&](std::size_t step) {
        const bool is_own_open = steps_[step].transaction == transaction &&
                                 transactions_[transaction].at_commit && !committed_.contains(step);
        return is_own_open || need.contains(step);
      });
    };
    if (fits(at_[transaction])) return at_[transaction];
    std::size_t best = replicas_.size();
    for (std::size_t replica = 0; replica < replicas_.size(); ++replica) {
      if (!fits(replica)) continue;
      const bool is_better =
          best == replicas_.size() || replicas_[replica].size() > replicas_[best].size();
      if (is_better) best = replica;
    }
    if (best == replicas_.size()) replicas_.emplace_back();
    return best;
  }

  void commit(std::size_t transaction) {
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      const bool has_run = step < placement_.before.size();
      if (has_run && steps_[step].transaction == transaction) committed_.insert(step);
    }
  }

  const std::vector<RunStep>& steps_;
  const std::vector<PlacedTransaction>& transactions_;
  std::vector<std::size_t> at_;              // the replica of each transaction's session
  std::vector<bool> view_taken_;             // whether its first statement has run
  std::vector<Steps> replicas_ = {Steps()};  // what has come to each
  Steps committed_;
  Placement placement_;
};

}  // namespace

Placement place_statements(const std::vector<RunStep>& steps,
                           const std::vector<PlacedTransaction>& transactions) {
  return Placer(steps, transactions).place();
}

}  // namespace heddle::find
