// Registers to which each value is written once (Gibbons and Korach, "Testing shared memories",
// 1997, section 4.2): the write of a value and the reads of it form a cluster, which no other write
// may split. A cluster whose first return comes before its last call must hold the register in
// between (a forward zone); the calls of any other have a moment in common and can all happen then
// (a backward zone). There is an order if and only if no read returns before its write is called,
// forward zones do not overlap, and no backward zone lies inside a forward one. A compare-and-set
// that succeeds ties the cluster of the value it writes to that of the value it found: what is tied
// together is one cluster here, whose calls must come in the order of their values. A write that
// may not have happened did happen if its value was found, and is left out if not. O(n log n).
#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "check/calls/elements.h"
#include "check/calls/model_objects.h"

namespace heddle {

namespace {

constexpr std::int64_t kBeforeAll = -1;

// A value of the register: who wrote it, who read it, who replaced it knowing it.
struct WrittenValue {
  std::uint32_t write = kNoCall;       // kNoCall: initial, or nobody
  std::optional<std::uint32_t> found;  // the value that `write`, a compare-and-set, found
  bool is_written = false;
  bool is_seen = false;  // some call found it that certainly happened
  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> replaced_by;  // compare-and-sets that found it
};

// The calls of values tied together, in the order in which they must come.
struct Cluster {
  std::vector<std::uint32_t> calls;
  std::int64_t first_return = kNeverReturns;
  std::int64_t last_call = kBeforeAll;
  std::uint32_t first_to_return = kNoCall;
  std::uint32_t last_to_be_called = kNoCall;
  std::uint32_t start = 0;  // the first gap for its calls

  bool is_forward() const { return first_return < last_call; }
};

class RegisterOrder {
 public:
  explicit RegisterOrder(const CallProblem& problem) : problem_(problem) {}

  QuickOutcome run() {
    if (!read_calls()) return {};
    mark_seen();
    drop_unseen();
    if (auto outcome = find_missing_value()) return *outcome;
    for (std::uint32_t value = 0; value < values_.size(); ++value) {
      if (!values_[value].is_written || values_[value].found) continue;
      if (auto outcome = tie(value)) return *outcome;
    }
    // What is left are compare-and-sets in a ring, none of which can be the first.
    if (ordered_ < expected_) return violated(untied_calls());
    return order_clusters();
  }

 private:
  const ObjectCall& call_of(std::uint32_t i) const { return *problem_.calls[i].call; }

  // Values that a key-value store cannot tell apart must be one.
  Value canonical(Value value) const {
    const ObjectHistory& history = *problem_.history;
    if (history.model != ObjectModel::key_value || value.is_number() || value == kNil) return value;
    return history.texts.to_string(value).empty() ? kNil : value;
  }

  std::uint32_t value_number(Value value) {
    const Value same = canonical(value);
    has_numbers_ |= same.is_number();
    has_texts_ |= !same.is_number() && same != kNil;
    const auto [entry, is_new] =
        numbers_.emplace(same.code, static_cast<std::uint32_t>(values_.size()));
    if (is_new) values_.emplace_back();
    return entry->second;
  }

  // False: some value is written twice, or there is a call that this does not know.
  bool read_calls() {
    initial_ = value_number(problem_.history->initial);
    values_[initial_].is_written = true;
    for (std::uint32_t i = 0; i < problem_.calls.size(); ++i) {
      if (!read_call(i)) return false;
    }
    const bool is_text = problem_.history->model == ObjectModel::key_value;
    return !(is_text && has_numbers_ && has_texts_);  // "7" and 7 are the same text
  }

  bool read_call(std::uint32_t i) {
    const ObjectCall& call = call_of(i);
    const bool certain = problem_.calls[i].certain;
    switch (call.function) {
      case ObjectFunction::read:
      case ObjectFunction::get:
        if (!certain) return true;
        if (result_of(call) == kUnseen) {
          blind_.push_back(i);
        } else {
          add_read(i, value_number(call.result));
        }
        return true;
      case ObjectFunction::write:
      case ObjectFunction::put:
        return add_write(i, value_number(call.argument), std::nullopt);
      case ObjectFunction::compare_and_set: {
        const std::uint32_t found = value_number(call.argument);
        if (call.argument == call.second) {
          if (certain) add_read(i, found);
          return true;
        }
        return add_write(i, value_number(call.second), found);
      }
      default:
        return false;
    }
  }

