// There are few transactions, so that all ways to place them are tried, those first in which most
// stay at the first server.
#include "find/realize/ring_placement.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::find {

namespace {

constexpr std::size_t kServers = 2;
// Of more than that nothing is tried.
constexpr std::size_t kMostTransactions = 12;

using Steps = std::set<std::size_t>;

// One way to place them.
class RingPlacer {
 public:
  // A bit for each transaction says whether it is at the second server.
  RingPlacer(const std::vector<RunStep>& steps, const std::vector<PlacedTransaction>& transactions,
             std::size_t at_second)
      : steps_(steps), transactions_(transactions), at_second_(at_second) {}

  std::optional<Placement> place() {
    placement_.replicas = kServers;
    std::set<std::size_t> begun;
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      const RunStep& now = steps_[step];
      std::vector<std::string> commands;
      if (begun.insert(now.transaction).second && server_of(now.transaction) != 0) {
        commands.push_back(
            fmt::format("MOVE SESSION {} TO r2;", transactions_[now.transaction].session));
      }
      if (now.number != 0 && !prepare(step, commands)) return std::nullopt;
      if (now.number != 0 && now.writes) written_[now.transaction].push_back(step);
      if (now.ends) commit(now.transaction);
      placement_.before.push_back(join(commands, " "));
    }
    return std::move(placement_);
  }

 private:
  std::size_t server_of(std::size_t transaction) const { return at_second_ >> transaction & 1U; }

  // What the other server has logged comes up to the last transaction that the step is to see.
  // False: then it would see more than that.
  bool prepare(std::size_t step, std::vector<std::string>& commands) {
    const std::size_t transaction = steps_[step].transaction;
    if (transactions_[transaction].keeps_view && !views_.insert(transaction).second) return true;
    Steps need;
    for (const std::size_t seen : steps_[step].sees) {
      if (steps_[seen].transaction != transaction) need.insert(seen);
    }
    const std::size_t server = server_of(transaction);
    const std::vector<std::vector<std::size_t>>& log = logs_[kServers - 1 - server];
    Steps& there = committed_[server];
    while (!std::ranges::includes(there, need)) {
      if (delivered_[server] == log.size()) return false;
      const std::vector<std::size_t>& next = log[delivered_[server]++];
      there.insert(next.begin(), next.end());
      commands.push_back(fmt::format("DELIVER {}.{} TO r{};",
                                     transactions_[steps_[next.front()].transaction].session,
                                     steps_[next.front()].number, server + 1));
    }
    return std::ranges::all_of(there, [&](std::size_t seen) {
      return need.contains(seen) || steps_[seen].transaction == transaction;
    });
  }

  void commit(std::size_t transaction) {
    const std::vector<std::size_t> written = std::exchange(written_[transaction], {});
    if (written.empty()) return;
    const std::size_t server = server_of(transaction);
    committed_[server].insert(written.begin(), written.end());
    logs_[server].push_back(written);
  }

  const std::vector<RunStep>& steps_;
  const std::vector<PlacedTransaction>& transactions_;
  const std::size_t at_second_;
  std::map<std::size_t, std::vector<std::size_t>> written_;  // by open transactions
  std::set<std::size_t> views_;                              // that have been taken
  std::array<Steps, kServers> committed_;                    // what has come to each server
  std::array<std::vector<std::vector<std::size_t>>, kServers> logs_;
  std::array<std::size_t, kServers> delivered_{};  // how much of the other one's log
  Placement placement_;
};

}  // namespace

std::optional<Placement> place_on_ring(const std::vector<RunStep>& steps,
                                       const std::vector<PlacedTransaction>& transactions) {
  if (transactions.size() > kMostTransactions) return std::nullopt;
  std::vector<std::size_t> ways(std::size_t{1} << transactions.size());
  for (std::size_t way = 0; way < ways.size(); ++way) ways[way] = way;
  std::ranges::stable_sort(ways, {}, [](std::size_t way) { return std::popcount(way); });
  for (const std::size_t way : ways) {
    if (auto placement = RingPlacer(steps, transactions, way).place()) return placement;
  }
  return std::nullopt;
}

}  // namespace heddle::find
