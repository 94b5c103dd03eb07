// A pool of threads that a static object starts before main, used through futures; -n says how
// often. With -b it is stopped without telling the threads that wait.
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    if (!broken_) changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void break_end() { broken_ = true; }

  template <class Function>
  std::future<int> submit(Function function) {
    auto task = std::make_shared<std::packaged_task<int()>>(std::move(function));
    std::future<int> result = task->get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push([task] { (*task)(); });
    }
    changed_.notify_one();
    return result;
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stopped_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::function<void()>> tasks_;
  bool stopped_ = false;
  bool broken_ = false;
  std::vector<std::thread> threads_;
};

Pool pool(2);
const std::string greeting = "a text that is too long to stand in the string object itself";

}  // namespace

int main(int argc, char** argv) {
  int count = 3;
  for (int option = getopt(argc, argv, "bn:"); option != -1; option = getopt(argc, argv, "bn:")) {
    if (option == 'b') pool.break_end();
    if (option == 'n') count = std::atoi(optarg);
    if (option == '?') return 2;
  }
  std::vector<std::future<int>> results;
  for (int i = 0; i < count; ++i) results.push_back(pool.submit([i] { return i * i; }));
  int sum = 0;
  for (std::future<int>& result : results) sum += result.get();
  std::cout << greeting << ": " << sum << std::endl;
  return sum == (count - 1) * count * (2 * count - 1) / 6 ? 0 : 1;
}
