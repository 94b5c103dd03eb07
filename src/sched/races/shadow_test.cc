// The races that the shadow finds are those of a brute force that knows no clocks: it looks at all
// pairs of accesses, and happens-before is the transitive closure of program order and of what
// C++20 calls synchronizes-with.
#include "sched/races/shadow.h"

#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sched/races/atomic_orders.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kTasks = 4;
constexpr std::size_t kMutexes = 2;
constexpr std::uintptr_t kBase = 0x1000;

enum class Kind : std::uint8_t {
  read,
  write,
  load,
  store,
  change,
  fence,
  lock,
  unlock,
  create,
  end,
  join,
};

struct TraceEvent {
  Kind kind{};
  std::size_t task = 0;
  std::uintptr_t address = 0;  // of memory; else a mutex or a task
  std::size_t size = 0;
  int order = MemoryOrder::relaxed;
};
using Trace = std::vector<TraceEvent>;

bool is_access(const TraceEvent& event) { return event.kind <= Kind::change; }
bool is_atomic(const TraceEvent& event) {
  return event.kind == Kind::load || event.kind == Kind::store || event.kind == Kind::change;
}
bool does_write(const TraceEvent& event) {
  return event.kind == Kind::write || event.kind == Kind::store || event.kind == Kind::change;
}

// ------------------------------------------------------------------------------- drawing

// Atomic objects, each of one size; plain accesses touch their bytes, too.
struct AtomicObject {
  std::uintptr_t address = 0;
  std::size_t size = 0;
};
constexpr std::array kAtomics{AtomicObject{kBase, 4}, AtomicObject{kBase + 4, 2},
                              AtomicObject{kBase + 6, 1}, AtomicObject{kBase + 8, 8},
                              AtomicObject{kBase + 16, 16}};

class TraceDrawing {
 public:
  explicit TraceDrawing(std::uint64_t seed) : random_(seed) {}

  Trace draw() {
    const std::size_t length = 8 + below(40);
    few_places_ = below(2) == 0;
    begun_[0] = true;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t task = below(kTasks);
      if (begun_[task] && !ended_[task]) draw_event(task);
    }
    return trace_;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }

  void draw_event(std::size_t task) {
    switch (below(12)) {
      case 0:
        return create(task);
      case 1:
        return below(3) == 0 ? end(task) : join(task);
      case 2:
        return use_mutex(task);
      case 3:
        return add({.kind = Kind::fence,
                    .task = task,
                    .order = MemoryOrder::acquire + static_cast<int>(below(4))});
      case 4:
      case 5:
      case 6:
      case 7:
        return access_atomically(task);
      default:
        return access_plainly(task);
    }
  }

  void add(const TraceEvent& event) { trace_.push_back(event); }

  void create(std::size_t task) {
    const std::size_t other = below(kTasks);
    if (begun_[other]) return;
    begun_[other] = true;
    add({.kind = Kind::create, .task = task, .address = other});
  }

  void end(std::size_t task) {
    for (const std::optional<std::size_t>& owner : owner_) {
      if (owner == task) return;
    }
    ended_[task] = true;
    add({.kind = Kind::end, .task = task});
  }

  void join(std::size_t task) {
    const std::size_t other = below(kTasks);
    if (!ended_[other] || joined_[other]) return;
    joined_[other] = true;
    add({.kind = Kind::join, .task = task, .address = other});
  }

  void use_mutex(std::size_t task) {
    const std::size_t mutex = below(kMutexes);
    if (!owner_[mutex]) {
      owner_[mutex] = task;
      add({.kind = Kind::lock, .task = task, .address = mutex});
    } else if (owner_[mutex] == task) {
      owner_[mutex].reset();
      add({.kind = Kind::unlock, .task = task, .address = mutex});
    }
  }

  void access_atomically(std::size_t task) {
    const AtomicObject& object = kAtomics[below(few_places_ ? 2 : kAtomics.size())];
    using Order = MemoryOrder;
    constexpr int kLoads[] = {Order::relaxed, Order::relaxed, Order::acquire,
                              Order::sequentially_consistent};
    constexpr int kStores[] = {Order::relaxed, Order::relaxed, Order::release,
                               Order::sequentially_consistent};
    constexpr int kChanges[] = {Order::relaxed,         Order::relaxed,
                                Order::acquire,         Order::release,
                                Order::acquire_release, Order::sequentially_consistent};
    TraceEvent event{.task = task, .address = object.address, .size = object.size};
    switch (below(3)) {
      case 0:
        event.kind = Kind::load;
        event.order = kLoads[below(std::size(kLoads))];
        break;
      case 1:
        event.kind = Kind::store;
        event.order = kStores[below(std::size(kStores))];
        break;
      default:
        event.kind = Kind::change;
        event.order = kChanges[below(std::size(kChanges))];
    }
    add(event);
  }

  void access_plainly(std::size_t task) {
    const std::size_t size = std::size_t{1} << below(few_places_ ? 3 : 5);
    add({.kind = below(2) == 0 ? Kind::read : Kind::write,
         .task = task,
         .address = kBase + below(few_places_ ? 6 : 28),
         .size = size});
  }

  std::mt19937_64 random_;
  bool few_places_ = false;
  Trace trace_;
  std::array<bool, kTasks> begun_{};
  std::array<bool, kTasks> ended_{};
  std::array<bool, kTasks> joined_{};
  std::array<std::optional<std::size_t>, kMutexes> owner_;
};

