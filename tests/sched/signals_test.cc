// Signals that a program sends to its own threads: each handler runs in the thread that it is for,
// whatever that one is about, in every interleaving.
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csetjmp>
#include <csignal>
#include <ctime>
#include <functional>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::Options;
using heddle::sched::Strategy;

// An empty kind: it passes.
void comes_to(const char* what, const std::string& kind, const std::function<void()>& body,
              const Options& options = {.executions = 2000, .seconds = 20}) {
  const Answer answer = check([&body] { body(); }, options);
  expect(answer.failure.kind == kind,
         std::string(what) + ": " + answer.failure.kind + ": " + answer.failure.what);
}

// All interleavings with at most two preemptions.
void passes_always(const char* what, const std::function<void()>& body) {
  comes_to(
      what, "", body,
      {.strategy = Strategy::depth_first, .executions = 100000, .seconds = 60, .preemptions = 2});
}

void require(bool condition, const char* what) {
  if (!condition) heddle::sched::fail(what);
}

void handle(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

// What handlers tell; each test begins with zeros.
std::atomic<pthread_t> handled_by;
std::atomic<int> handled;
sem_t acknowledged;
int plain = 0;

void begin() {
  handled_by.store(0);
  handled.store(0);
}
void note(int /*signal*/) {
  handled_by.store(pthread_self());
  handled.fetch_add(1);
}

void handlers_run_in_the_thread_they_are_for() {
  passes_always("of a thread that goes on", [] {
    begin();
    handle(SIGUSR1, note);
    std::thread other([] {
      while (handled.load() == 0) std::this_thread::yield();
    });
    pthread_kill(other.native_handle(), SIGUSR1);
    const pthread_t self = other.native_handle();
    other.join();
    require(pthread_equal(handled_by.load(), self) != 0, "the other thread handled it");
  });
  passes_always("of a thread that waits for a mutex", [] {
    begin();
    handle(SIGUSR1, note);
    std::mutex mutex;
    int entered = 0;
    mutex.lock();
    std::thread other([&] {
      const std::lock_guard lock(mutex);
      ++entered;
    });
    const pthread_t self = other.native_handle();
    pthread_kill(self, SIGUSR1);
    // The other one is kept from the mutex until its handler has run.
    while (handled.load() == 0) std::this_thread::yield();
    require(entered == 0, "who waits for a mutex goes on waiting behind a handler");
    mutex.unlock();
    other.join();
    require(entered == 1 && pthread_equal(handled_by.load(), self) != 0, "and has it then");
  });
  passes_always("of the thread itself", [] {
    begin();
    handle(SIGUSR1, note);
    raise(SIGUSR1);
    require(handled.load() == 1, "raise returns behind the handler");
    pthread_kill(pthread_self(), SIGUSR1);
    require(handled.load() == 2, "so does pthread_kill to oneself");
  });
  comes_to("a handler is code of the program", "data race", [] {
    plain = 0;
    handle(SIGUSR1, [](int) { plain = 1; });
    std::thread other([] {});
    pthread_kill(other.native_handle(), SIGUSR1);
    plain = 2;
    other.join();
    require(plain != 0, "somebody wrote");
  });
  passes_always("what was done before a signal was sent is known to its handler", [] {
    begin();
    handle(SIGUSR1, [](int) {
      ++plain;
      handled.store(1);
    });
    plain = 1;
    std::thread other([] {
      while (handled.load() == 0) std::this_thread::yield();
    });
    plain = 2;
    pthread_kill(other.native_handle(), SIGUSR1);
    other.join();
    require(plain == 3, "the handler saw what was written before");
  });
}

void waits_are_not_lost() {
  passes_always("a notify while a handler runs", [] {
    begin();
    handle(SIGUSR1, note);
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    std::thread waits([&] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return ready; });
    });
    pthread_kill(waits.native_handle(), SIGUSR1);
    {
      const std::lock_guard lock(mutex);
      ready = true;
    }
    condition.notify_one();
    waits.join();
    require(handled.load() <= 1, "it is handled once at most");
  });
  passes_always("a join", [] {
    begin();
    handle(SIGUSR1, note);
    const pthread_t first = pthread_self();
    std::thread other([&] { pthread_kill(first, SIGUSR1); });
    other.join();
    while (handled.load() == 0) std::this_thread::yield();
    require(pthread_equal(handled_by.load(), first) != 0, "the first thread handled it");
  });
}

