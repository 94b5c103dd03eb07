// The shortest judge of an order of transactions: carries them out one after the other on an empty
// store, and looks whether each read returns what it did. Shares nothing with the engines, not even
// how they look at a history.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "check/observation/engine.h"
#include "heddle/recorded_history.h"

namespace heddle {

// What is wrong with `order` as a serial order, or none: it has every committed transaction once,
// those of unknown outcome that happened, no aborted one, and keeps what the switches ask for.
// Cost: the operations, and the length of the lists that are read. REQUIRES: !find_flaw(history).
std::optional<std::string> find_replay_flaw(const TransactionHistory& history,
                                            std::span<const TransactionId> order,
                                            const OrderSwitches& switches);

}  // namespace heddle
