#include "base/coroutine.h"

#include <utility>

#include "base/assert.h"

namespace heddle {

Coroutine::Coroutine(std::function<void()> body) : body_(std::move(body)) {}

Coroutine::~Coroutine() {
  if (!has_begun_) return;
  HEDDLE_ASSERT(has_ended_);
  thread_.join();
}

bool Coroutine::resume() {
  HEDDLE_ASSERT(!has_ended_);
  if (!has_begun_) {
    has_begun_ = true;
    thread_ = std::thread([this] {
      go_.acquire();
      body_();
      has_ended_ = true;
      back_.release();
    });
  }
  go_.release();
  back_.acquire();
  return !has_ended_;
}

void Coroutine::give_back() {
  back_.release();
  go_.acquire();
}

}  // namespace heddle