void sleeps_end() {
  comes_to("a sleep ends", "", [] {
    begin();
    handle(SIGUSR1, note, SA_RESTART);
    int error = 0;
    timespec left{};
    std::thread sleeps([&] {
      const timespec hour{.tv_sec = 3600, .tv_nsec = 0};
      if (nanosleep(&hour, &left) != 0) error = errno;
    });
    pthread_kill(sleeps.native_handle(), SIGUSR1);
    sleeps.join();
    // It may have been handled before the sleep began.
    require(error == 0 || (error == EINTR && left.tv_sec > 3000), "with what is left of it");
  });
}

void waits_for_semaphores_end() {
  const auto waits_for_semaphore = [](int flags) {
    begin();
    handle(SIGUSR1, note, flags);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    std::atomic<int> result = 1;
    std::thread waits([&] { result.store(sem_wait(&semaphore) == 0 ? 0 : errno); });
    pthread_kill(waits.native_handle(), SIGUSR1);
    while (handled.load() == 0) std::this_thread::yield();
    sem_post(&semaphore);
    waits.join();
    sem_destroy(&semaphore);
    return result.load();
  };
  passes_always("a semaphore is waited for again", [&] {
    require(waits_for_semaphore(SA_RESTART) == 0, "where the handler restarts");
  });
  passes_always("a wait for a semaphore may end", [&] {
    const int result = waits_for_semaphore(0);
    require(result == 0 || result == EINTR, "with EINTR where the handler does not restart");
  });
}

void waits_for_descriptors_end() {
  passes_always("poll ends", [] {
    begin();
    handle(SIGUSR1, note, SA_RESTART);
    int ends[2];
    require(pipe(ends) == 0, "a pipe");
    std::atomic<int> result = 1;
    std::thread waits([&] {
      pollfd one{.fd = ends[0], .events = POLLIN, .revents = 0};
      result.store(poll(&one, 1, -1) == 1 ? 0 : errno);
    });
    pthread_kill(waits.native_handle(), SIGUSR1);
    while (handled.load() == 0) std::this_thread::yield();
    require(write(ends[1], "x", 1) == 1, "a byte");
    waits.join();
    close(ends[0]);
    close(ends[1]);
    require(result.load() == 0 || result.load() == EINTR, "or has what it waits for");
  });
}

void waits_for_signals() {
  comes_to("pause", "deadlock", [] {
    // The signal may come before: the textbook's reason for sigsuspend.
    begin();
    handle(SIGUSR1, note);
    std::thread waits([] {
      if (handled.load() == 0) pause();
    });
    pthread_kill(waits.native_handle(), SIGUSR1);
    waits.join();
  });
  passes_always("sigsuspend", [] {
    begin();
    handle(SIGUSR1, note);
    const sigset_t signal = only(SIGUSR1);
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &signal, &before);
    std::thread waits([&] {
      while (handled.load() == 0) {
        const int result = sigsuspend(&before);
        require(result == -1 && errno == EINTR, "it always ends so");
      }
    });
    pthread_kill(waits.native_handle(), SIGUSR1);
    waits.join();
  });
}

