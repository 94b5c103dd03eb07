// The configurations that one object can be in, event by event: Wing and Gong's search ("Testing
// and verifying concurrent objects", 1993) breadth first, with calls taken no earlier than some
// return asks for it (Lowe, "Testing for linearizability", 2017, just-in-time linearization).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/calls/bounds.h"
#include "heddle/linearizability.h"

namespace heddle {

// A configuration is the object's state, which of the running calls were taken, and how many of
// each kind of crashed calls. A configuration is left out where another one with the same state and
// running calls took less of the crashed ones, or where a read that fits was not taken: whatever
// can follow it can follow the other one as well.
class Configurations {
 public:
  Configurations(const CallModel& model, BoundMeter& meter);
  ~Configurations();
  Configurations(const Configurations&) = delete;
  Configurations& operator=(const Configurations&) = delete;

  // A call that will return: its slot until then.
  std::uint32_t begin(const ObjectCall& call);
  // One that never does.
  void crash(const ObjectCall& call);
  // The call in the slot returns; the slot is free. False: it fits into no configuration, or a
  // bound was hit (then the meter says so); nothing may be asked afterwards.
  bool end(std::uint32_t slot);

  std::size_t count() const { return count_; }
  // For whoever moves what calls refer to.
  template <class Change>
  void for_each_call(const Change& change) {
    for (std::optional<ObjectCall>& call : slots_) {
      if (call) change(*call);
    }
    for (Group& group : groups_) change(group.call);
  }
  // The configuration, if there is only one: its state, the running calls that were not taken, and
  // the crashed ones that are left.
  struct Single {
    std::string state;
    std::vector<ObjectCall> open;
  };
  std::optional<Single> single() const;

 private:
  using Used = std::vector<std::uint32_t>;  // per group of crashed calls; short ones end in zeros
  using Table = std::unordered_map<std::string, std::vector<Used>>;

  struct Group {
    ObjectCall call;
    std::uint32_t calls = 0;
  };
  struct Configuration {
    std::string state;
    std::vector<bool> taken;
    Used used;
  };

  std::string key_of(const Configuration& configuration) const;
  Configuration configuration_of(const std::string& key, const Used& used) const;
  static bool no_more(const Used& a, const Used& b);
  // False: it was left out.
  bool insert(Table& table, const Configuration& configuration);
  void take_reads(Configuration& configuration) const;
  bool expand(const Configuration& from, std::uint32_t slot, Table& met, Table& ended);
  bool reach(Configuration next, std::uint32_t slot, Table& met, Table& ended);
  void replace(Table table);
  static std::uint64_t bytes_of(const std::string& key);

  const CallModel& model_;
  BoundMeter& meter_;
  std::vector<std::optional<ObjectCall>> slots_;  // running calls
  std::vector<Group> groups_;
  Table table_;
  std::size_t count_ = 0;
  std::uint64_t memory_ = 0;  // taken from the meter
  std::vector<Configuration> waiting_;
};

}  // namespace heddle
