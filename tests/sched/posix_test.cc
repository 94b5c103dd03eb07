// What POSIX has beside what the standard library is made of.
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <mqueue.h>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unistd.h>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;

// An empty kind: it passes.
void comes_to(const char* what, const std::string& kind, const std::function<void()>& body) {
  const Answer answer = check([&body] { body(); }, {.executions = 2000, .seconds = 20});
  expect(answer.failure.kind == kind,
         std::string(what) + ": " + answer.failure.kind + ": " + answer.failure.what);
}

void require(bool condition, const char* what) {
  if (!condition) heddle::sched::fail(what);
}

class RobustMutex {
 public:
  RobustMutex() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  ~RobustMutex() { pthread_mutex_destroy(&mutex_); }
  RobustMutex(const RobustMutex&) = delete;
  RobustMutex& operator=(const RobustMutex&) = delete;

  pthread_mutex_t* get() { return &mutex_; }

 private:
  pthread_mutex_t mutex_;
};

void robust_mutexes() {
  // Before it ends, while it ends, and behind that.
  comes_to("an owner that ends is told of", "", [] {
    RobustMutex mutex;
    int value = 0;
    std::thread dies([&] {
      pthread_mutex_lock(mutex.get());
      value = 1;
    });
    const int got = pthread_mutex_lock(mutex.get());
    require(got == 0 || got == EOWNERDEAD, "it is got");
    require((value == 1) == (got == EOWNERDEAD), "the owner is dead if it had it");
    if (got == EOWNERDEAD) require(pthread_mutex_consistent(mutex.get()) == 0, "consistent");
    pthread_mutex_unlock(mutex.get());
    dies.join();
    const int again = pthread_mutex_lock(mutex.get());
    require(again == (got == 0 ? EOWNERDEAD : 0), "as before, once");
    pthread_mutex_consistent(mutex.get());
    pthread_mutex_unlock(mutex.get());
  });
  comes_to("what nobody has put right is lost", "", [] {
    RobustMutex mutex;
    std::thread([&] { pthread_mutex_lock(mutex.get()); }).join();
    require(pthread_mutex_lock(mutex.get()) == EOWNERDEAD, "its owner is dead");
    pthread_mutex_unlock(mutex.get());
    require(pthread_mutex_lock(mutex.get()) == ENOTRECOVERABLE, "it is lost");
  });
  comes_to("any other mutex waits for ever", "deadlock", [] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    std::thread([&] { pthread_mutex_lock(&mutex); }).join();
    pthread_mutex_lock(&mutex);
  });
}

// As in the C library: an error is given to the thread alone that has the lock for itself.
void upgrades() {
  comes_to("who shares and wants it alone", "deadlock", [] {
    std::shared_mutex mutex;
    const std::shared_lock shared(mutex);
    const std::unique_lock alone(mutex);
  });
  comes_to("who shares and tries to have it alone", "", [] {
    std::shared_mutex mutex;
    const std::shared_lock shared(mutex);
    const std::unique_lock alone(mutex, std::try_to_lock);
    require(!alone.owns_lock(), "it is shared");
  });
}

void queues_of_messages() {
  const std::string name = "/heddle_" + std::to_string(getpid());
  const char* called = name.c_str();
  mq_attr room{};
  room.mq_maxmsg = 1;
  room.mq_msgsize = 4;
  const mqd_t probe = mq_open(called, O_CREAT | O_RDWR, 0600, &room);
  if (probe < 0) return;  // the system has none
  mq_close(probe);
  mq_unlink(called);
  comes_to("messages wait for room, and for each other", "", [&] {
    const mqd_t queue = mq_open(called, O_CREAT | O_RDWR, 0600, &room);
    mq_unlink(called);
    int value = 0;
    std::thread sends([&] {
      value = 1;
      mq_send(queue, "one", 4, 0);
      mq_send(queue, "two", 4, 0);
    });
    char text[4] = "";
    require(mq_receive(queue, text, 4, nullptr) == 4 && std::string(text) == "one", "one");
    require(value == 1, "what was written before it was sent");
    require(mq_receive(queue, text, 4, nullptr) == 4 && std::string(text) == "two", "two");
    sends.join();
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3600;
    require(mq_timedreceive(queue, text, 4, nullptr, &until) == -1 && errno == ETIMEDOUT, "none");
    mq_close(queue);
  });
}

// Who waits in the system's place does not change how others see the descriptor.
void two_readers_of_a_pipe() {
  comes_to("two wait for one pipe", "", [] {
    int ends[2];
    require(pipe(ends) == 0, "a pipe");
    const auto take = [&] {
      char letter = 0;
      require(read(ends[0], &letter, 1) == 1, "it waits until there is something");
    };
    std::thread one(take);
    std::thread other(take);
    require(write(ends[1], "a", 1) == 1, "written");
    require(write(ends[1], "b", 1) == 1, "written");
    one.join();
    other.join();
    close(ends[0]);
    close(ends[1]);
  });
}

void timers() {
  comes_to("a timer with a thread of its own", "misuse", [] {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = [](sigval) {};
    timer_t timer{};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
  });
}

}  // namespace

int main() {
  robust_mutexes();
  upgrades();
  queues_of_messages();
  two_readers_of_a_pipe();
  timers();
  return expectations_met();
}
