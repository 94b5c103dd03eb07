// Small programs of two or three threads, drawn from a seed, and an interpreter that goes through
// all that they can do. It knows nothing of heddle's scheduler: a state is what each thread has
// come to, what stands in memory, who has which mutex, who waits on which condition, and what the
// clock says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace small {

constexpr unsigned kCells = 2;  // of each kind: plain, atomic, mutex, condition
constexpr unsigned kMostThreads = 3;
constexpr unsigned kMostSeen = 16;  // how many values a thread observes at most

enum class Kind : std::uint8_t {
  load,         // of a plain cell; the value is observed
  store,        // to a plain cell
  increment,    // of a plain cell: a load and a store
  atomic_load,  // observed
  atomic_store,
  fetch_add,    // observed
  exchange_if,  // compare_exchange_strong from `other` to `value`; observed whether it was done
  exchange_if_weak,
  lock,
  try_lock,    // observed whether it was done; if not, what follows up to `skip` is left out
  lock_until,  // as try_lock
  unlock,
  wait,        // on the condition, with the mutex `other`
  wait_until,  // observed: whether the clock says afterwards that the time has come
  notify_one,
  notify_all,
  choose,  // one of `value`; observed
};

struct Instruction {
  Kind kind{};
  unsigned cell = 0;
  unsigned other = 0;
  unsigned value = 0;
  unsigned deadline = 0;  // in hours from the beginning
  unsigned skip = 0;      // where it goes on if the lock was not got
};

using Thread = std::vector<Instruction>;

struct Program {
  std::vector<Thread> threads;
  unsigned faults = 0;
};

// What can be told of an execution: what each thread has come to and observed, and the memory.
using Outcome = std::string;
using Outcomes = std::set<Outcome>;

// ---------------------------------------------------------------------------------- drawing

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  unsigned below(unsigned count) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    std::uint64_t mixed = state_ ^ state_ >> 29;
    mixed *= 0xBF58476D1CE4E5B9ULL;
    return static_cast<unsigned>((mixed >> 33) % count);
  }

 private:
  std::uint64_t state_;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Program draw() {
    Program program;
    const unsigned threads = 2 + random_.below(2);
    program.faults = random_.below(3);
    waits_ = random_.below(2) == 0;
    for (unsigned i = 0; i < threads; ++i) {
      thread_.clear();
      const unsigned pieces = threads == 2 ? 1 + random_.below(3) : 1 + random_.below(2);
      for (unsigned piece = 0; piece < pieces; ++piece) draw_piece(0);
      program.threads.push_back(thread_);
    }
    return program;
  }

 private:
  void draw_piece(unsigned held) {
    const unsigned what = random_.below(10);
    if (what < (waits_ ? 2 : 5) || held == (1U << kCells) - 1) {
      draw_access();
    } else if (what < (waits_ ? 6 : 8)) {
      draw_section(held);
    } else {
      thread_.push_back({.kind = random_.below(2) == 0 ? Kind::notify_one : Kind::notify_all,
                         .cell = draw_condition()});
    }
  }

  unsigned draw_condition() { return waits_ ? 0 : random_.below(kCells); }

  void draw_access() {
    constexpr Kind kinds[] = {
        Kind::load,         Kind::store,     Kind::increment,   Kind::atomic_load,
        Kind::atomic_store, Kind::fetch_add, Kind::exchange_if, Kind::exchange_if_weak,
        Kind::choose,       Kind::load,      Kind::store};
    Instruction access{.kind = kinds[random_.below(std::size(kinds))],
                       .cell = random_.below(kCells),
                       .other = random_.below(2),
                       .value = 1 + random_.below(3)};
    if (access.kind == Kind::choose) access.value = 2;
    thread_.push_back(access);
  }

  // A critical section. `held`: the mutexes that the thread has already.
  void draw_section(unsigned held) {
    const unsigned first = waits_ && held == 0 ? 0 : random_.below(kCells);
    const unsigned mutex = (held >> first & 1) == 0 ? first : (first + 1) % kCells;
    constexpr Kind kinds[] = {Kind::lock, Kind::lock, Kind::try_lock, Kind::lock_until};
    const std::size_t at = thread_.size();
    thread_.push_back({.kind = kinds[random_.below(std::size(kinds))],
                       .cell = mutex,
                       .deadline = 1 + random_.below(3)});
    const unsigned within = waits_ ? random_.below(2) : random_.below(4);
    if (within == 0) {
      thread_.push_back({.kind = random_.below(2) == 0 ? Kind::wait : Kind::wait_until,
                         .cell = draw_condition(),
                         .other = mutex,
                         .deadline = 1 + random_.below(3)});
    }
    if (within == 1) draw_piece(held | 1U << mutex);
    if (within < 3 && (!waits_ || random_.below(3) == 0)) draw_access();
    thread_.push_back({.kind = Kind::unlock, .cell = mutex});
    thread_[at].skip = static_cast<unsigned>(thread_.size());
  }

  Random random_;
  bool waits_ = false;  // the program is about one condition more than about memory
  Thread thread_;
};

