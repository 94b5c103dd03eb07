// Answers of Redis as the replies of a session.
//
// What Redis gives in no order, or makes of the time, would differ between equal runs: sets and
// maps are sorted, and identifiers of stream entries hidden, but for the one that XADD answers,
// which a client needs.
#pragma once

#include <string>
#include <vector>

#include "frontend/redis/commands.h"
#include "heddle/outcome.h"
#include "store/redis/connection.h"

namespace heddle {

// Commands that were sent between MULTI and EXEC. Null: an unknown one.
using QueuedCommands = std::vector<const RedisCommandRow*>;

// The answer to a command: one row, whose columns are `value`; the elements of an array by number;
// or the fields of a map. A status, such as OK, is the command tag as well.
Reply to_reply(const redisReply& answer, const RedisCommandRow* row);
// The answer to EXEC, by number. Nil: a watched key has changed.
Reply to_exec_reply(const redisReply& answer, const QueuedCommands& queued);

// "WRONGTYPE Operation against ..." in its parts.
StepError to_redis_error(std::string_view text);

// An identifier of a stream entry, but for one made of the time: that is "*".
std::string shown_entry(const std::string& identifier);

}  // namespace heddle
