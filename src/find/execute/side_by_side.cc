#include "find/execute/side_by_side.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/interrupt.h"
#include "base/parallel.h"
#include "find/execute/cause_runs.h"
#include "find/search/causes.h"

namespace heddle::find {

namespace {

// How much of the time that is left the search may have before it stands back.
constexpr int kSearchPercent = 60;

// Whoever waits for the others looks at the clock now and then.
constexpr std::chrono::milliseconds kNap{20};

}  // namespace

SideBySide::SideBySide(Search& search, Execution& execution, const FindOptions& options,
                       std::function<void()> pause)
    : search_(search),
      execution_(execution),
      options_(options),
      pause_(std::move(pause)),
      end_(end_of(options.timeout_ms)),
      stands_back_at_(Clock::duration::max().count()) {
  if (end_) stand_back_at(Clock::now() + (*end_ - Clock::now()) * kSearchPercent / 100);
  search_.stop_when(
      [this] { return Clock::now().time_since_epoch().count() > stands_back_at_.load(); });
}

void SideBySide::run() {
  const std::size_t jobs =
      options_.jobs != 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
  run_parallel(jobs, jobs, [this](std::size_t /*worker*/) { work(); });
}

void SideBySide::work() {
  while (std::optional<Task> task = next()) {
    if (pause_) pause_();
    run(*std::move(task));
  }
}

std::optional<SideBySide::Task> SideBySide::next() {
  std::unique_lock lock(mutex_);
  while (!execution_.is_over()) {
    const bool searches = may_search();
    const bool executes = has_causes();
    if (executes && (!searches || executing_ <= searching_)) return take_cause();
    if (searches) {
      ++searching_.running;
      is_done_.push_back(false);
      return Task{.kind = Kind::search, .set = *std::exchange(next_set_, {}), .cause = nullptr};
    }
    if (searching_.running == 0 && executing_.running == 0 && !search_goes_on()) break;
    changed_.wait_for(lock, kNap);
  }
  changed_.notify_all();
  return std::nullopt;
}

void SideBySide::run(Task task) {
  const Clock::time_point begin = Clock::now();
  std::optional<ExecutedCause> executed;
  if (task.kind == Kind::search) {
    search_.search(task.set);
  } else {
    executed = execution_.execute(*task.cause);
  }
  const std::scoped_lock lock(mutex_);
  Account& account = task.kind == Kind::search ? searching_ : executing_;
  --account.running;
  account.spent += Clock::now() - begin;
  if (executed) kept_.keep(std::move(task.cause), *std::move(executed));
  if (task.kind == Kind::search) {
    is_done_[task.set.number] = true;
    ++sets_done_;
    if (options_.progress) options_.progress(sets_done_, search_.count());
  }
  changed_.notify_all();
}

bool SideBySide::has_sets() {
  if (!next_set_) next_set_ = search_.next();
  // What is looked for next hangs on all that was found.
  const bool is_done = !next_set_ && searching_.running == 0;
  if (is_done && search_.widen()) next_set_ = search_.next();
  return next_set_.has_value();
}

bool SideBySide::may_search() {
  const bool stands_back = Clock::now().time_since_epoch().count() > stands_back_at_.load();
  return !stands_back && has_sets();
}

// Nothing is under way: everything has been searched, or the search had stood back and has a share
// of what time is left.
bool SideBySide::search_goes_on() {
  if (!end_ || !has_sets()) return false;
  const Clock::duration left = *end_ - Clock::now();
  if (left <= kNap) return false;
  stand_back_at(Clock::now() + std::max<Clock::duration>(kNap, left * kSearchPercent / 100));
  return true;
}

void SideBySide::stand_back_at(Clock::time_point time) {
  stands_back_at_ = time.time_since_epoch().count();
}

SideBySide::Task SideBySide::take_cause() {
  ++executing_.running;
  Task task{.kind = Kind::execute, .set = {}, .cause = std::move(waiting_.front())};
  waiting_.pop_front();
  return task;
}

bool SideBySide::has_causes() {
  if (waiting_.empty()) collect();
  return !waiting_.empty();
}

// A cycle is a core or not by the cycles of the sets in its own, which all come before it: so
// causes are made of the sets up to the first one that is under way. Grouping takes time, so that
// it waits for a good many new cycles as long as there is something else to do.
void SideBySide::collect() {
  while (collected_ < is_done_.size() && is_done_[collected_]) {
    const std::vector<FoundCycle>& more = search_.cycles(collected_++);
    cycles_.insert(cycles_.end(), more.begin(), more.end());
  }
  const std::size_t fresh = cycles_.size() - grouped_;
  const bool is_worth_it = fresh * 8 >= cycles_.size() || !may_search();
  if (fresh == 0 || !is_worth_it) return;
  grouped_ = cycles_.size();
  std::vector<FoundCause> causes = group_causes(cycles_);
  for (const std::size_t i : execution_order(causes).causes) {
    if (!seen_.insert(KeptCauses::key_of(causes[i])).second) continue;
    causes[i].extensions.clear();
    waiting_.push_back(std::make_unique<FoundCause>(std::move(causes[i])));
  }
}

}  // namespace heddle::find
