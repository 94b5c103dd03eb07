#include "store/replicated/session.h"

#include <sys/eventfd.h>

#include "store/trouble.h"

namespace heddle {

Result<std::unique_ptr<ReplicatedSession>> ReplicatedSession::start(
    std::shared_ptr<replicated::Engine> engine, const std::string& name, IsolationLevel level) {
  FileDescriptor signal(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!signal.is_open()) {
    return store_trouble("cannot make an event for a session of the replicated store");
  }
  const int number = engine->open_session(name, level);
  return std::unique_ptr<ReplicatedSession>(
      new ReplicatedSession(std::move(engine), std::move(signal), number));
}

Result<void> ReplicatedSession::send(const std::string& text) {
  replies_ = engine_->run(number_, text);
  return {};
}

}  // namespace heddle
