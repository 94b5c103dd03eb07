#include "proxy/first_come.h"

namespace heddle {

void FirstComeController::begin(UnitHolder& holder, EventLoop& loop) {
  holder_ = &holder;
  loop_ = &loop;
}

void FirstComeController::arrived(const HeldUnit& unit) {
  // Not at once: whoever has told of it is in the middle of something.
  if (waiting_.empty()) loop_->call_soon([this] { let_go(); });
  waiting_.emplace_back(unit.connection.number, unit.ordinal);
}

void FirstComeController::let_go() {
  while (!waiting_.empty()) {
    const auto [connection, ordinal] = waiting_.front();
    waiting_.pop_front();
    holder_->permit(connection, ordinal);
  }
}

}  // namespace heddle
