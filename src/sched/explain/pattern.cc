// A pattern is a few events in a certain order, among which the deciding pair is. The table has the
// more special ones first. What the program calls things makes no difference.
#include "sched/explain/pattern.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <utility>

#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

// Events by number, as in `FailureShape`.
class Shape {
 public:
  explicit Shape(const FailureShape& shape) : shape_(shape) {}

  const Failure& failure() const { return shape_.failure; }
  bool has_pair() const { return shape_.pair.has_value(); }
  // REQUIRES: has_pair().
  std::size_t first() const { return shape_.pair->first; }
  std::size_t second() const { return shape_.pair->second; }
  bool has_in_pair(std::size_t event) const { return event == first() || event == second(); }

  std::size_t count() const { return shape_.events.size(); }
  const Event& event(std::size_t i) const { return shape_.events[i]; }
  const Access& access(std::size_t i) const { return shape_.accesses[i]; }
  bool is_by(std::size_t i, TaskId task) const { return access(i).task == task; }

  // The next event behind `i` of which `holds` is true; count(): there is none.
  template <class Holds>
  std::size_t next(std::size_t i, const Holds& holds) const {
    for (++i; i < count(); ++i) {
      if (holds(i)) return i;
    }
    return count();
  }
  template <class Holds>
  bool any(std::size_t begin, std::size_t end, const Holds& holds) const {
    for (std::size_t i = begin; i < end && i < count(); ++i) {
      if (holds(i)) return true;
    }
    return false;
  }
  template <class Holds>
  bool any(const Holds& holds) const {
    return any(0, count(), holds);
  }

  bool is_read(std::size_t i) const {
    return access(i).to == AccessTo::memory && access(i).only_reads();
  }
  bool is_write(std::size_t i) const {
    return access(i).to == AccessTo::memory && access(i).only_writes();
  }
  bool is_change(std::size_t i) const {
    return access(i).to == AccessTo::memory && access(i).changes;
  }
  bool is_same(std::size_t i, std::size_t j) const { return overlap(access(i), access(j)); }
  // Whether another task touches the same memory.
  bool is_shared(std::size_t i) const {
    return any([&](std::size_t j) { return !is_by(j, access(i).task) && is_same(i, j); });
  }
  // Whether the task has a mutex at the event that it took behind `from`.
  bool has_taken(std::size_t from, std::size_t event, TaskId task) const {
    bool has = false;
    for (std::size_t i = from; i < event; ++i) {
      if (!is_by(i, task)) continue;
      if (access(i).acquires) has = true;
      if (access(i).releases) has = false;
    }
    return has;
  }

 private:
  const FailureShape& shape_;
};

// Each waits for a mutex that the next has.
bool is_deadlock_by_order(const Shape& shape) {
  const std::vector<Waiting>& waiting = shape.failure().waiting;
  const auto is_for_mutex = [](const Waiting& one) {
    return (one.kind == OperationKind::lock || one.kind == OperationKind::lock_shared) &&
           one.owner >= 0;
  };
  for (const Waiting& from : waiting) {
    const Waiting* at = &from;
    for (std::size_t length = 1; length <= waiting.size() && is_for_mutex(*at); ++length) {
      const auto owner = static_cast<TaskId>(at->owner);
      if (owner == from.task) return length > 1;
      const auto next = std::find_if(waiting.begin(), waiting.end(),
                                     [&](const Waiting& one) { return one.task == owner; });
      if (next == waiting.end()) break;
      at = &*next;
    }
  }
  return false;
}

// Somebody waits for what was told before, when nobody waited.
bool is_lost_wake_up(const Shape& shape) {
  if (shape.failure().kind != FailureKind::deadlock) return false;
  for (const Waiting& waiting : shape.failure().waiting) {
    if (waiting.kind != OperationKind::wake_up) continue;
    const auto is_wait = [&](std::size_t i) {
      return shape.is_by(i, waiting.task) && shape.access(i).to == AccessTo::condition &&
             shape.event(i).object == waiting.object && !shape.access(i).changes;
    };
    const auto is_notice = [&](std::size_t i) {
      return !shape.is_by(i, waiting.task) && shape.access(i).to == AccessTo::condition &&
             shape.event(i).object == waiting.object && shape.access(i).changes;
    };
    std::size_t wait = shape.count();
    for (std::size_t i = 0; i < shape.count(); ++i) {
      if (is_wait(i)) wait = i;
    }
    const bool in_vain = shape.any(
        0, wait, [&](std::size_t i) { return is_notice(i) && shape.event(i).result == 0; });
    const bool comes_later = shape.any(wait, shape.count(), is_notice);
    if (wait < shape.count() && in_vain && !comes_later) return true;
  }
  return false;
}