// ----------------------------------------------------------------------------- interpreting

enum class Phase : std::uint8_t { fresh, ready, half_done, waiting, woken, late, reads_clock };

struct ThreadState {
  unsigned at = 0;
  Phase phase = Phase::ready;
  unsigned kept = 0;  // what the first half of an increment has read
  std::string seen;

  friend auto operator<=>(const ThreadState&, const ThreadState&) = default;
};

struct State {
  std::vector<ThreadState> threads;
  unsigned plain[kCells] = {};
  unsigned atomics[kCells] = {};
  int owner[kCells] = {-1, -1};
  unsigned now = 0;
  unsigned faults = 0;

  friend auto operator<=>(const State&, const State&) = default;
};

inline Outcome outcome_of(const State& state) {
  Outcome outcome;
  for (const ThreadState& thread : state.threads) {
    outcome += static_cast<char>('a' + thread.at);
    outcome += thread.seen;
    outcome += ' ';
  }
  for (const unsigned cell : state.plain) outcome += static_cast<char>('0' + cell);
  for (const unsigned cell : state.atomics) outcome += static_cast<char>('0' + cell);
  return outcome;
}

class Interpreter {
 public:
  explicit Interpreter(const Program& program) : program_(program) {}

  // How many schedules there are; `outcomes()` is what they come to.
  double run() {
    State first;
    first.threads.resize(program_.threads.size());
    first.faults = program_.faults;
    for (unsigned i = 0; i < first.threads.size(); ++i) {
      // That a thread begins is something that can be done, though its first operation cannot.
      const Kind kind = program_.threads[i].front().kind;
      if (kind == Kind::lock || kind == Kind::lock_until) first.threads[i].phase = Phase::fresh;
    }
    return go(first);
  }
  const Outcomes& outcomes() const { return outcomes_; }

 private:
  double go(const State& state) {
    const auto known = paths_.find(state);
    if (known != paths_.end()) return known->second;
    std::vector<State> next = successors(state);
    double paths = next.empty() ? 1 : 0;
    if (next.empty()) outcomes_.insert(outcome_of(state));
    for (const State& one : next) paths += go(one);
    paths_.emplace(state, paths);
    return paths;
  }

  std::vector<State> successors(const State& state) {
    next_.clear();
    for (unsigned i = 0; i < state.threads.size(); ++i) proceed(state, i);
    add_timeouts(state, !next_.empty());
    return std::move(next_);
  }

  // Whose time could come; the earliest first where nobody can do anything else.
  void add_timeouts(const State& state, bool others) {
    unsigned first = UINT32_MAX;
    for (unsigned i = 0; i < state.threads.size(); ++i) {
      if (is_timed(state, i)) first = std::min(first, instruction(state, i).deadline);
    }
    for (unsigned i = 0; i < state.threads.size(); ++i) {
      if (!is_timed(state, i)) continue;
      const Instruction& waits = instruction(state, i);
      if (!others && waits.deadline != first) continue;
      State after = state;
      after.now = std::max(after.now, waits.deadline);
      ThreadState& thread = after.threads[i];
      if (waits.kind == Kind::lock_until) {
        thread.seen += '0';
        thread.at = waits.skip;
      } else {
        thread.phase = Phase::late;
      }
      next_.push_back(after);
    }
  }

  bool is_timed(const State& state, unsigned i) const {
    const ThreadState& thread = state.threads[i];
    if (thread.at == program_.threads[i].size()) return false;
    const Instruction& waits = instruction(state, i);
    if (thread.phase == Phase::fresh) return false;
    if (waits.kind == Kind::lock_until) return state.owner[waits.cell] != -1;
    if (waits.kind != Kind::wait_until) return false;
    // Whoever was notified and cannot have the mutex yet may see its time come, too.
    return thread.phase == Phase::waiting ||
           (thread.phase == Phase::woken && state.owner[waits.other] != -1);
  }

  const Instruction& instruction(const State& state, unsigned i) const {
    return program_.threads[i][state.threads[i].at];
  }

  void proceed(const State& state, unsigned i) {
    if (state.threads[i].at == program_.threads[i].size()) return;
    const Instruction& now = instruction(state, i);
    if (state.threads[i].phase == Phase::fresh) {
      State begun = state;
      begun.threads[i].phase = Phase::ready;
      next_.push_back(begun);
      return;
    }
    switch (now.kind) {
      case Kind::lock:
      case Kind::try_lock:
      case Kind::lock_until:
      case Kind::unlock:
        return lock(state, i, now);
      case Kind::wait:
      case Kind::wait_until:
        return wait(state, i, now);
      case Kind::notify_one:
      case Kind::notify_all:
        return notify(state, i, now);
      case Kind::choose:
        for (unsigned value = 0; value < now.value; ++value) observe(state, i, value);
        return;
      default:
        return access(state, i, now);
    }
  }

