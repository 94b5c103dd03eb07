#include "explore/search.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/bounds.h"
#include "base/interrupt.h"

namespace heddle {

namespace {

using Choices = std::vector<SessionId>;

// A run to make.
struct Prefix {
  std::uint32_t preemptions = 0;
  std::size_t script = 0;
  std::optional<std::size_t> plan;  // follow a stated schedule instead of choices
  Choices choices;
  std::vector<SessionId> sleeping;  // after the choices
};

struct ByPreemptions {
  bool operator()(const Prefix& a, const Prefix& b) const {
    return std::tie(a.preemptions, a.script, a.plan, a.choices) >
           std::tie(b.preemptions, b.script, b.plan, b.choices);
  }
};

// The choices of one run and what else could have been chosen.
struct Path {
  Choices chosen;
  std::vector<std::vector<SessionId>> enabled;
  std::vector<std::vector<SessionId>> sleeping;
  std::vector<std::size_t> taken;  // per session, its steps so far
};

bool contains(const std::vector<SessionId>& sessions, SessionId session) {
  return std::find(sessions.begin(), sessions.end(), session) != sessions.end();
}

// Choosing `next` after `path` leaves a session that could have gone on.
bool is_preemption(const Path& path, std::size_t depth, SessionId next) {
  return depth > 0 && path.chosen[depth - 1] != next &&
         contains(path.enabled[depth], path.chosen[depth - 1]);
}

class Search {
 public:
  Search(const Scenario& scenario, std::vector<std::unique_ptr<Runner>>& runners,
         const std::vector<SessionScripts>& scripts, const std::vector<Schedule>& plans,
         const SearchOptions& options)
      : scenario_(scenario),
        runners_(runners),
        scripts_(scripts),
        plans_(plans),
        options_(options) {
    if (plans.empty()) open_.push({});
    for (std::size_t i = 0; i < plans.size(); ++i) open_.push({0, i, i, {}, {}});
    fixed_ = fixed_values(runners.front()->initial_tables());
  }

  Result<SearchResult> run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < runners_.size(); ++i) {
      threads.emplace_back([this, i] { work(*runners_[i]); });
    }
    work(*runners_.front());
    for (std::thread& thread : threads) thread.join();
    const bool may_stay = trouble_ && trouble_->trouble == Trouble::environment && done_ > 0;
    if (trouble_ && !may_stay) return *trouble_;
    SearchResult result = collect();
    result.trouble = trouble_;
    return result;
  }

 private:
  void work(Runner& runner) {
    while (std::optional<Prefix> prefix = take()) {
      Path path;
      auto run = runner.run_interleaved(
          scripts_[prefix->script],
          prefix->plan ? follow(scenario_, plans_[*prefix->plan]) : chooser(*prefix, path));
      const std::lock_guard lock(mutex_);
      --running_;
      if (!run) {
        stop(run.error());
      } else {
        if (!prefix->plan) branch(*prefix, path);
        keep(prefix->script, std::move(*run));
      }
      changed_.notify_all();
      if (options_.progress) options_.progress(done_, done_ + open_.size() + running_);
    }
  }

