// A session of the replicated store as a StoreSession. Nothing waits there: what is sent is done.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "store/replicated/engine.h"
#include "store/store.h"

namespace heddle {

class ReplicatedSession : public StoreSession {
 public:
  static Result<std::unique_ptr<ReplicatedSession>> start(
      std::shared_ptr<replicated::Engine> engine, const std::string& name, IsolationLevel level);
  ~ReplicatedSession() override { engine_->close_session(number_); }

  Result<void> send(const std::string& text) override;
  // What columns a statement would give, without running it.
  Reply describe(const std::string& text) { return engine_->describe(number_, text); }
  Result<bool> busy() override { return false; }
  int socket() const override { return signal_.get(); }
  std::vector<Reply> take_replies() override { return std::exchange(replies_, {}); }
  std::vector<std::string> take_notices() override { return {}; }
  std::vector<Notification> take_notifications() override { return {}; }
  TransactionState transaction_state() const override {
    return engine_->transaction_state(number_);
  }
  bool cancel() override { return false; }
  int backend_id() const override { return number_; }

 private:
  ReplicatedSession(std::shared_ptr<replicated::Engine> engine, FileDescriptor signal, int number)
      : engine_(std::move(engine)), signal_(std::move(signal)), number_(number) {}

  std::shared_ptr<replicated::Engine> engine_;
  FileDescriptor signal_;  // always readable
  int number_;
  std::vector<Reply> replies_;
};

}  // namespace heddle
