// A Java virtual machine with the classes of a program, in which their methods are called.
//
//   auto machine = JavaMachine::open("build/classes:driver.jar");
//   auto worker = (*machine)->open_worker();   // a channel; what is said on it: gated_session.h
//
// It runs in a throwaway directory and ends with the connection to us, however we end.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>

#include "heddle/result.h"
#include "stream/line_channel.h"
#include "stream/stream_socket.h"
#include "throwaway/directory.h"

namespace heddle {

class JavaMachine {
 public:
  // Whoever asks for the same class path while somebody holds the machine gets the same one;
  // thread-safe. Errors: environment where there is no Java, or no driver for PostgreSQL.
  static Result<std::shared_ptr<JavaMachine>> open(const std::string& class_path);
  ~JavaMachine();
  JavaMachine(const JavaMachine&) = delete;
  JavaMachine& operator=(const JavaMachine&) = delete;

  // A new thread of the machine. Thread-safe.
  Result<LineChannel> open_worker();

 private:
  JavaMachine() = default;

  static Result<std::shared_ptr<JavaMachine>> start(const std::string& class_path);
  Result<void> launch(const std::string& program, const std::string& class_path);
  // The next connection that knows the token.
  Result<LineChannel> accept_channel(Deadline deadline);
  Diagnostic trouble(const std::string& what) const;

  std::unique_ptr<ThrowawayDirectory> directory_;
  pid_t process_ = 0;
  Listener listener_;
  std::string token_;
  LineChannel orders_;
  std::mutex mutex_;
};

}  // namespace heddle
