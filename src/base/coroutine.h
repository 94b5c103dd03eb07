// Code that asks for something in the middle of a call, while whoever has the answer must not wait
// inside of that call: it has a stack of its own, and runs on the thread of whoever resumes it.
// There is no thread behind it, because going from one to the other and back takes longer than most
// of what is asked for.
//
//   Coroutine squares([&] { for (int i = 0; i < 3; ++i) { value = i * i; squares.give_back(); } });
//   while (squares.resume()) use(value);
#pragma once

#include <functional>
#include <memory>

namespace heddle {

class Coroutine {
 public:
  // `body` begins with the first resume. It must not throw.
  explicit Coroutine(std::function<void()> body);
  // REQUIRES: the body has ended, or nothing has been resumed.
  ~Coroutine();
  Coroutine(const Coroutine&) = delete;
  Coroutine& operator=(const Coroutine&) = delete;

  // Lets the body run until it gives back or ends; false: it has ended. Not always from one thread,
  // but never from two at a time. REQUIRES: !has_ended().
  bool resume();
  // In the body: lets the owner run until it resumes. What belongs to a thread, such as errno, may
  // be another thread's afterwards.
  void give_back();

  bool has_begun() const { return stack_ != nullptr; }
  bool has_ended() const { return has_ended_; }

 private:
  class Stack;

  std::function<void()> body_;
  bool has_ended_ = false;
  std::unique_ptr<Stack> stack_;  // from the first resume on
};

}  // namespace heddle
