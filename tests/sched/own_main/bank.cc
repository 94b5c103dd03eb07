// Accounts behind a read-write lock. Whether there is enough is looked at under one lock, and the
// money moved under another; with "right" it is one.
#include <iostream>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

class Bank {
 public:
  explicit Bank(bool right) : right_(right) {}

  void open(const std::string& name, int amount) {
    const std::unique_lock lock(mutex_);
    accounts_[name] = amount;
  }

  bool move(const std::string& from, const std::string& to, int amount) {
    if (!right_) {
      const std::shared_lock lock(mutex_);
      if (accounts_.at(from) < amount) return false;
    }
    const std::unique_lock lock(mutex_);
    if (right_ && accounts_.at(from) < amount) return false;
    accounts_[from] -= amount;
    accounts_[to] += amount;
    return true;
  }

  int least() {
    const std::shared_lock lock(mutex_);
    int least = 1000;
    for (const auto& [name, amount] : accounts_) least = std::min(least, amount);
    return least;
  }

 private:
  bool right_;
  std::shared_mutex mutex_;
  std::map<std::string, int> accounts_;
};

}  // namespace

int main(int argc, char** argv) {
  Bank bank(argc > 1 && std::string_view(argv[1]) == "right");
  bank.open("alice", 10);
  bank.open("bob", 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { bank.move("alice", "bob", 7); });
  for (std::thread& thread : threads) thread.join();
  std::cout << "least " << bank.least() << std::endl;
  if (bank.least() >= 0) return 0;
  std::cerr << "overdrawn\n";
  return 3;
}
