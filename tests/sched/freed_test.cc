// Memory that is used after it was freed, in whatever order threads do so.
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::Options;
using heddle::sched::Races;

template <class Body>
void fails(const std::string& name, const std::string& kind, const std::string& what, Body body,
           Races races = Races::fail) {
  const Answer answer = check(body, {.races = races, .quiet = true});
  const bool found = !answer.passed && answer.failure.kind == kind;
  expect(found && answer.failure.what.find(what) != std::string::npos,
         name + ": " + answer.failure.kind + ": " + answer.failure.what);
}

template <class Body>
void passes(const std::string& name, Body body) {
  const Answer answer = check(body, {.executions = 2'000});
  expect(answer.passed, name + ": " + answer.failure.kind + ": " + answer.failure.what);
}

struct Node {
  int value = 0;
  Node* next = nullptr;
};

// Treiber's stack, without anybody who takes care of when a node may go.
struct Stack {
  std::atomic<Node*> head = nullptr;

  void push(int value) {
    Node* made = new Node{value, head.load(std::memory_order_relaxed)};
    while (!head.compare_exchange_weak(made->next, made, std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
  }
  void pop() {
    Node* top = head.load(std::memory_order_acquire);
    while (top != nullptr && !head.compare_exchange_weak(top, top->next, std::memory_order_acquire,
                                                         std::memory_order_acquire)) {
    }
    delete top;
  }
};

void two_pop() {
  Stack stack;
  stack.push(1);
  stack.push(2);
  std::thread other([&] { stack.pop(); });
  stack.pop();
  other.join();
}

void reads_what_it_has_freed() {
  int* number = new int(1);
  int* volatile seen = number;
  delete number;
  if (*seen == 2) std::abort();
}

void both_free() {
  auto* shared = new int(1);
  std::atomic<int*> pointer = shared;
  const auto drop = [&] {
    int* mine = pointer.load();
    pointer = nullptr;
    delete mine;
  };
  std::thread other(drop);
  drop();
  other.join();
}

// Whoever is last gives it back.
void counted_references() {
  auto shared = std::make_shared<std::vector<int>>(3, 1);
  std::thread one([shared] { static_cast<void>(shared->size()); });
  std::thread other([shared] { static_cast<void>(shared->front()); });
  shared.reset();
  one.join();
  other.join();
}

void handed_over() {
  std::atomic<std::string*> box = nullptr;
  std::thread takes([&] {
    std::string* got = nullptr;
    while ((got = box.exchange(nullptr, std::memory_order_acquire)) == nullptr) {
      std::this_thread::yield();
    }
    static_cast<void>(got->size());
    delete got;
  });
  box.store(new std::string(100, 'x'), std::memory_order_release);
  takes.join();
}

// The library counts who holds an exception; the last one frees it.
void handed_exceptions() {
  auto failure = std::make_exception_ptr(std::runtime_error("no such number"));
  const auto look = [](std::exception_ptr own) {
    try {
      std::rethrow_exception(std::move(own));
    } catch (const std::exception& error) {
      if (error.what()[0] != 'n') std::abort();
    }
  };
  std::thread one(look, failure);
  std::thread other(look, failure);
  failure = nullptr;
  one.join();
  other.join();
}

void under_a_mutex() {
  std::mutex mutex;
  std::vector<int> numbers;
  const auto grow = [&] {
    for (int i = 0; i < 5; ++i) {
      const std::lock_guard lock(mutex);
      numbers.push_back(i);
    }
  };
  std::thread other(grow);
  grow();
  other.join();
}

}  // namespace

int main() {
  fails("a stack", "data race", "are not ordered", two_pop);
  fails("a stack, races aside", "use after free", "of memory that was freed", two_pop, Races::find);
  fails("one thread", "use after free", "reads 4 bytes of memory that was freed",
        reads_what_it_has_freed);
  fails("twice", "use after free", "frees memory that was freed before", both_free, Races::find);
  passes("counted references", counted_references);
  passes("handed over", handed_over);
  passes("under a mutex", under_a_mutex);
  passes("handed exceptions", handed_exceptions);
  return expectations_met();
}
