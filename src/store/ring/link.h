// One direction of a ring of MariaDB servers: what one of them has logged, and how much of that the
// other one has applied.
//
// The other one always fetches the log, but applies it only when told, up to the end of a
// transaction of the log. It applies transactions in the order of the log, each as a whole, and
// waits like anybody else for locks that sessions hold. Nothing here sleeps: that all has been
// applied is a wait of the server's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "store/ring/member.h"

namespace heddle {

// A transaction in the log of a server.
struct LoggedTransaction {
  std::uint64_t number = 0;  // of the server's transactions: the last part of its GTID
  std::uint64_t end = 0;     // where the log goes on behind it
};

enum class LinkState : std::uint8_t {
  done,    // everything that is wanted has been applied
  waits,   // the applier waits for a lock
  failed,  // the applier has ended with an error, and applies nothing more
};

class RingLink {
 public:
  // Both must outlive the link.
  RingLink(RingMember& from, RingMember& to) : from_(from), to_(to) {}

  // Begins anew, whatever happened before: what has been logged so far is never applied.
  Result<void> start_over();
  // Learns what has been logged since.
  Result<void> read_log();
  // The transactions since the last start_over or forget.
  const std::vector<LoggedTransaction>& log() const { return log_; }
  // How many of these are to be applied, and how many are known to be.
  std::size_t wanted() const { return wanted_; }
  std::size_t applied() const { return applied_; }
  // The first `count` of the log are to be applied; what is wanted already stays so.
  void want(std::size_t count);

  // Whether a connection of `to` waits for a lock.
  using WaitsForLock = std::function<Result<bool>(int connection)>;
  // Applies what is wanted, until that is done or cannot go on now. Error: it takes too long.
  Result<LinkState> advance(const WaitsForLock& waits_for_lock);
  // Ends the applying of a transaction that waits, as if nobody had wanted it.
  Result<void> hold();
  // Forgets the log. REQUIRES: all of it has been applied.
  void forget();

  LinkState state() const { return state_; }
  // Why it has failed.
  const std::string& failure() const { return failure_; }
  // The connection that applies, while the state is `waits`.
  int applier() const { return applier_; }

 private:
  std::string gtid_of(std::uint64_t number) const;
  Result<void> start_applier();
  Result<bool> wait_for_applier();
  Result<bool> has_failed();
  Result<void> find_applier();
  Diagnostic not_applied();

  RingMember& from_;
  RingMember& to_;
  std::string file_;              // the log
  std::uint64_t read_until_ = 0;  // its position up to which it is known
  std::uint64_t last_number_ = 0;
  std::vector<LoggedTransaction> log_;
  std::size_t wanted_ = 0;
  std::size_t applied_ = 0;
  std::size_t running_to_ = 0;  // as `wanted_`; 0: the applier does not run
  LinkState state_ = LinkState::done;
  std::string failure_;
  int applier_ = 0;
};

// The number of a GTID, as "1-1-42" or several with commas between, in the domain; 0: none.
std::uint64_t number_in_domain(const std::string& gtids, unsigned domain);

}  // namespace heddle
