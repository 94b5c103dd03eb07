// A private Redis server that lives as long as its object, as ThrowawayPostgres is one.
//
//   Result<std::unique_ptr<ThrowawayRedis>> server = ThrowawayRedis::start({});
//   redisConnectUnix((*server)->socket().c_str());
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "heddle/result.h"
#include "throwaway/binaries.h"
#include "throwaway/directory.h"

namespace heddle {

struct ThrowawayRedisOptions {
  BinarySearch binaries = BinarySearch::for_redis();
  std::vector<std::string> roots = throwaway_roots();  // where its directory may be
  int databases = 1024;
  std::vector<std::string> settings;  // name, value, name, ..., stronger than heddle's own
  std::uint32_t timeout_ms = 60'000;  // for becoming ready
};

class ThrowawayRedis {
 public:
  // Returns when the server answers. Errors as those of ThrowawayPostgres::start.
  static Result<std::unique_ptr<ThrowawayRedis>> start(const ThrowawayRedisOptions& options);

  ThrowawayRedis(const ThrowawayRedis&) = delete;
  ThrowawayRedis& operator=(const ThrowawayRedis&) = delete;
  // Stops the server at once and removes its directory.
  ~ThrowawayRedis();

  // The Unix socket, the only way in; there is no password.
  std::string socket() const { return directory_->socket_directory() + "/redis"; }
  const std::string& directory() const { return directory_->path(); }
  pid_t process() const { return process_; }

 private:
  explicit ThrowawayRedis(std::unique_ptr<ThrowawayDirectory> directory)
      : directory_(std::move(directory)) {}

  std::unique_ptr<ThrowawayDirectory> directory_;
  pid_t process_ = 0;
};

}  // namespace heddle