// --------------------------------------------------------------------------- brute force

// What races: for each event the bytes on which it races with an earlier one.
using RacyBytes = std::vector<std::set<std::uintptr_t>>;

class BruteForce {
 public:
  explicit BruteForce(const Trace& trace)
      : trace_(trace), before_(trace.size(), std::vector<bool>(trace.size(), false)) {}

  RacyBytes run() {
    add_orders();
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (trace_[i].kind == Kind::load || trace_[i].kind == Kind::change) synchronize(i);
    }
    close();
    RacyBytes racy(trace_.size());
    for (std::size_t later = 0; later < trace_.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        if (!before_[earlier][later]) add_race(trace_[earlier], trace_[later], racy[later]);
      }
    }
    return racy;
  }

 private:
  // Orders without atomic operations.
  void add_orders() {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      for (std::size_t j = i + 1; j < trace_.size(); ++j) {
        const TraceEvent& one = trace_[i];
        const TraceEvent& other = trace_[j];
        const bool program = one.task == other.task;
        const bool mutex =
            one.kind == Kind::unlock && other.kind == Kind::lock && one.address == other.address;
        const bool begin = one.kind == Kind::create && one.address == other.task;
        const bool end =
            one.kind == Kind::end && other.kind == Kind::join && other.address == one.task;
        if (program || mutex || begin || end) before_[i][j] = true;
      }
    }
  }

  // The stores and changes of whose release sequences, should they head one, what event `i` reads
  // is a part.
  std::vector<std::size_t> heads_read_by(std::size_t i) const {
    std::vector<std::size_t> heads;
    for (std::size_t j = i; j-- > 0;) {
      const TraceEvent& written = trace_[j];
      if (written.address != trace_[i].address) continue;
      if (written.kind != Kind::store && written.kind != Kind::change) continue;
      heads.push_back(j);
      if (written.kind == Kind::store) break;
    }
    return heads;
  }

  // What synchronizes through the read of event `i`.
  void synchronize(std::size_t i) {
    std::vector<std::size_t> learning;
    if (acquires(trace_[i].order)) learning.push_back(i);
    for (std::size_t j = i + 1; j < trace_.size(); ++j) {
      const bool fence = trace_[j].kind == Kind::fence && trace_[j].task == trace_[i].task;
      if (fence && acquires(trace_[j].order)) learning.push_back(j);
    }
    for (const std::size_t head : heads_read_by(i)) {
      for (std::size_t j = 0; j <= head; ++j) {
        const bool fence = trace_[j].kind == Kind::fence && trace_[j].task == trace_[head].task;
        const bool tells = (j == head || fence) && releases(trace_[j].order);
        if (!tells) continue;
        for (const std::size_t learns : learning) before_[j][learns] = true;
      }
    }
  }

  void close() {
    for (std::size_t via = 0; via < trace_.size(); ++via) {
      for (std::size_t i = 0; i < via; ++i) {
        if (!before_[i][via]) continue;
        for (std::size_t j = via + 1; j < trace_.size(); ++j) {
          if (before_[via][j]) before_[i][j] = true;
        }
      }
    }
  }

  static void add_race(const TraceEvent& one, const TraceEvent& other,
                       std::set<std::uintptr_t>& racy) {
    if (!is_access(one) || !is_access(other)) return;
    if (!does_write(one) && !does_write(other)) return;
    if (is_atomic(one) && is_atomic(other)) return;
    for (std::uintptr_t byte = one.address; byte < one.address + one.size; ++byte) {
      if (byte >= other.address && byte < other.address + other.size) racy.insert(byte);
    }
  }

  const Trace& trace_;
  std::vector<std::vector<bool>> before_;
};

