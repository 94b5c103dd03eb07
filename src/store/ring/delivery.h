// What goes from one server of a ring to the other when, as sessions say it in the control language
// (store/replicated/command.h): where sessions execute, whether the servers are parted, and what
// is delivered.
//
// A server applies the other's log in order and transactions as a whole; what would need more than
// that is refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/result.h"
#include "store/replicated/command.h"
#include "store/ring/link.h"

namespace heddle {

// A statement about rows that a session has executed.
struct RingStatement {
  std::size_t server = 0;
  bool is_open = true;                  // its transaction has not ended
  std::optional<std::uint64_t> number;  // of its transaction in the server's log; none: not there
};

// What is known of a session. Servers are counted from 0.
struct RingClient {
  std::string name;
  std::size_t server = 0;
  bool in_transaction = false;
  std::vector<RingStatement> statements;
  std::array<std::set<std::uint64_t>, kRingSize> logged;  // its transactions, by server
};

class RingDelivery {
 public:
  // Whether a connection of the server waits for a lock.
  using WaitsForLock = std::function<Result<bool>(std::size_t server, int connection)>;

  // REQUIRES: kRingSize members, which outlive this.
  RingDelivery(std::vector<std::unique_ptr<RingMember>>& members, WaitsForLock waits_for_lock);

  void add(RingClient& client) { clients_.push_back(&client); }
  void remove(const RingClient& client) { std::erase(clients_, &client); }

  // What the server `to` applies.
  const RingLink& link(std::size_t to) const { return links_[to]; }
  // Whether a server's log has transactions of which no session is known.
  Result<bool> has_unclaimed(std::size_t server);
  // How many transactions a server has logged since the start.
  Result<std::size_t> logged_count(std::size_t server);

  // Does what the command says, but for waiting until all has been applied. Error in the value:
  // why it is refused.
  Result<std::optional<StepError>> obey(RingClient& client, const replicated::Command& command);

  // Applies what is to be applied by now, unless it waits for locks.
  Result<void> settle();
  // Applies everything, whatever commands have said; afterwards the rows do not change by
  // themselves. REQUIRES: no session has a transaction open.
  Result<void> deliver_everything();
  // Back to how everything begins: clients at the first server, automatic delivery. False: what has
  // been logged could not be applied, and never will be.
  Result<bool> return_to_start();

  // Whatever was before; what servers have logged so far is never delivered.
  Result<void> start_over();
  // Why something could not be applied, at the last return to the start.
  const std::string& last_failure() const { return last_failure_; }

  void keep_one_copy(bool only) { one_copy_ = only; }

 private:
  Result<LinkState> advance(std::size_t to);
  std::optional<StepError> move(RingClient& client, const replicated::MoveCommand& command) const;
  std::optional<StepError> part(const replicated::PartitionCommand& command) const;
  Result<std::optional<StepError>> deliver(const replicated::DeliverCommand& command);
  // How much of the link's log the command is about; or why not.
  std::optional<StepError> find_end(const replicated::DeliverCommand& command, std::size_t to,
                                    std::size_t& end) const;
  std::optional<StepError> check_order(const RingClient& client, std::size_t to,
                                       std::size_t end) const;
  RingClient* find_client(const std::string& name) const;
  std::string name_of(std::size_t server, std::uint64_t number) const;

  std::vector<RingLink> links_;  // by the server that applies
  WaitsForLock waits_for_lock_;
  std::vector<RingClient*> clients_;
  bool is_automatic_ = true;
  bool is_parted_ = false;
  bool one_copy_ = false;
  std::string last_failure_;
};

// The error of a statement that is refused. `ends_session`: as a serialization failure does.
StepError refused_by_ring(const std::string& code, const std::string& message, bool ends_session);

}  // namespace heddle
