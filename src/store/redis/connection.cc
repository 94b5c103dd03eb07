#include "store/redis/connection.h"

#include <cerrno>
#include <sys/socket.h>

#include <fmt/format.h>

#include "base/text.h"
#include "store/trouble.h"

namespace heddle {

namespace {

constexpr timeval kConnectTimeout{30, 0};
constexpr timeval kAnswerTimeout{60, 0};

Result<RedisConnection> open_connection(const RedisAddress& address) {
  RedisConnection connection(
      address.socket.empty()
          ? redisConnectWithTimeout(address.host.c_str(), address.port, kConnectTimeout)
          : redisConnectUnixWithTimeout(address.socket.c_str(), kConnectTimeout));
  if (!connection) return store_trouble("out of memory");
  if (connection->err == 0) {
    redisSetTimeout(connection.get(), kAnswerTimeout);
    return connection;
  }
  const std::string reason = in_one_line(connection->errstr);
  return store_trouble("cannot connect to Redis: " + reason, advice_for(reason));
}

}  // namespace

Result<RedisConnection> connect_to_redis(const RedisAddress& address) {
  auto connection = open_connection(address);
  if (!connection) return connection.error();
  RedisArguments greeting = {"PING"};
  if (!address.password.empty() || !address.user.empty()) {
    greeting = {"AUTH"};
    if (!address.user.empty()) greeting.push_back(address.user);
    greeting.push_back(address.password);
  }
  auto answers = ask_redis(**connection, {greeting});
  if (!answers) return answers.error();
  if (!is_error(*answers->front())) return connection;
  const std::string reason = in_one_line(text_of(*answers->front()));
  return store_trouble("Redis refuses the connection: " + reason,
                       "give a user and password that it knows, as in "
                       "redis://user:password@host:port/");
}

std::string to_protocol(const RedisArguments& arguments) {
  std::string text = fmt::format("*{}\r\n", arguments.size());
  for (const std::string& argument : arguments) {
    text += fmt::format("${}\r\n", argument.size()) + argument + "\r\n";
  }
  return text;
}

bool send_bytes(redisContext& connection, std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t size =
        ::send(connection.fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    const bool would_block = size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (would_block && (connection.flags & REDIS_BLOCK) == 0) break;
    if (size < 0) return false;
    sent += static_cast<std::size_t>(size);
  }
  bytes.erase(0, sent);
  return true;
}

Result<std::vector<RedisReply>> ask_redis(redisContext& connection,
                                          const std::vector<RedisArguments>& commands) {
  if (connection.err != 0) return lost_connection();
  std::string bytes;
  for (const RedisArguments& command : commands) bytes += to_protocol(command);
  if (!send_bytes(connection, bytes)) return lost_connection();
  std::vector<RedisReply> replies;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    void* reply = nullptr;
    if (redisGetReply(&connection, &reply) != REDIS_OK || reply == nullptr) {
      return lost_connection();
    }
    replies.emplace_back(static_cast<redisReply*>(reply));
  }
  return replies;
}

Result<std::vector<RedisReply>> order_redis(redisContext& connection,
                                            const std::vector<RedisArguments>& commands) {
  auto replies = ask_redis(connection, commands);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < replies->size(); ++i) {
    const redisReply& reply = *(*replies)[i];
    if (!is_error(reply)) continue;
    const std::string reason = in_one_line(text_of(reply));
    return store_trouble(fmt::format("Redis refused {}: {}", commands[i][0], reason),
                         advice_for(reason));
  }
  return replies;
}

std::string text_of(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) return fmt::format("{}", reply.integer);
  return reply.str == nullptr ? "" : std::string(reply.str, reply.len);
}

bool is_error(const redisReply& reply) { return reply.type == REDIS_REPLY_ERROR; }

std::vector<const redisReply*> elements_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY) return {};
  return {reply.element, reply.element + reply.elements};
}

// Between MULTI and EXEC nobody else comes in between: of two who look at the list, the second sees
// the name of the first.
Result<bool> claim_redis_database(redisContext& connection, int number) {
  const std::string name = fmt::format("heddle-db-{}", number);
  auto replies = order_redis(
      connection, {{"MULTI"}, {"CLIENT", "LIST"}, {"CLIENT", "SETNAME", name}, {"EXEC"}});
  if (!replies) return replies.error();
  const auto answers = elements_of(*replies->back());
  const std::string list = answers.empty() ? "" : text_of(*answers.front());
  if (list.find(fmt::format(" name={} ", name)) == list.npos) return true;
  auto given_up = order_redis(connection, {{"CLIENT", "SETNAME", ""}});
  if (!given_up) return given_up.error();
  return false;
}

}  // namespace heddle
