// Which connections of a database wait for which, asked again and again on a connection of
// heddle's own as long as somebody wants to know.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "heddle/result.h"
#include "store/postgres/blocked_backends.h"

namespace heddle {

class BlockWatch {
 public:
  using Tell = std::function<void(const BlockedBackends&)>;

  // `tell` is called in a thread of its own, with what is so now. Errors: bad_input where the
  // address is none, environment where the server cannot be reached.
  static Result<std::unique_ptr<BlockWatch>> start(const std::string& address, Tell tell);
  ~BlockWatch();

  // Asks as long as it is wanted. Any thread.
  void want(bool is_wanted);

 private:
  BlockWatch(std::unique_ptr<BlockedBackendsQuery> query, Tell tell);
  void run();

  std::unique_ptr<BlockedBackendsQuery> query_;
  Tell tell_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_wanted_ = false;  // guarded by mutex_, as the next
  bool is_ended_ = false;
  std::thread thread_;
};

}  // namespace heddle
