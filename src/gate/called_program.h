// The call of a program in a gated session, whatever store it is on: who makes it, what is said of
// it, how it ends, and the driver's connection to us.
//
//   auto called = CalledProgram::open(program, call, timeout_ms);
//   (*called)->begin(deadline);               // the worker calls, the driver comes
//   while (...) (*called)->take_words();      // is_ready(), later call_end()
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "control/controlled_program.h"
#include "heddle/outcome.h"
#include "heddle/result.h"
#include "stream/stream.h"

namespace heddle {

class CalledProgram {
 public:
  // Errors: the program's, where no driver can connect to it.
  static Result<std::unique_ptr<CalledProgram>> open(std::shared_ptr<ControlledProgram> program,
                                                     ProgramCall call, std::uint32_t timeout_ms);

  const ProgramCall& call() const { return call_; }
  const ProgramWords& words() const { return program_->words(); }
  // How long a statement of it may take, or what is to be done between two.
  Deadline step_deadline() const;
  // Until when it must be ready, from now on.
  Deadline start_deadline() const;

  // Becomes readable when anything that is watched is: the worker, the driver, what was added.
  int events() const { return events_.get(); }
  void watch(Watched watched) const;
  void forget(Watched watched) const;
  // False: the time is over.
  bool wait_for_anything(Deadline deadline) const;

  // Tells a worker to make the call. Error: it cannot be made.
  Result<void> begin();
  // What the driver must say to be let in.
  const std::string& token() const { return token_; }
  // Waits until somebody has connected, who then is the client. Error: early_end(), or the time.
  Result<void> await_client(Deadline deadline);

  // Takes whatever the worker has said. Error: it has gone in the middle of the call.
  Result<void> take_words();
  bool is_ready() const { return is_ready_; }
  const std::optional<WorkerWord>& call_end() const { return call_end_; }
  // After end_call the worker is ready for another call, if it has said how this one ended.
  void leave_call();
  // Waits for the end of a call of which nobody wants to know any more.
  void abandon(Deadline deadline);
  void forget_worker() { worker_.reset(); }

  // Null: nobody is connected. It may have gone.
  bool has_client() const { return client_ != nullptr && !is_client_gone_; }
  void close_client() { client_.reset(); }
  // What the driver has sent.
  std::string read_client();
  // A driver that has gone needs no answer; that it has gone is seen when it is read from.
  void write_client(std::string_view bytes);

  // Where the program's own code is: Bank.java:19; empty: nobody knows.
  std::string place();
  // It executes that in place of what was expected (none: its end).
  Diagnostic divergence(const std::string& shown, const std::optional<std::string>& expected);
  // The call has ended, or could not begin, where that was expected (none: its first statement).
  Diagnostic early_end(const std::optional<std::string>& expected) const;
  // It sends nothing and does not end.
  std::string delay();
  // Whether it ended as heddle's reading of it did. Of what is returned plain values are compared.
  Result<void> check_end(const Reply& end) const;

 private:
  CalledProgram(std::shared_ptr<ControlledProgram> program, ProgramCall call,
                std::uint32_t timeout_ms);

  std::shared_ptr<ControlledProgram> program_;
  ProgramCall call_;
  std::uint32_t timeout_ms_;
  FileDescriptor events_;  // epoll
  std::unique_ptr<StreamListener> listener_;
  std::unique_ptr<ProgramWorker> worker_;  // none before the first call
  std::unique_ptr<Stream> client_;         // the driver; none: it is not connected
  std::string token_;
  std::optional<std::string> place_;
  bool is_ready_ = false;  // the program's own code has begun
  std::optional<WorkerWord> call_end_;
  bool is_client_gone_ = false;
};

// The time is over, or nobody waits any more.
Diagnostic late(std::string what);

// The text without the blanks of a statement that goes over several lines, and not too long.
std::string shown(const std::string& text);

}  // namespace heddle