// Looks without a mutex, takes it, looks again and writes; the pair is about what is looked at, or
// about what is written before it.
bool is_double_check(const Shape& shape) {
  return shape.any([&](std::size_t write) {
    if (!shape.is_change(write)) return false;
    const TaskId task = shape.access(write).task;
    return shape.any(0, write, [&](std::size_t take) {
      if (!shape.is_by(take, task) || !shape.access(take).acquires) return false;
      if (!shape.has_taken(take, write, task)) return false;
      const auto looks = [&](std::size_t i) {
        return shape.is_by(i, task) && shape.is_read(i) && shape.is_same(i, write);
      };
      const bool looks_before = shape.any(0, take, [&](std::size_t look) {
        const std::size_t next = shape.next(
            look, [&](std::size_t i) { return shape.is_by(i, task) && shape.access(i).acquires; });
        return looks(look) && next == take && !shape.has_taken(0, look, task);
      });
      if (!looks_before || !shape.any(take, write, looks)) return false;
      const auto is_of_it = [&](std::size_t i) {
        const bool is_made_inside =
            shape.is_by(i, task) && i > take && i <= write && shape.is_change(i);
        return shape.is_same(i, write) || is_made_inside;
      };
      return is_of_it(shape.first()) || is_of_it(shape.second());
    });
  });
}

// What is written races with what is read, although the reader has seen that it was written.
bool is_publication(const Shape& shape) {
  if (!shape.is_change(shape.first())) return false;
  const TaskId writer = shape.access(shape.first()).task;
  const TaskId reader = shape.access(shape.second()).task;
  return shape.any(shape.first(), shape.second(), [&](std::size_t tell) {
    if (!shape.is_by(tell, writer) || !shape.is_change(tell) || shape.access(tell).is_plain) {
      return false;
    }
    return shape.any(tell, shape.second(), [&](std::size_t see) {
      return shape.is_by(see, reader) && shape.access(see).reads && !shape.access(see).is_plain &&
             shape.is_same(see, tell) && shape.event(see).before == shape.event(tell).after;
    });
  });
}

// An access to memory that another task has freed.
bool is_use_after_free(const Shape& shape) {
  // What nothing keeps from coming after that, too.
  if (shape.event(shape.second()).kind == OperationKind::free) return true;
  return shape.any([&](std::size_t freed) {
    if (shape.event(freed).kind != OperationKind::free) return false;
    const std::uintptr_t begin = shape.event(freed).object;
    const std::uintptr_t end = begin + shape.event(freed).size;
    const TaskId task = shape.event(freed).place.task;
    const std::size_t used = shape.next(freed, [&](std::size_t i) {
      const Event& event = shape.event(i);
      const bool is_inside = event.object >= begin && event.object < end;
      const bool is_access = shape.access(i).to == AccessTo::memory;
      return is_inside && (is_access || event.kind == OperationKind::allocate);
    });
    if (used == shape.count() || shape.event(used).kind == OperationKind::allocate) return false;
    const TaskId user = shape.access(used).task;
    const TaskId one = shape.access(shape.first()).task;
    const TaskId other = shape.access(shape.second()).task;
    return user != task && ((one == task && other == user) || (one == user && other == task));
  });
}

// An exchange succeeds because what was seen is there again, after something else.
bool is_aba(const Shape& shape) {
  return shape.any([&](std::size_t exchange) {
    const Event& done = shape.event(exchange);
    if (done.kind != OperationKind::compare_exchange || done.result == 0) return false;
    const TaskId task = shape.access(exchange).task;
    std::size_t seen = exchange;
    for (std::size_t i = exchange; i-- > 0 && seen == exchange;) {
      if (shape.is_by(i, task) && shape.access(i).reads && shape.is_same(i, exchange)) seen = i;
    }
    if (seen == exchange || shape.event(seen).before != done.before) return false;
    const bool changes = shape.any(seen, exchange, [&](std::size_t i) {
      return !shape.is_by(i, task) && shape.is_change(i) && shape.is_same(i, exchange) &&
             shape.event(i).after != done.before;
    });
    return changes && shape.first() >= seen && shape.first() <= exchange &&
           shape.second() <= exchange;
  });
}

