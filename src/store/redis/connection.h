// A connection of hiredis, on which heddle asks and waits; and what it takes to read the answers.
#pragma once

#include <hiredis/hiredis.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "store/redis/address.h"

namespace heddle {

// As messages call the server.
constexpr const char* kRedisProduct = "Redis";

struct RedisConnectionCloser {
  void operator()(redisContext* connection) const { redisFree(connection); }
};
using RedisConnection = std::unique_ptr<redisContext, RedisConnectionCloser>;

struct RedisReplyDeleter {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using RedisReply = std::unique_ptr<redisReply, RedisReplyDeleter>;

using RedisArguments = std::vector<std::string>;

// Connects, logs in and waits for it. Answers that do not come within a minute are an error.
Result<RedisConnection> connect_to_redis(const RedisAddress& address);

// A command as it is sent.
std::string to_protocol(const RedisArguments& arguments);

// Sends the beginning of `bytes` and takes it away: all of it, or on a socket that does not block
// as much as goes. False: the connection is lost. hiredis itself would end heddle with SIGPIPE.
bool send_bytes(redisContext& connection, std::string& bytes);

// Sends all commands in one go and waits for their answers. Errors: the connection is lost; what
// the server refuses is an answer.
Result<std::vector<RedisReply>> ask_redis(redisContext& connection,
                                          const std::vector<RedisArguments>& commands);
// The same, where a refusal is an error, too.
Result<std::vector<RedisReply>> order_redis(redisContext& connection,
                                            const std::vector<RedisArguments>& commands);

// What a string, a status, an error or a number is as text; of others, nothing.
std::string text_of(const redisReply& reply);
bool is_error(const redisReply& reply);
// The elements of an array; of others, none.
std::vector<const redisReply*> elements_of(const redisReply& reply);

// Takes the logical database for the connection, without a trace in it: the connection gets a name
// that tells others. False: another connection has it.
Result<bool> claim_redis_database(redisContext& connection, int number);

}  // namespace heddle
