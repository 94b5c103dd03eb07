#include "store/postgres/block_watch.h"

#include <chrono>
#include <utility>

namespace heddle {
namespace {

// PostgreSQL tells nobody that a lock is waited for; it can only be asked.
constexpr std::chrono::milliseconds kBetweenQuestions{5};

}  // namespace

Result<std::unique_ptr<BlockWatch>> BlockWatch::start(const std::string& address, Tell tell) {
  auto query = BlockedBackendsQuery::open(address);
  if (!query) return query.error();
  std::unique_ptr<BlockWatch> watch(new BlockWatch(std::move(*query), std::move(tell)));
  watch->thread_ = std::thread([self = watch.get()] { self->run(); });
  return watch;
}

BlockWatch::BlockWatch(std::unique_ptr<BlockedBackendsQuery> query, Tell tell)
    : query_(std::move(query)), tell_(std::move(tell)) {}

BlockWatch::~BlockWatch() {
  {
    const std::scoped_lock lock(mutex_);
    is_ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BlockWatch::want(bool is_wanted) {
  {
    const std::scoped_lock lock(mutex_);
    is_wanted_ = is_wanted;
  }
  changed_.notify_all();
}

void BlockWatch::run() {
  std::unique_lock lock(mutex_);
  while (!is_ended_) {
    changed_.wait(lock, [this] { return is_wanted_ || is_ended_; });
    if (is_ended_) return;
    lock.unlock();
    tell_(query_->ask());
    lock.lock();
    changed_.wait_for(lock, kBetweenQuestions, [this] { return is_ended_; });
  }
}

}  // namespace heddle
