#include "record/serial_controller.h"

#include <algorithm>

namespace heddle {

void SerialController::begin(UnitHolder& holder, EventLoop& loop) {
  holder_ = &holder;
  loop_ = &loop;
}

void SerialController::arrived(const HeldUnit& unit) {
  const Name name{unit.connection.number, unit.ordinal};
  if (edges_[unit.connection.edge].is_outer) {
    waiting_.push_back(name);
    return;
  }
  loop_->call_soon([this, name] { holder_->permit(name.first, name.second); });
}

void SerialController::ended(const HeldUnit& unit, HeldEnd) {
  const Name name{unit.connection.number, unit.ordinal};
  std::erase(waiting_, name);
  if (open_ == name) open_.reset();
}

void SerialController::let_next() {
  if (!is_due()) return;
  open_ = waiting_.front();
  waiting_.pop_front();
  holder_->permit(open_->first, open_->second);
}

}  // namespace heddle
