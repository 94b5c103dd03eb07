// The control language: what any session may send to say where sessions execute, which replicas are
// parted, and what is delivered when.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "heddle/result.h"
#include "store/replicated/tokens.h"

namespace heddle::replicated {

// More would be a mistake.
constexpr std::size_t kMostReplicas = 200;

// MOVE [SESSION name] TO r2
struct MoveCommand {
  std::string session;      // empty: the one that sends it
  std::size_t replica = 0;  // counted from 1, as people do
};

// DELIVER name.k TO r2, DELIVER name TO r2, DELIVER ALL [TO r2]
struct DeliverCommand {
  bool all = false;
  std::string session;
  std::size_t statement = 0;  // counted from 1; 0: all of the session's
  std::size_t replica = 0;    // 0: all replicas
};

// DELIVERY MANUAL, DELIVERY AUTOMATIC
struct DeliveryCommand {
  bool is_automatic = true;
};

// PARTITION r1, r2 FROM r3 [FROM r4 ...]
struct PartitionCommand {
  std::vector<std::vector<std::size_t>> sides;
};

// HEAL
struct HealCommand {};

using Command =
    std::variant<MoveCommand, DeliverCommand, DeliveryCommand, PartitionCommand, HealCommand>;

// None: the statement is not of the control language. Error: it is, and malformed. REQUIRES: not
// empty.
Result<std::optional<Command>> read_command(const std::vector<Token>& statement);

// What its reply says: "MOVE", "DELIVER", ...
std::string tag_of(const Command& command);

}  // namespace heddle::replicated