  void add_read(std::uint32_t i, std::uint32_t value) {
    values_[value].reads.push_back(i);
    values_[value].is_seen = true;
  }

  bool add_write(std::uint32_t i, std::uint32_t value, std::optional<std::uint32_t> found) {
    WrittenValue& written = values_[value];
    if (written.is_written) return false;
    written.is_written = true;
    written.write = i;
    written.found = found;
    if (found) values_[*found].replaced_by.push_back(value);
    return true;
  }

  bool is_certain(const WrittenValue& value) const {
    return value.write != kNoCall && problem_.calls[value.write].certain;
  }

  // A value was there if it was found, or replaced by one that was.
  void mark_seen() {
    std::vector<std::uint32_t> open;
    for (std::uint32_t value = 0; value < values_.size(); ++value) {
      if (values_[value].is_seen || is_certain(values_[value])) open.push_back(value);
    }
    while (!open.empty()) {
      const std::optional<std::uint32_t> found = values_[open.back()].found;
      open.pop_back();
      if (!found || values_[*found].is_seen) continue;
      values_[*found].is_seen = true;
      open.push_back(*found);
    }
  }

  // Leaves out what may not have happened and left no trace.
  void drop_unseen() {
    const auto is_dropped = [this](std::uint32_t value) {
      return values_[value].write != kNoCall && !values_[value].is_seen &&
             !is_certain(values_[value]);
    };
    for (std::uint32_t value = 0; value < values_.size(); ++value) {
      std::erase_if(values_[value].replaced_by, is_dropped);
      if (is_dropped(value)) values_[value].is_written = false;
    }
    for (const WrittenValue& value : values_) {
      expected_ += value.reads.size() + (value.is_written && value.write != kNoCall ? 1 : 0);
    }
  }

  // Found, but never written; or found and replaced by two.
  std::optional<QuickOutcome> find_missing_value() {
    for (const WrittenValue& value : values_) {
      if (!value.is_written && !value.reads.empty()) return violated({value.reads.front()});
      if (!value.is_written && !value.replaced_by.empty()) {
        return violated({values_[value.replaced_by.front()].write});
      }
      if (value.replaced_by.size() > 1) {
        std::vector<std::uint32_t> culprits;
        if (value.write != kNoCall) culprits.push_back(value.write);
        for (const std::uint32_t next : value.replaced_by) culprits.push_back(values_[next].write);
        return violated(std::move(culprits));
      }
    }
    return std::nullopt;
  }

  // Makes the cluster that starts with this value; an outcome if its calls have no order.
  std::optional<QuickOutcome> tie(std::uint32_t value) {
    Cluster cluster;
    if (value == initial_) cluster.first_return = kBeforeAll;
    for (std::optional<std::uint32_t> next = value; next;) {
      const WrittenValue& written = values_[*next];
      if (written.write != kNoCall && !add(cluster, written.write)) return misfit(cluster);
      for (const std::uint32_t read : written.reads) {
        if (!add(cluster, read)) return misfit(cluster);
      }
      next =
          written.replaced_by.empty() ? std::nullopt : std::optional(written.replaced_by.front());
    }
    ordered_ += cluster.calls.size();
    if (!cluster.calls.empty()) clusters_.push_back(std::move(cluster));
    return std::nullopt;
  }

  // False: it returned before one in front of it was called.
  bool add(Cluster& cluster, std::uint32_t i) {
    const RankedCall& call = problem_.calls[i];
    cluster.calls.push_back(i);
    if (call.returned < cluster.first_return) {
      cluster.first_return = call.returned;
      cluster.first_to_return = i;
    }
    if (static_cast<std::int64_t>(call.returned) < cluster.last_call) return false;
    if (call.called > cluster.last_call) {
      cluster.last_call = call.called;
      cluster.last_to_be_called = i;
    }
    return true;
  }

  void add_culprits(const Cluster& cluster, std::vector<std::uint32_t>& culprits) const {
    for (const std::uint32_t i : cluster.calls) {
      const ObjectFunction function = call_of(i).function;
      if (function != ObjectFunction::read && function != ObjectFunction::get) {
        culprits.push_back(i);
      }
    }
    if (cluster.first_to_return != kNoCall) culprits.push_back(cluster.first_to_return);
    culprits.push_back(cluster.last_to_be_called);
  }

