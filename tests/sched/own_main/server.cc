// A server in a thread of its own: promises, a stop token, timed waits, exceptions that travel, and
// blocked signals. With "wrong" an answer is given before it is counted.
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <future>
#include <iostream>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace {

struct Request {
  int number = 0;
  std::promise<std::string> answer;
};

class Server {
 public:
  explicit Server(bool wrong)
      : wrong_(wrong), worker_([this](const std::stop_token& stop) { serve(stop); }) {}

  std::future<std::string> ask(int number) {
    Request request{number, {}};
    std::future<std::string> answer = request.answer.get_future();
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(std::move(request));
    }
    changed_.notify_one();
    return answer;
  }

  int answered() {
    const std::scoped_lock lock(mutex_);
    return answered_;
  }

 private:
  void serve(const std::stop_token& stop) {
    for (;;) {
      std::optional<Request> request;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [this] { return !requests_.empty(); })) return;
        request = std::move(requests_.front());
        requests_.pop_front();
        if (!wrong_) ++answered_;
      }
      give(*request);
      const std::scoped_lock lock(mutex_);
      if (wrong_) ++answered_;
    }
  }

  static void give(Request& request) {
    if (request.number < 0) {
      request.answer.set_exception(std::make_exception_ptr(std::invalid_argument("negative")));
      return;
    }
    std::ostringstream text;
    text << "answer to " << request.number;
    request.answer.set_value(text.str());
  }

  bool wrong_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Request> requests_;
  int answered_ = 0;
  std::jthread worker_;
};

}  // namespace

int main(int argc, char** argv) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  Server server(argc > 1 && std::string_view(argv[1]) == "wrong");
  auto one = server.ask(1);
  auto other = server.ask(-1);
  std::cout << one.get() << "\n";
  try {
    other.get();
    return 1;
  } catch (const std::invalid_argument& error) {
    std::cout << "refused: " << error.what() << "\n";
  }
  if (server.answered() != 2) throw std::logic_error("answers are not counted");
  return server.ask(7).wait_for(std::chrono::seconds(5)) == std::future_status::deferred ? 1 : 0;
}