// ------------------------------------------------------------------------ the real thing

// What a wrong implementation might do.
enum class Mistake : std::uint8_t {
  none,
  relaxed_stores_tell,
  changes_end_sequences,
  fences_do_nothing,
  looks_before_it_learns,
  unlocks_tell_nothing,
};

// Goes through a trace as the runtime does.
class Clocks {
 public:
  explicit Clocks(Mistake mistake) : mistake_(mistake) {
    for (std::size_t i = 0; i < kTasks; ++i) tasks_[i].clock.set(static_cast<TaskId>(i), 1);
  }

  void begin_execution() { shadow_.begin_execution(); }
  Shadow& shadow() { return shadow_; }

  // The bytes of which it was found that they race. `by_byte`: the access is looked at byte by
  // byte, so that each is named; else only whether it races, by its first such byte.
  std::set<std::uintptr_t> make(const TraceEvent& event, bool by_byte) {
    TaskClocks& task = tasks_[event.task];
    const auto id = static_cast<TaskId>(event.task);
    std::set<std::uintptr_t> racy;
    switch (event.kind) {
      case Kind::read:
      case Kind::write:
        return look(event, by_byte);
      case Kind::load:
      case Kind::store:
      case Kind::change:
        return make_atomic(event, by_byte);
      case Kind::fence:
        if (mistake_ != Mistake::fences_do_nothing) fence(task, id, event.order);
        return racy;
      case Kind::lock:
        task.clock.join(mutexes_[event.address]);
        return racy;
      case Kind::unlock:
        if (mistake_ == Mistake::unlocks_tell_nothing) return racy;
        mutexes_[event.address].take(task.clock);
        task.advance(id);
        return racy;
      case Kind::create: {
        TaskClocks& other = tasks_[event.address];
        other.clock.join(task.clock);
        task.advance(id);
        return racy;
      }
      case Kind::end:
        return racy;
      case Kind::join:
        task.clock.join(tasks_[event.address].clock);
        return racy;
    }
    return racy;
  }

 private:
  std::set<std::uintptr_t> make_atomic(const TraceEvent& event, bool by_byte) {
    TaskClocks& task = tasks_[event.task];
    const auto id = static_cast<TaskId>(event.task);
    VectorClock& told = told_[event.address];
    std::set<std::uintptr_t> racy;
    if (mistake_ == Mistake::looks_before_it_learns) racy = look(event, by_byte);
    if (event.kind != Kind::store) learn_by_loading(task, event.order, told);
    if (mistake_ != Mistake::looks_before_it_learns) racy = look(event, by_byte);
    if (event.kind == Kind::load) return racy;
    const int order =
        mistake_ == Mistake::relaxed_stores_tell ? int{MemoryOrder::release} : event.order;
    if (event.kind == Kind::store || mistake_ == Mistake::changes_end_sequences) {
      tell_by_storing(task, id, order, told);
    } else if (tells(task, order)) {
      tell_by_changing(task, id, order, told);
    }
    return racy;
  }

  std::set<std::uintptr_t> look(const TraceEvent& event, bool by_byte) {
    std::set<std::uintptr_t> racy;
    const AccessKind kind{.writes = does_write(event), .atomic = is_atomic(event)};
    const VectorClock& clock = tasks_[event.task].clock;
    const auto id = static_cast<TaskId>(event.task);
    Race race;
    if (!by_byte) {
      if (shadow_.access(event.address, event.size, kind, id, clock, race)) {
        racy.insert(race.address);
      }
      return racy;
    }
    for (std::uintptr_t at = event.address; at < event.address + event.size; ++at) {
      if (shadow_.access(at, 1, kind, id, clock, race)) racy.insert(at);
    }
    return racy;
  }

  Mistake mistake_;
  Shadow shadow_;
  std::array<TaskClocks, kTasks> tasks_;
  std::map<std::uintptr_t, VectorClock> told_;
  std::array<VectorClock, kMutexes> mutexes_;
};

std::set<std::uintptr_t> joined(const RacyBytes& racy) {
  std::set<std::uintptr_t> all;
  for (const std::set<std::uintptr_t>& some : racy) all.insert(some.begin(), some.end());
  return all;
}