  // None: nothing is left to do.
  std::optional<Prefix> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !open_.empty() || running_ == 0 || stopped_; });
    if (!stopped_ && interrupted() && !open_.empty()) stop_at(stop_text());
    if (!stopped_ && options_.deadline && std::chrono::steady_clock::now() > *options_.deadline &&
        !open_.empty()) {
      stop_at("the time limit was hit");
    }
    if (stopped_ || open_.empty()) {
      changed_.notify_all();
      return std::nullopt;
    }
    Prefix prefix = open_.top();
    open_.pop();
    ++running_;
    return prefix;
  }

  SessionChooser chooser(const Prefix& prefix, Path& path) const {
    path.taken.assign(scenario_.sessions.size(), 0);
    return [this, &prefix, &path](const std::vector<SessionId>& enabled) {
      const std::size_t depth = path.chosen.size();
      std::vector<SessionId> sleeping;
      if (depth == prefix.choices.size()) sleeping = prefix.sleeping;
      if (depth > prefix.choices.size()) {
        sleeping = path.sleeping.back();
        wake(prefix.script, path.taken, path.chosen.back(), sleeping);
      }
      if (depth > 0) ++path.taken[path.chosen.back().index()];
      std::vector<SessionId> awake = enabled;
      std::erase_if(awake, [&](SessionId session) { return contains(sleeping, session); });
      // Where all sleep the rest of the run shows what another one shows.
      const std::vector<SessionId>& possible = awake.empty() ? enabled : awake;
      SessionId choice = possible.front();
      if (depth < prefix.choices.size() && contains(enabled, prefix.choices[depth])) {
        choice = prefix.choices[depth];
      } else if (depth > 0 && contains(possible, path.chosen.back())) {
        choice = path.chosen.back();
      }
      path.chosen.push_back(choice);
      path.enabled.push_back(enabled);
      path.sleeping.push_back(std::move(sleeping));
      return choice;
    };
  }

  // The step that the session takes next, after so many.
  StepId next_step(std::size_t script, const std::vector<std::size_t>& taken,
                   SessionId session) const {
    return scripts_[script][session.index()][taken[session.index()]].step;
  }

  // Takes those out of the sleeping sessions whose next step is in conflict with that of `session`.
  void wake(std::size_t script, const std::vector<std::size_t>& taken, SessionId session,
            std::vector<SessionId>& sleeping) const {
    const StepId step = next_step(script, taken, session);
    std::erase_if(sleeping, [&](SessionId sleeper) {
      return sleeper == session ||
             options_.conflicts->in_conflict(next_step(script, taken, sleeper), step);
    });
  }

  // The roads not taken beyond the prefix. REQUIRES: mutex_ held.
  void branch(const Prefix& prefix, const Path& path) {
    std::uint32_t preemptions = 0;
    std::vector<std::size_t> taken(scenario_.sessions.size(), 0);
    for (std::size_t depth = 0; depth < path.chosen.size(); ++depth) {
      std::vector<SessionId> tried = path.sleeping[depth];
      if (contains(tried, path.chosen[depth])) return;  // all of them sleep
      tried.push_back(path.chosen[depth]);
      for (const SessionId session : path.enabled[depth]) {
        if (depth < prefix.choices.size() || contains(tried, session)) continue;
        const std::uint32_t count = preemptions + (is_preemption(path, depth, session) ? 1 : 0);
        if (options_.preemptions && count > *options_.preemptions) {
          bounded_ = true;
          continue;
        }
        const auto end = path.chosen.begin() + static_cast<std::ptrdiff_t>(depth);
        Prefix next{count, prefix.script, std::nullopt, Choices(path.chosen.begin(), end), {}};
        next.choices.push_back(session);
        if (options_.conflicts != nullptr) {
          next.sleeping = tried;
          wake(prefix.script, taken, session, next.sleeping);
          tried.push_back(session);
          if (is_redundant(next, taken)) continue;
        }
        open_.push(std::move(next));
      }
      ++taken[path.chosen[depth].index()];
      if (is_preemption(path, depth, path.chosen[depth])) ++preemptions;
    }
  }

  // All that could go on after the last choice sleeps. `taken`: before it.
  bool is_redundant(const Prefix& prefix, const std::vector<std::size_t>& taken) const {
    const SessionScripts& scripts = scripts_[prefix.script];
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      const SessionId session(i);
      const std::size_t done = taken[i] + (session == prefix.choices.back() ? 1 : 0);
      if (done < scripts[i].size() && !contains(prefix.sleeping, session)) return false;
    }
    return !prefix.sleeping.empty();
  }

  // REQUIRES: mutex_ held.
  void keep(std::size_t script, Run run) {
    if (run.end == RunEnd::timed_out) return stop_at(run.trouble);
    if (auto ended = check_end(scenario_, run); !ended) return stop(ended.error());
    ++done_;
    std::sort(run.aborted.begin(), run.aborted.end());
    if (!run.aborted.empty()) ++aborted_runs_;
    if (std::ranges::any_of(run.records, &StepRecord::waited)) ++waiting_runs_;
    std::string key = fmt::format("{}/", script);
    for (const SessionId session : run.aborted) key += fmt::format("{},", session.value);
    key += canonical_key(outcome_of(run, scenario_, run.aborted), fixed_);
    const auto [entry, is_new] = classes_.emplace(std::move(key), OutcomeClass{});
    OutcomeClass& outcome = entry->second;
    outcome.script = script;
    outcome.schedules.push_back(run.planned);
    if (is_new || is_simpler(scenario_, run.planned, outcome.smallest.planned)) {
      outcome.smallest = std::move(run);
    }
  }

  // REQUIRES: mutex_ held.
  void stop_at(std::string bound) {
    if (bound_.empty()) bound_ = std::move(bound);
    stopped_ = true;
  }

  // REQUIRES: mutex_ held.
  void stop(const Diagnostic& diagnostic) {
    if (diagnostic.trouble == Trouble::interrupted) return stop_at(stop_text());
    if (diagnostic.trouble == Trouble::bound) return stop_at(diagnostic.what);
    if (!trouble_) trouble_ = diagnostic;
    stopped_ = true;
  }

  SearchResult collect() {
    SearchResult result;
    result.interleavings = done_;
    result.aborted_runs = aborted_runs_;
    result.waiting_runs = waiting_runs_;
    result.bound = bound_;
    if (bound_.empty() && bounded_) {
      result.bound =
          fmt::format("only interleavings with at most {} {} were run", *options_.preemptions,
                      *options_.preemptions == 1 ? "preemption" : "preemptions");
    }
    const auto simpler = [this](const Schedule& a, const Schedule& b) {
      return is_simpler(scenario_, a, b);
    };
    for (auto& [key, outcome] : classes_) {
      std::sort(outcome.schedules.begin(), outcome.schedules.end(), simpler);
      result.classes.push_back(std::move(outcome));
    }
    std::sort(result.classes.begin(), result.classes.end(),
              [&](const OutcomeClass& a, const OutcomeClass& b) {
                return simpler(a.smallest.planned, b.smallest.planned);
              });
    return result;
  }

  const Scenario& scenario_;
  std::vector<std::unique_ptr<Runner>>& runners_;
  const std::vector<SessionScripts>& scripts_;
  const std::vector<Schedule>& plans_;
  const SearchOptions& options_;
  FixedValues fixed_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::priority_queue<Prefix, std::vector<Prefix>, ByPreemptions> open_;
  std::size_t running_ = 0;
  std::size_t done_ = 0;
  std::size_t aborted_runs_ = 0;
  std::size_t waiting_runs_ = 0;
  std::map<std::string, OutcomeClass> classes_;
  bool bounded_ = false;
  bool stopped_ = false;
  std::string bound_;
  std::optional<Diagnostic> trouble_;
};

}  // namespace

bool begin_alike(const Runner& a, const Runner& b) {
  return fixed_values(a.initial_tables()) == fixed_values(b.initial_tables());
}

Result<SearchResult> search_interleavings(const Scenario& scenario,
                                          std::vector<std::unique_ptr<Runner>>& runners,
                                          const std::vector<SessionScripts>& scripts,
                                          const std::vector<Schedule>& plans,
                                          const SearchOptions& options) {
  HEDDLE_ASSERT(!runners.empty() && !scripts.empty());
  return Search(scenario, runners, scripts, plans, options).run();
}

std::string stop_text() {
  const std::string reason = stop_reason();
  if (reason.empty() || interrupt_signal() != 0) return "interrupted";
  return reason == "--timeout" ? "the time limit was hit" : reason + " was hit";
}

bool is_simpler(const Scenario& scenario, const Schedule& a, const Schedule& b) {
  const auto steps = [](const Schedule& schedule) {
    std::vector<StepId> ids;
    for (const PlacedStep& placed : schedule.steps) ids.push_back(placed.step);
    return ids;
  };
  const auto rank = [&](const Schedule& schedule) {
    return std::make_tuple(count_switches(scenario, schedule), steps(schedule));
  };
  return rank(a) < rank(b);
}

}  // namespace heddle
