// A private MariaDB server that lives as long as its object, as ThrowawayPostgres is one.
//
//   Result<std::unique_ptr<ThrowawayMariadb>> server = ThrowawayMariadb::start({});
//   mysql_real_connect(connection, nullptr, "root", "", nullptr, 0, (*server)->socket().c_str(),
//   0);
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

struct ThrowawayMariadbOptions {
  BinarySearch binaries = BinarySearch::for_mariadb();
  std::vector<std::string> roots = throwaway_roots();  // where its directory may be
  std::uint32_t connections = 100;                     // at most, at one time
  std::vector<std::string> settings;  // "name=value", after heddle's own and stronger than they
  std::uint32_t timeout_ms = 60'000;  // for each of: making the files, becoming ready
};

class ThrowawayMariadb {
 public:
  // Returns when the server answers. Errors as those of ThrowawayPostgres::start.
  static Result<std::unique_ptr<ThrowawayMariadb>> start(const ThrowawayMariadbOptions& options);

  ThrowawayMariadb(const ThrowawayMariadb&) = delete;
  ThrowawayMariadb& operator=(const ThrowawayMariadb&) = delete;
  // Stops the server at once and removes its directory.
  ~ThrowawayMariadb();

  // The Unix socket, the only way in; the user is root, without a password.
  std::string socket() const { return directory_->socket_directory() + "/mariadb"; }
  const std::string& directory() const { return directory_->path(); }
  pid_t process() const { return process_; }

 private:
  explicit ThrowawayMariadb(std::unique_ptr<ThrowawayDirectory> directory)
      : directory_(std::move(directory)) {}

  std::unique_ptr<ThrowawayDirectory> directory_;
  pid_t process_ = 0;
};

}  // namespace heddle