void blocked_signals_wait() {
  passes_always("a thread inherits what is blocked", [] {
    begin();
    handle(SIGUSR1, note);
    const sigset_t signal = only(SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signal, nullptr);
    std::thread other([&] {
      sigset_t pending;
      while (sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 0) {
        std::this_thread::yield();
      }
      require(handled.load() == 0, "what is blocked is not handled");
      pthread_sigmask(SIG_UNBLOCK, &signal, nullptr);
      require(handled.load() == 1, "it is handled as soon as it is no longer blocked");
    });
    pthread_kill(other.native_handle(), SIGUSR1);
    other.join();
  });
  passes_always("what one thread blocks another handles", [] {
    begin();
    handle(SIGUSR1, note);
    std::thread other([] {
      while (handled.load() == 0) std::this_thread::yield();
    });
    const sigset_t signal = only(SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signal, nullptr);
    kill(getpid(), SIGUSR1);
    const pthread_t self = other.native_handle();
    other.join();
    require(pthread_equal(handled_by.load(), self) != 0, "the one that does not block it");
  });
  passes_always("a thread waits for its own", [] {
    const sigset_t signal = only(SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signal, nullptr);
    std::atomic<int> first = 0;
    std::atomic<int> second = 0;
    const auto wait = [&](std::atomic<int>& came) {
      int taken = 0;
      require(sigwait(&signal, &taken) == 0, "sigwait");
      came.store(taken);
    };
    std::thread one([&] { wait(first); });
    std::thread other([&] { wait(second); });
    pthread_kill(other.native_handle(), SIGUSR1);
    other.join();
    require(second.load() == SIGUSR1 && first.load() == 0, "and not for another thread's");
    pthread_kill(one.native_handle(), SIGUSR1);
    one.join();
  });
}

// As collectors of garbage do it: what lets threads go on is blocked where nobody stops them.
void the_world_is_stopped() {
  comes_to("all threads are stopped, and go on", "", [] {
    begin();
    sem_init(&acknowledged, 0, 0);
    const sigset_t goes_on = only(SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &goes_on, nullptr);
    handle(SIGUSR1, [](int) {
      sem_post(&acknowledged);
      sigset_t others;
      sigfillset(&others);
      sigdelset(&others, SIGUSR2);
      sigsuspend(&others);
    });
    handle(SIGUSR2, note);
    std::mutex mutex;
    int value = 0;
    std::atomic<bool> stopped = false;
    const auto run = [&] {
      for (int i = 0; i < 3; ++i) {
        const std::lock_guard lock(mutex);
        require(!stopped.load(), "nobody goes on while the world is stopped");
        ++value;
      }
      while (handled.load() < 2) std::this_thread::yield();
    };
    std::thread one(run);
    std::thread other(run);
    for (std::thread* thread : {&one, &other}) pthread_kill(thread->native_handle(), SIGUSR1);
    for (int i = 0; i < 2; ++i) sem_wait(&acknowledged);
    stopped.store(true);
    stopped.store(false);
    for (std::thread* thread : {&one, &other}) pthread_kill(thread->native_handle(), SIGUSR2);
    one.join();
    other.join();
    require(value == 6, "each has done its work");
    sem_destroy(&acknowledged);
  });
}

thread_local sigjmp_buf way_out;

void a_handler_may_jump_away() {
  passes_always("locks work behind it", [] {
    begin();
    handle(SIGUSR1, [](int) {
      handled.fetch_add(1);
      siglongjmp(way_out, 1);
    });
    const sigset_t signal = only(SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signal, nullptr);
    std::mutex mutex;
    int value = 0;
    std::thread other([&] {
      if (sigsetjmp(way_out, 1) == 0) {
        pthread_sigmask(SIG_UNBLOCK, &signal, nullptr);
        const timespec hour{.tv_sec = 3600, .tv_nsec = 0};
        nanosleep(&hour, nullptr);
      }
      pthread_sigmask(SIG_BLOCK, &signal, nullptr);
      const std::lock_guard lock(mutex);
      ++value;
    });
    pthread_kill(other.native_handle(), SIGUSR1);
    {
      const std::lock_guard lock(mutex);
      ++value;
    }
    other.join();
    require(value == 2, "both had the mutex");
  });
}

}  // namespace

int main() {
  handlers_run_in_the_thread_they_are_for();
  waits_are_not_lost();
  sleeps_end();
  waits_for_semaphores_end();
  waits_for_descriptors_end();
  waits_for_signals();
  blocked_signals_wait();
  the_world_is_stopped();
  a_handler_may_jump_away();
  return expectations_met();
}
