// A store that keeps what a level promises and no more: one copy of the data, or several between
// which transactions travel as wholes, each in an order of its own.
//
// The newest version of a key is the one whose transaction committed last, everywhere; a replica
// shows the newest of those that reached it. Replicas that take transactions in causal order are
// causally consistent; those that take them in any order are read atomic, as each session stays
// with one replica and a transaction is taken whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "check/generate/choices.h"

namespace heddle {

// What a version says: a register's value, or the length of a list.
using Payload = std::int64_t;

struct KeyWrite {
  std::uint32_t key = 0;
  Payload payload = 0;
};

enum class Delivery : std::uint8_t { causal, any_order };

class VersionStore {
 public:
  VersionStore(std::uint32_t replicas, Delivery delivery, Payload initial);

  std::uint32_t replica_of(std::uint32_t session) const { return session % replicas_; }
  // Makes room for keys below `count`.
  void grow(std::size_t count);

  Payload read(std::uint32_t replica, std::uint32_t key) const { return at(replica, key).payload; }
  // Whether the replica has had the newest version of all since before `began`.
  bool has_newest(std::uint32_t replica, std::uint32_t key, std::uint64_t began) const {
    const Copy& copy = at(replica, key);
    return copy.commit == newest_[key] && copy.arrived < began;
  }

  // A transaction that commits at the replica, now.
  void commit(std::uint32_t replica, std::span<const KeyWrite> writes, std::uint64_t now);
  // Takes some transactions from replica to replica, or none.
  void deliver_some(Choices& choices, std::uint64_t now);
  // Takes all that are missing to the replica.
  void catch_up(std::uint32_t replica, std::uint64_t now);

 private:
  struct Copy {
    Payload payload = 0;
    std::uint32_t commit = 0;   // number of the transaction that made it; 0: none
    std::uint64_t arrived = 0;  // when it reached this replica
  };

  struct Commit {
    std::uint32_t origin = 0;
    std::size_t first_write = 0;
    std::size_t last_write = 0;
  };

  const Copy& at(std::uint32_t replica, std::uint32_t key) const { return copies_[replica][key]; }
  void take(std::uint32_t replica, std::uint32_t commit, std::uint64_t now);
  bool take_next_of(std::uint32_t replica, std::uint32_t origin, std::uint64_t now);
  // How many commits of `origin` the replica has, and had when it made its own `commit`.
  std::uint32_t& seen(std::uint32_t replica, std::uint32_t origin) {
    return seen_[replica * replicas_ + origin];
  }
  std::uint32_t seen_at(std::uint32_t commit, std::uint32_t origin) const {
    return seen_at_[std::size_t{commit - 1} * replicas_ + origin];
  }

  std::uint32_t replicas_;
  Delivery delivery_;
  Payload initial_;
  std::vector<std::vector<Copy>> copies_;  // per replica, per key
  std::vector<std::uint32_t> newest_;      // per key: the last commit that wrote it
  std::uint32_t commits_ = 0;

  // Of commits, only where there are several replicas.
  std::vector<Commit> log_;  // commit n is log_[n - 1]
  std::vector<KeyWrite> writes_;
  std::vector<std::uint32_t> taken_;                   // per replica: how many it has
  std::vector<std::vector<std::uint32_t>> made_;       // per replica: its commits
  std::vector<std::uint32_t> seen_;                    // replica x origin
  std::vector<std::uint32_t> seen_at_;                 // commit x origin
  std::vector<std::vector<std::uint32_t>> under_way_;  // per replica; any_order only
};

}  // namespace heddle
