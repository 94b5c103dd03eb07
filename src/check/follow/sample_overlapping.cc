#include "check/follow/sample_overlapping.h"

#include <random>
#include <string>
#include <vector>

namespace heddle {

namespace {

class OverlappingStore {
 public:
  OverlappingStore(const OverlappingShape& shape, std::uint64_t seed)
      : shape_(shape), random_(seed), running_(shape.sessions), current_(shape.keys) {
    history_.has_times = true;
    for (std::uint32_t key = 0; key < shape.keys; ++key) {
      history_.keys.of(Value::number(key));
      past_.push_back({kNil});
    }
    for (std::uint32_t i = 0; i < shape.sessions; ++i) running_[i].session = next_session_++;
  }

  TransactionHistory run() {
    std::uint32_t left = shape_.transactions;
    for (std::uint32_t open = 0; left > 0 || open > 0;) {
      Running& one = running_[below(shape_.sessions)];
      ++now_;
      if (!delayed_.empty() && below(20) == 0) {
        take_effect(delayed_.back());
        delayed_.pop_back();
      } else if (!one.is_begun) {
        if (left == 0) continue;
        --left;
        ++open;
        one.is_begun = true;
        one.is_done = false;
        one.began = now_;
      } else if (!one.is_done) {
        make(one);
      } else {
        --open;
        end(one);
      }
    }
    return std::move(history_);
  }

 private:
  struct Operation {
    KeyOperation operation;
    std::vector<Value> list;
  };
  struct Running {
    std::uint32_t session = 0;
    bool is_begun = false;
    bool is_done = false;
    Moment began = 0;
    TransactionOutcome outcome = TransactionOutcome::committed;
    std::vector<Operation> operations;
  };
  struct KeyNow {
    Value value = kNil;
    std::vector<Value> list;
  };

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

  // Decides what it does, and does it.
  void make(Running& one) {
    one.is_done = true;
    one.operations.clear();
    one.outcome = TransactionOutcome::committed;
    if (chance(shape_.unknown_percent))
      one.outcome = TransactionOutcome::unknown;
    else if (chance(shape_.aborted_percent))
      one.outcome = TransactionOutcome::aborted;
    const std::uint32_t count = 1 + below(shape_.operations);
    for (std::uint32_t i = 0; i < count; ++i) {
      const KeyId key(below(shape_.keys));
      const bool writes = below(2) == 0;
      if (!writes || chance(shape_.update_percent)) plan(one, key, true);
      if (writes) plan(one, key, false);
    }
    if (one.outcome == TransactionOutcome::unknown) {
      const std::uint32_t fate = below(3);
      if (fate == 0) return;
      if (fate == 1) return delayed_.push_back(one.operations);
    }
    if (one.outcome == TransactionOutcome::aborted) {
      const std::vector<KeyNow> before = current_;
      take_effect(one.operations);
      current_ = before;
      return;
    }
    take_effect(one.operations);
  }

  void plan(Running& one, KeyId key, bool is_read) {
    Operation planned{{key, is_read ? KeyAction::read : KeyAction::write, kUnseen}, {}};
    if (shape_.lists) planned.operation.action = is_read ? KeyAction::read_list : KeyAction::append;
    if (!is_read) {
      planned.operation.value = Value::number(
          shape_.values == 0 || shape_.lists ? ++last_value_ : 1 + below(shape_.values));
    }
    one.operations.push_back(std::move(planned));
  }

  void take_effect(std::vector<Operation>& operations) {
    for (Operation& each : operations) {
      KeyNow& key = current_[each.operation.key.index()];
      std::vector<Value>& past = past_[each.operation.key.index()];
      switch (each.operation.action) {
        case KeyAction::read:
          each.operation.value = key.value;
          if (chance(shape_.mistake_percent)) {
            each.operation.value = below(4) == 0
                                       ? Value::number(++last_value_)
                                       : past[below(static_cast<std::uint32_t>(past.size()))];
          }
          break;
        case KeyAction::write:
          key.value = each.operation.value;
          past.push_back(key.value);
          if (past.size() > 64) past.erase(past.begin(), past.begin() + 32);
          break;
        case KeyAction::append:
          key.list.push_back(each.operation.value);
          break;
        case KeyAction::read_list:
          each.list = key.list;
          if (!each.list.empty() && chance(shape_.mistake_percent)) each.list.pop_back();
          each.operation.value = kNil;
          break;
      }
    }
  }

  void end(Running& one) {
    one.is_begun = false;
    const bool is_unknown = one.outcome == TransactionOutcome::unknown;
    TransactionBuilder txn(history_, one.session, static_cast<std::uint32_t>(now_));
    for (const Operation& each : one.operations) {
      const KeyOperation& operation = each.operation;
      switch (operation.action) {
        case KeyAction::read:
          txn.read(operation.key, is_unknown && below(4) != 0 ? kUnseen : operation.value);
          break;
        case KeyAction::write:
          txn.write(operation.key, operation.value);
          break;
        case KeyAction::append:
          txn.append(operation.key, operation.value);
          break;
        case KeyAction::read_list:
          if (is_unknown || operation.value == kUnseen)
            txn.read_list_unseen(operation.key);
          else
            txn.read_list(operation.key, each.list);
          break;
      }
    }
    txn.end(one.outcome, one.began, is_unknown ? kNever : now_);
    if (is_unknown && !shape_.sessions_go_on) one.session = next_session_++;
  }

  const OverlappingShape& shape_;
  std::mt19937_64 random_;
  TransactionHistory history_;
  std::vector<Running> running_;
  std::vector<KeyNow> current_;
  std::vector<std::vector<Value>> past_;
  std::vector<std::vector<Operation>> delayed_;
  std::uint32_t next_session_ = 0;
  std::int64_t last_value_ = 100;
  Moment now_ = 0;
};

}  // namespace

TransactionHistory sample_overlapping(const OverlappingShape& shape, std::uint64_t seed) {
  return OverlappingStore(shape, seed).run();
}

}  // namespace heddle
