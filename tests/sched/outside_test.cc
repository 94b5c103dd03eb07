// What comes from outside of a test, by another process, is waited for as long as was asked.
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;

// A process that answers each letter with the next one; nothing, where it is silent.
class Outside {
 public:
  explicit Outside(bool answers) {
    int ends[2];
    expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "a pair of sockets");
    here_ = ends[0];
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      char letter = 0;
      while (read(ends[1], &letter, 1) == 1) {
        ++letter;
        if (answers && write(ends[1], &letter, 1) != 1) break;
      }
      _exit(0);
    }
    close(ends[1]);
  }
  ~Outside() {
    close(here_);
    waitpid(process_, nullptr, 0);
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

  void ask() const {
    char letter = 'a';
    std::thread other([this] { (void)!write(here_, "a", 1); });
    const bool is_read = read(here_, &letter, 1) == 1;
    other.join();
    if (!is_read || letter != 'b') heddle::sched::fail("the answer is another one");
  }

 private:
  int here_ = -1;
  pid_t process_ = -1;
};

Answer asked(const Outside& outside, double seconds) {
  return heddle::sched::check(
      [&outside] { outside.ask(); },
      // How long the other process takes is not controlled: two executions may differ.
      {.strategy = heddle::sched::Strategy::random,
       .executions = 50,
       .seconds = 60,
       .outside = seconds,
       .quiet = true});
}

}  // namespace

int main() {
  {
    const Outside outside(true);
    const Answer answer = asked(outside, 120);
    expect(answer.passed, answer.failure.kind + ": " + answer.failure.what);
  }
  for (const double seconds : {0.0, 0.03}) {
    const Outside silent(false);
    const Answer answer = asked(silent, seconds);
    expect(!answer.passed && answer.failure.kind == "deadlock", answer.failure.kind);
    const std::string bound = seconds == 0 ? "within 0 seconds" : "within 0.03 seconds";
    expect(answer.failure.what.find("nothing comes from outside " + bound) != std::string::npos,
           answer.failure.what);
  }
  return expectations_met();
}