  void observe(State state, unsigned i, unsigned value) {
    state.threads[i].seen += static_cast<char>('0' + value);
    go_on(std::move(state), i);
  }

  void go_on(State state, unsigned i) {
    ++state.threads[i].at;
    state.threads[i].phase = Phase::ready;
    next_.push_back(std::move(state));
  }

  void access(State state, unsigned i, const Instruction& now) {
    unsigned& plain = state.plain[now.cell];
    unsigned& atomic = state.atomics[now.cell];
    ThreadState& thread = state.threads[i];
    switch (now.kind) {
      case Kind::load:
        return observe(state, i, plain);
      case Kind::store:
        plain = now.value;
        return go_on(state, i);
      case Kind::increment:
        if (thread.phase == Phase::ready) {
          thread.kept = plain;
          thread.phase = Phase::half_done;
          next_.push_back(state);
          return;
        }
        plain = thread.kept + 1;
        thread.kept = 0;
        return go_on(state, i);
      case Kind::atomic_load:
        return observe(state, i, atomic);
      case Kind::atomic_store:
        atomic = now.value;
        return go_on(state, i);
      case Kind::fetch_add: {
        const unsigned before = atomic;
        atomic += now.value;
        return observe(state, i, before);
      }
      default:
        return exchange_if(state, i, now);
    }
  }

  void exchange_if(State state, unsigned i, const Instruction& now) {
    if (state.atomics[now.cell] != now.other) return observe(state, i, 0);
    if (now.kind == Kind::exchange_if_weak && state.faults > 0) {
      State failed = state;
      --failed.faults;
      observe(failed, i, 0);
    }
    state.atomics[now.cell] = now.value;
    observe(state, i, 1);
  }

  void lock(State state, unsigned i, const Instruction& now) {
    int& owner = state.owner[now.cell];
    if (now.kind == Kind::unlock) {
      owner = -1;
      return go_on(state, i);
    }
    const bool free = owner == -1;
    if (now.kind == Kind::try_lock && (!free || state.faults > 0)) {
      State failed = state;
      if (free) --failed.faults;
      failed.threads[i].seen += '0';
      failed.threads[i].at = now.skip;
      next_.push_back(failed);
    }
    if (!free) return;
    owner = static_cast<int>(i);
    if (now.kind == Kind::lock) return go_on(state, i);
    observe(state, i, 1);
  }

  void wait(State state, unsigned i, const Instruction& now) {
    ThreadState& thread = state.threads[i];
    int& owner = state.owner[now.other];
    switch (thread.phase) {
      case Phase::ready:
        owner = -1;
        thread.phase = Phase::waiting;
        next_.push_back(state);
        if (state.faults > 0) {
          --state.faults;
          // As a thread that was notified, but that its time plays no part any more.
          thread.phase = Phase::late;
          next_.push_back(state);
        }
        return;
      case Phase::woken:
      case Phase::late:
        if (owner != -1) return;
        owner = static_cast<int>(i);
        if (now.kind == Kind::wait) return go_on(state, i);
        thread.phase = Phase::reads_clock;
        next_.push_back(state);
        return;
      case Phase::reads_clock:
        return observe(state, i, state.now >= now.deadline ? 1 : 0);
      default:
        return;
    }
  }

  void notify(const State& state, unsigned i, const Instruction& now) {
    State all = state;
    bool any = false;
    for (unsigned j = 0; j < state.threads.size(); ++j) {
      const ThreadState& other = state.threads[j];
      if (other.phase != Phase::waiting || instruction(state, j).cell != now.cell) continue;
      any = true;
      all.threads[j].phase = Phase::woken;
      if (now.kind == Kind::notify_all) continue;
      State one = state;
      one.threads[j].phase = Phase::woken;
      go_on(one, i);
    }
    if (!any || now.kind == Kind::notify_all) go_on(all, i);
  }

  const Program& program_;
  Outcomes outcomes_;
  std::map<State, double> paths_;
  std::vector<State> next_;
};

// ------------------------------------------------------------------------------- telling

inline std::string print(const Program& program) {
  constexpr const char* kNames[] = {"load",         "store",      "increment",   "atomic_load",
                                    "atomic_store", "fetch_add",  "exchange_if", "exchange_if_weak",
                                    "lock",         "try_lock",   "lock_until",  "unlock",
                                    "wait",         "wait_until", "notify_one",  "notify_all",
                                    "choose"};
  std::string text = "faults " + std::to_string(program.faults) + "\n";
  for (const Thread& thread : program.threads) {
    text += "thread\n";
    for (const Instruction& one : thread) {
      text += "  " + std::string(kNames[static_cast<std::size_t>(one.kind)]) + " cell " +
              std::to_string(one.cell) + " other " + std::to_string(one.other) + " value " +
              std::to_string(one.value) + " deadline " + std::to_string(one.deadline) + "\n";
    }
  }
  return text;
}

}  // namespace small