  QuickOutcome misfit(const Cluster& cluster) const {
    std::vector<std::uint32_t> culprits = {cluster.calls.back()};
    add_culprits(cluster, culprits);
    return violated(std::move(culprits));
  }

  QuickOutcome conflict(const Cluster& a, const Cluster& b) const {
    std::vector<std::uint32_t> culprits;
    add_culprits(a, culprits);
    add_culprits(b, culprits);
    return violated(std::move(culprits));
  }

  std::vector<std::uint32_t> untied_calls() const {
    std::vector<bool> tied(problem_.calls.size(), false);
    for (const Cluster& cluster : clusters_) {
      for (const std::uint32_t i : cluster.calls) tied[i] = true;
    }
    std::vector<std::uint32_t> calls;
    for (const WrittenValue& value : values_) {
      if (value.is_written && value.write != kNoCall && !tied[value.write]) {
        calls.push_back(value.write);
      }
    }
    return calls;
  }

  QuickOutcome order_clusters() {
    std::vector<const Cluster*> forward;
    for (const Cluster& cluster : clusters_) {
      if (cluster.is_forward()) forward.push_back(&cluster);
    }
    std::ranges::sort(forward, {}, [](const Cluster* cluster) { return cluster->first_return; });
    for (std::size_t i = 1; i < forward.size(); ++i) {
      if (forward[i]->first_return < forward[i - 1]->last_call) {
        return conflict(*forward[i - 1], *forward[i]);
      }
    }
    for (Cluster& cluster : clusters_) {
      if (const Cluster* around = place(cluster, forward)) return conflict(*around, cluster);
    }
    std::ranges::sort(clusters_, [](const Cluster& a, const Cluster& b) {
      // The initial value is first of all; a moment comes before a zone that begins with it.
      const auto key = [](const Cluster& cluster) {
        return std::tuple(cluster.first_return != kBeforeAll, cluster.start, cluster.is_forward(),
                          cluster.calls.front());
      };
      return key(a) < key(b);
    });
    return confirmed(problem_, placed_calls());
  }

  // Chooses where the cluster starts. Returns the forward zone around it if there is one.
  static const Cluster* place(Cluster& cluster, const std::vector<const Cluster*>& forward) {
    if (cluster.is_forward()) {
      cluster.start =
          static_cast<std::uint32_t>(std::max<std::int64_t>(cluster.first_return, 1)) - 1;
      return nullptr;
    }
    cluster.start = static_cast<std::uint32_t>(cluster.last_call);
    const auto behind = std::ranges::upper_bound(
        forward, cluster.last_call, {}, [](const Cluster* zone) { return zone->first_return; });
    if (behind == forward.begin()) return nullptr;
    const Cluster* zone = *std::prev(behind);
    if (zone->last_call < cluster.last_call) return nullptr;
    if (zone->last_call >= cluster.first_return) return zone;
    cluster.start = static_cast<std::uint32_t>(zone->last_call);
    return nullptr;
  }

  std::vector<std::uint32_t> placed_calls() const {
    std::vector<PlacedCall> placed;
    placed.reserve(problem_.calls.size());
    std::int64_t turn = 0;
    for (const Cluster& cluster : clusters_) {
      std::uint32_t gap = cluster.start;
      for (const std::uint32_t i : cluster.calls) {
        gap = std::max(gap, problem_.calls[i].called);
        placed.push_back({gap, 0, turn++, i});
      }
    }
    for (const std::uint32_t i : blind_) placed.push_back({problem_.calls[i].called, 1, 0, i});
    return sorted_calls(std::move(placed));
  }

  const CallProblem& problem_;
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;
  std::vector<WrittenValue> values_;
  std::uint32_t initial_ = 0;
  bool has_numbers_ = false;
  bool has_texts_ = false;
  std::vector<std::uint32_t> blind_;  // reads that were not told what they read
  std::vector<Cluster> clusters_;
  std::size_t expected_ = 0;  // calls that must be in clusters
  std::size_t ordered_ = 0;   // and are
};

}  // namespace

QuickOutcome order_register(const CallProblem& problem) { return RegisterOrder(problem).run(); }

}  // namespace heddle
