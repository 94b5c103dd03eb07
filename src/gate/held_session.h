// A session in which a program itself runs, whatever its store is: how a call begins, is waited for
// and ends. What the driver speaks, and what is done with a statement that it sends, is the
// derived class's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gate/called_program.h"
#include "heddle/outcome.h"
#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

class HeldSession : public StoreSession {
 public:
  Result<void> send_called(const CalledStatement& called) override;
  Result<void> end_called(const Reply& end) override;
  void forget_called() override;
  std::string delay() override;
  int socket() const override { return program_->events(); }
  std::vector<Reply> take_replies() override { return std::exchange(replies_, {}); }
  // A program that sends nothing is waited for no longer.
  bool cancel() override;
  int backend_id() const override { return store().backend_id(); }

 protected:
  explicit HeldSession(std::unique_ptr<CalledProgram> program) : program_(std::move(program)) {}

  // The session behind it.
  virtual StoreSession& store() = 0;
  virtual const StoreSession& store() const = 0;
  // What is to be done before a call, while the session is heddle's own.
  virtual Result<void> prepare_call() { return {}; }
  // Lets the driver in, and sends others away.
  virtual Result<void> serve_startup(Deadline deadline) = 0;
  // Takes whatever has arrived anywhere.
  virtual Result<void> pump() = 0;
  // The store works on what was let go.
  virtual bool is_releasing() const = 0;
  // Waits for it no longer.
  virtual void drop_release() {}
  // The driver has sent something that is not let go yet.
  virtual bool has_sent() const = 0;
  // The next of it, if that must not run unless heddle asks for it.
  virtual std::optional<std::string> next_held() = 0;
  // Lets the next of it go, whatever it is. False: more has to arrive. REQUIRES: has_sent().
  virtual Result<bool> pass() = 0;
  // Makes the session heddle's again, as it was.
  virtual Result<void> clean() = 0;
  // Forgets what is of one call.
  virtual void leave_call();

  void answer(Reply reply);
  // It executes that in place of what heddle expects, or its call has ended there.
  Diagnostic divergence(const std::string& shown_statement);
  Diagnostic early_end();

  std::unique_ptr<CalledProgram> program_;

  bool is_called_ = false;
  // Of what heddle waits for.
  bool is_under_way_ = false;
  bool owes_begin_ = false;  // heddle has said BEGIN, and the driver says it, or may, later
  std::optional<CalledStatement> expected_;
  std::vector<Reply> replies_;
  // What the store does not have that the driver has asked for in this call; empty: nothing. It may
  // be why the program does something else.
  std::string lacking_;

 private:
  std::optional<std::string> expected_text() const;
  Result<void> begin_call();
  Result<void> await_ready(Deadline deadline);
  Result<void> await_end(Deadline deadline);
  Diagnostic with_lacking(Diagnostic diagnostic) const;
};

// Of a store that answers without rows.
Reply done_reply(std::string tag);

}  // namespace heddle