// Empty: both say the same.
std::string difference(const Trace& trace, Mistake mistake) {
  const RacyBytes wanted = BruteForce(trace).run();
  Clocks whole(mistake);
  Clocks by_byte(mistake);
  std::set<std::uintptr_t> bytes;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::string place = "event " + std::to_string(i);
    const bool races = !whole.make(trace[i], false).empty();
    if (races && wanted[i].empty()) return place + " is said to race";
    for (const std::uintptr_t byte : by_byte.make(trace[i], true)) {
      if (!wanted[i].contains(byte)) return place + " is said to race on a byte";
      bytes.insert(byte);
    }
  }
  if (bytes != joined(wanted)) return "other bytes race";
  for (std::uintptr_t granule = kBase; granule < kBase + 64; granule += 8) {
    bool races = false;
    for (std::uintptr_t at = granule; at < granule + 8; ++at) races |= bytes.contains(at);
    if (whole.shadow().is_racy(granule, 8) != races) return "another granule races";
  }
  return "";
}

std::size_t scale() {
  const char* text = std::getenv("HEDDLE_TEST_SCALE");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

std::size_t count_differences(std::size_t traces, Mistake mistake) {
  std::size_t differences = 0;
  for (std::size_t seed = 0; seed < traces; ++seed) {
    if (!difference(TraceDrawing(seed).draw(), mistake).empty()) ++differences;
  }
  return differences;
}

}  // namespace

TEST(Shadow, FindsTheRacesOfABruteForce) {
  std::size_t with_races = 0;
  const std::size_t traces = 10'000 * scale();
  for (std::size_t seed = 0; seed < traces; ++seed) {
    const Trace trace = TraceDrawing(seed).draw();
    ASSERT_EQ(difference(trace, Mistake::none), "") << "seed " << seed;
    if (!joined(BruteForce(trace).run()).empty()) ++with_races;
  }
  // Neither is rare.
  EXPECT_GT(with_races, traces / 10);
  EXPECT_LT(with_races, traces - traces / 10);
}

TEST(Shadow, MistakesAreNoticed) {
  for (const Mistake mistake :
       {Mistake::relaxed_stores_tell, Mistake::changes_end_sequences, Mistake::fences_do_nothing,
        Mistake::looks_before_it_learns, Mistake::unlocks_tell_nothing}) {
    EXPECT_GT(count_differences(10'000, mistake), 0U) << static_cast<int>(mistake);
  }
}

TEST(Shadow, ForgetsWhatAnEarlierExecutionDid) {
  Clocks clocks(Mistake::none);
  const TraceEvent one{.kind = Kind::write, .task = 0, .address = kBase, .size = 4};
  const TraceEvent other{.kind = Kind::write, .task = 1, .address = kBase, .size = 4};
  EXPECT_TRUE(clocks.make(one, false).empty());
  clocks.begin_execution();
  EXPECT_TRUE(clocks.make(other, false).empty());
  EXPECT_FALSE(clocks.make(one, false).empty());
  EXPECT_TRUE(clocks.shadow().is_racy(kBase, 4));
  EXPECT_EQ(clocks.shadow().shared(), std::vector<std::uintptr_t>{kBase});
  clocks.begin_execution();
  EXPECT_TRUE(clocks.shadow().is_racy(kBase, 4)) << "that it is shared is kept";
}

TEST(Shadow, MemoryThatIsHandedOverIsNotShared) {
  Shadow shadow;
  VectorClock one;
  VectorClock other;
  one.set(0, 1);
  other.set(1, 1);
  shadow.touch(kBase, 8, 0, one);
  EXPECT_TRUE(shadow.touch_alone(kBase, 8, 0, one));
  // The second task knows of all that the first had done.
  VectorClock begun = one;
  begun.set(1, 1);
  EXPECT_TRUE(shadow.touch_alone(kBase, 8, 1, begun));
  EXPECT_FALSE(shadow.is_touched_by_several(kBase, 8));
  // The first does not know of the second.
  EXPECT_FALSE(shadow.touch_alone(kBase, 8, 0, one));
  shadow.touch(kBase, 8, 0, one);
  EXPECT_TRUE(shadow.is_touched_by_several(kBase, 8));
  shadow.touch(kBase + 8, 8, 0, one);
  shadow.touch(kBase + 8, 8, 1, other);
  EXPECT_TRUE(shadow.is_touched_by_several(kBase + 8, 8));
}

}  // namespace heddle::sched::runtime