// Reads, and writes what it has made of it over what another has written since.
bool is_lost_update(const Shape& shape) {
  return shape.any([&](std::size_t read) {
    if (!shape.is_read(read)) return false;
    const TaskId task = shape.access(read).task;
    const std::size_t again = shape.next(read, [&](std::size_t i) {
      return shape.is_by(i, task) && shape.access(i).to == AccessTo::memory &&
             shape.is_same(i, read);
    });
    if (again == shape.count() || !shape.is_write(again)) return false;
    return shape.any(read, again, [&](std::size_t other) {
      const bool is_lost = !shape.is_by(other, task) && shape.is_change(other) &&
                           shape.is_same(other, read) && shape.is_same(other, again);
      const auto is_of_both = [&](std::size_t i) {
        const bool is_by_one = shape.is_by(i, task) || shape.is_by(i, shape.access(other).task);
        return is_by_one && shape.is_same(i, read);
      };
      return is_lost && is_of_both(shape.first()) && is_of_both(shape.second()) &&
             shape.second() <= again;
    });
  });
}

// Each of two reads what the other writes afterwards, and writes something else.
bool is_write_skew(const Shape& shape) {
  if (!shape.is_read(shape.first()) || !shape.is_change(shape.second())) return false;
  const std::size_t one_reads = shape.first();
  const std::size_t other_writes = shape.second();
  const TaskId one = shape.access(one_reads).task;
  const TaskId other = shape.access(other_writes).task;
  return shape.any(one_reads, shape.count(), [&](std::size_t one_writes) {
    if (!shape.is_by(one_writes, one) || !shape.is_change(one_writes)) return false;
    if (shape.is_same(one_writes, one_reads)) return false;
    return shape.any(0, std::min(one_writes, other_writes), [&](std::size_t other_reads) {
      return shape.is_by(other_reads, other) && shape.is_read(other_reads) &&
             shape.is_same(other_reads, one_writes);
    });
  });
}

// Looks, and does something when what it has seen is not so any more.
bool is_check_then_act(const Shape& shape) {
  return shape.any([&](std::size_t check) {
    if (!shape.is_read(check)) return false;
    const TaskId task = shape.access(check).task;
    const std::size_t change = shape.next(check, [&](std::size_t i) {
      return !shape.is_by(i, task) && shape.is_change(i) && shape.is_same(i, check);
    });
    const auto looks_again = [&](std::size_t i) {
      return shape.is_by(i, task) && shape.access(i).reads && shape.is_same(i, check);
    };
    const std::size_t act = shape.next(change, [&](std::size_t i) {
      return shape.is_by(i, task) && shape.is_change(i) && shape.is_shared(i);
    });
    if (act == shape.count() || shape.any(check + 1, act, looks_again)) return false;
    const bool is_decided = shape.has_in_pair(check) && shape.has_in_pair(change);
    return is_decided || shape.second() == act;
  });
}

// Reads one thing before another changes two, and the other thing afterwards, or the other way
// round, and changes neither.
bool is_torn_read(const Shape& shape) {
  const bool reads_first = shape.is_read(shape.first()) && shape.is_change(shape.second());
  const bool writes_first = shape.is_change(shape.first()) && shape.is_read(shape.second());
  if (!reads_first && !writes_first) return false;
  const std::size_t read = reads_first ? shape.first() : shape.second();
  const std::size_t write = reads_first ? shape.second() : shape.first();
  const TaskId reader = shape.access(read).task;
  const TaskId writer = shape.access(write).task;
  const auto changes_itself = [&](std::size_t what) {
    return shape.any([&](std::size_t i) {
      return shape.is_by(i, reader) && shape.is_change(i) && shape.is_same(i, what);
    });
  };
  if (changes_itself(read)) return false;
  return shape.any([&](std::size_t other_read) {
    if (!shape.is_by(other_read, reader) || !shape.is_read(other_read)) return false;
    if (shape.is_same(other_read, read) || changes_itself(other_read)) return false;
    return shape.any([&](std::size_t other_write) {
      if (!shape.is_by(other_write, writer) || !shape.is_change(other_write)) return false;
      if (!shape.is_same(other_write, other_read)) return false;
      return reads_first ? other_write < other_read : other_read < other_write;
    });
  });
}

