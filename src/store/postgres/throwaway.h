// A private PostgreSQL server that lives as long as its object: made from the installed programs in
// a private directory, reached over a Unix socket only, without any durability.
//
//   Result<std::unique_ptr<ThrowawayPostgres>> server = ThrowawayPostgres::start({});
//   PQconnectdb((*server)->conninfo().c_str());
//
// Whatever becomes of this process, the server and its directory go (guard.h).
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

struct ThrowawayOptions {
  BinarySearch binaries = BinarySearch::for_postgres();
  std::vector<std::string> roots = throwaway_roots();  // where its directory may be
  std::uint32_t connections = 100;                     // at most, at one time
  std::vector<std::string> settings;  // "name=value", after heddle's own and stronger than they
  std::uint32_t timeout_ms = 60'000;  // for each of: making the files, becoming ready
};

class ThrowawayPostgres {
 public:
  // Returns when the server answers. Errors: no programs, no usable directory, a full disk,
  // whatever the server's log says (trouble: environment); interrupted. Then nothing is left
  // behind. First removes what dead owners left.
  static Result<std::unique_ptr<ThrowawayPostgres>> start(const ThrowawayOptions& options);

  ThrowawayPostgres(const ThrowawayPostgres&) = delete;
  ThrowawayPostgres& operator=(const ThrowawayPostgres&) = delete;
  // Stops the server at once and removes its directory.
  ~ThrowawayPostgres();

  // For libpq: host, port, user (a superuser) and dbname.
  const std::string& conninfo() const { return conninfo_; }
  // "15.4".
  const std::string& version() const { return version_; }
  const std::string& directory() const { return directory_->path(); }
  pid_t process() const { return process_; }

 private:
  explicit ThrowawayPostgres(std::unique_ptr<ThrowawayDirectory> directory);

  std::unique_ptr<ThrowawayDirectory> directory_;
  pid_t process_ = 0;
  std::string conninfo_;
  std::string version_;
};

}  // namespace heddle
