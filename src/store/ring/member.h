// One of the servers of `--on=mariadb:ring`: a throwaway MariaDB server that logs what is committed
// there, row by row, and from which the other one may fetch its log.
//
// Servers replicate over TCP only, so that each listens on a port of the loopback address besides
// its Unix socket. Over TCP only the one user that replicates is let in, with a password that
// nobody is told.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/result.h"
#include "store/mariadb/address.h"
#include "store/mariadb/session.h"
#include "store/mariadb/throwaway.h"

namespace heddle {

// How many servers there are.
inline constexpr std::size_t kRingSize = 2;

class RingMember {
 public:
  // `number`: counted from 1; it is the server's id and the domain of its transactions.
  static Result<std::unique_ptr<RingMember>> start(unsigned number);

  unsigned number() const { return number_; }
  // What people call it: "r1".
  std::string name() const;
  // As root, without a database.
  MariadbAddress address() const;

  // Runs a text of heddle's own, which is not logged: the result of each statement, in order. Any
  // error is one of the environment.
  Result<std::vector<ResultSet>> ask(const std::string& text);

  // Lets the server fetch the other one's log from the position of that log, from now on.
  Result<void> fetch_from(const RingMember& other, const std::string& position);

 private:
  RingMember(unsigned number, unsigned port, std::string password,
             std::unique_ptr<ThrowawayMariadb> server);

  bool cancel(unsigned long connection) const;

  unsigned number_;
  unsigned port_;
  std::string password_;
  std::unique_ptr<ThrowawayMariadb> server_;
  std::unique_ptr<MariadbSession> control_;
};

// The named cell of the first row of the last result; empty: there is none.
std::string last_cell(const std::vector<ResultSet>& results, std::string_view column);

// Both servers, started side by side.
Result<std::vector<std::unique_ptr<RingMember>>> start_ring_members();

}  // namespace heddle