// Reads the same twice, and finds that another has changed it meanwhile.
bool is_unrepeatable_read(const Shape& shape) {
  return shape.any([&](std::size_t read) {
    if (!shape.is_read(read)) return false;
    const TaskId task = shape.access(read).task;
    const std::size_t again = shape.next(read, [&](std::size_t i) {
      return shape.is_by(i, task) && shape.access(i).to == AccessTo::memory &&
             shape.is_same(i, read);
    });
    if (again == shape.count() || !shape.is_read(again)) return false;
    // Whoever waits in between expects the change.
    const bool waits = shape.any(read, again, [&](std::size_t i) {
      return shape.is_by(i, task) && shape.access(i).reads &&
             (shape.access(i).to == AccessTo::condition ||
              shape.access(i).to == AccessTo::semaphore);
    });
    if (waits) return false;
    return shape.any(read, again, [&](std::size_t change) {
      return !shape.is_by(change, task) && shape.is_change(change) && shape.is_same(change, read) &&
             shape.has_in_pair(change) && (shape.has_in_pair(read) || shape.has_in_pair(again));
    });
  });
}

struct Pattern {
  const char* name;
  bool (*fits)(const Shape& shape);
  bool of_races;   // may nothing order the pair
  bool of_orders;  // may the order of the pair decide
};

constexpr std::array kPatterns{
    Pattern{"deadlock by order of locks", is_deadlock_by_order, false, true},
    Pattern{"lost wake-up", is_lost_wake_up, false, true},
    Pattern{"double-checked initialisation", is_double_check, true, true},
    Pattern{"publication without order", is_publication, true, false},
    Pattern{"use after free", is_use_after_free, true, true},
    Pattern{"ABA", is_aba, false, true},
    Pattern{"lost update", is_lost_update, false, true},
    Pattern{"write skew", is_write_skew, false, true},
    Pattern{"check-then-act", is_check_then_act, false, true},
    Pattern{"torn read", is_torn_read, false, true},
    Pattern{"unrepeatable read", is_unrepeatable_read, false, true},
};

// The last events that a pattern can be made of: about what one task alone touches none is.
class Chosen {
 public:
  explicit Chosen(const FailureShape& all) : shape_{all.failure, events_, accesses_, {}, false} {
    std::map<std::pair<std::uintptr_t, std::uint32_t>, TaskSet> touched;
    const auto tasks_at = [&](const Access& access) -> TaskSet& {
      return touched[{access.object / kGranule, access.block}];
    };
    for (const Access& access : all.accesses) {
      if (access.to == AccessTo::memory) tasks_at(access) |= only(access.task);
    }
    std::vector<std::size_t> chosen;
    for (std::size_t i = all.events.size(); i-- > 0 && chosen.size() < kMost;) {
      const Access& access = all.accesses[i];
      const bool is_memory = access.to == AccessTo::memory;
      const bool is_block = all.events[i].kind == OperationKind::allocate ||
                            all.events[i].kind == OperationKind::free;
      if (is_memory ? !std::has_single_bit(tasks_at(access))
                    : is_block || access.to != AccessTo::nothing) {
        chosen.push_back(i);
      }
    }
    std::reverse(chosen.begin(), chosen.end());
    EventPair pair{chosen.size(), chosen.size()};
    for (const std::size_t i : chosen) {
      if (i == all.pair->first) pair.first = events_.size();
      if (i == all.pair->second) pair.second = events_.size();
      events_.push_back(all.events[i]);
      accesses_.push_back(all.accesses[i]);
    }
    if (pair.first < chosen.size() && pair.second < chosen.size()) shape_.pair = pair;
    shape_.is_race = all.is_race;
  }

  const FailureShape& shape() const { return shape_; }

 private:
  static constexpr std::size_t kMost = 1500;
  static constexpr std::uintptr_t kGranule = 8;

  std::vector<Event> events_;
  std::vector<Access> accesses_;
  FailureShape shape_;
};

}  // namespace

std::optional<std::size_t> find_pattern(const FailureShape& shape) {
  if (!shape.pair) return std::nullopt;
  const Chosen chosen(shape);
  const Shape looked_at(chosen.shape());
  if (!looked_at.has_pair()) return std::nullopt;
  for (std::size_t i = 0; i < kPatterns.size(); ++i) {
    const Pattern& pattern = kPatterns[i];
    if ((shape.is_race ? pattern.of_races : pattern.of_orders) && pattern.fits(looked_at)) return i;
  }
  return std::nullopt;
}

const char* pattern_name(std::size_t pattern) { return kPatterns[pattern].name; }

}  // namespace heddle::sched::runtime
