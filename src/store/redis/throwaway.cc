// A server is ready a few hundredths of a second after it was started. It writes no file but its
// log, and runs as whoever runs heddle, root included.
#include "store/redis/throwaway.h"

#include <csignal>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/process.h"
#include "store/redis/connection.h"
#include "throwaway/server_start.h"

namespace heddle {
namespace {

// What the program looks at to be the server.
constexpr const char* kServerName = "redis-server";

// Only what is read after a crash is given up; a script that does not end can be stopped early.
constexpr const char* kRedisSettings[] = {
    "--port",           "0",  "--daemonize",      "no",  "--save",     "",
    "--appendonly",     "no", "--unixsocketperm", "700", "--loglevel", "notice",
    "--set-proc-title", "no", "--lua-time-limit", "100",
};

// A try costs a fraction of a millisecond.
bool redis_answers(const std::string& socket) {
  RedisAddress address;
  address.socket = socket;
  return static_cast<bool>(connect_to_redis(address));
}

}  // namespace

Result<std::unique_ptr<ThrowawayRedis>> ThrowawayRedis::start(
    const ThrowawayRedisOptions& options) {
  const Result<std::string> program = find_redis_server(options.binaries);
  if (!program) return program.error();
  remove_leftovers(leftover_roots());
  Result<std::unique_ptr<ThrowawayDirectory>> directory =
      ThrowawayDirectory::create(options.roots, std::nullopt);
  if (!directory) return directory.error();

  std::unique_ptr<ThrowawayRedis> server(new ThrowawayRedis(std::move(*directory)));
  const std::string socket = server->socket();
  const ServerStart start{kRedisProduct, *server->directory_, std::nullopt, options.timeout_ms};
  std::vector<std::string> arguments = {kServerName,
                                        "--unixsocket",
                                        socket,
                                        "--dir",
                                        server->directory_->data(),
                                        "--databases",
                                        fmt::format("{}", options.databases)};
  arguments.insert(arguments.end(), std::begin(kRedisSettings), std::end(kRedisSettings));
  for (std::size_t i = 0; i < options.settings.size(); ++i) {
    arguments.push_back((i % 2 == 0 ? "--" : "") + options.settings[i]);
  }
  const Result<pid_t> launched = launch_server(start, std::move(arguments), *program);
  if (!launched) return launched.error();
  server->process_ = *launched;
  auto ready =
      wait_until_ready(start, kServerName, *launched, [&] { return redis_answers(socket); });
  if (!ready) return ready.error();
  return server;
}

ThrowawayRedis::~ThrowawayRedis() { end_throwaway(process_, SIGKILL, std::move(directory_)); }

}  // namespace heddle
