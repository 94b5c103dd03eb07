// A thread used as a coroutine: for code that asks for something in the middle of a call, while
// whoever has the answer must not wait inside of that call. Of the thread and its owner exactly one
// runs at any time, so that nothing they share needs a lock.
//
//   Coroutine squares([&] { for (int i = 0; i < 3; ++i) { value = i * i; squares.give_back(); } });
//   while (squares.resume()) use(value);
#pragma once

#include <functional>
#include <semaphore>
#include <thread>

namespace heddle {

class Coroutine {
 public:
  // `body` begins with the first resume. It must not throw.
  explicit Coroutine(std::function<void()> body);
  // REQUIRES: the body has ended, or nothing has been resumed.
  ~Coroutine();
  Coroutine(const Coroutine&) = delete;
  Coroutine& operator=(const Coroutine&) = delete;

  // Lets the body run until it gives back or ends; false: it has ended. REQUIRES: !has_ended().
  bool resume();
  // In the body: lets the owner run until it resumes.
  void give_back();

  bool has_begun() const { return has_begun_; }
  bool has_ended() const { return has_ended_; }

 private:
  std::function<void()> body_;
  bool has_begun_ = false;
  bool has_ended_ = false;
  std::binary_semaphore go_{0};
  std::binary_semaphore back_{0};
  std::thread thread_;  // from the first resume on
};

}  // namespace heddle
