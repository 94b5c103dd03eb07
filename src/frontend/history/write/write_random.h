// For tests: small random histories, each determined by its seed, with all that the model allows,
// or only with what a format can carry.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "heddle/recorded_history.h"

namespace heddle {

struct RandomHistoryShape {
  bool texts = true;  // as keys and values; else numbers from 0 on
  bool lists = true;
  bool unseen = true;  // reads of which nobody was told
  bool aborted = true;
  bool unknown = true;  // outcomes
  bool empty = true;    // transactions without operations
  bool overlap = true;  // of the transactions of a session
  std::optional<Value> initial = kNil;
};

class RandomHistory {
 public:
  RandomHistory(unsigned seed, const RandomHistoryShape& shape) : random_(seed), shape_(shape) {}

  TransactionHistory transactions() {
    TransactionHistory history;
    history.initial = shape_.initial;
    history.has_times = one_in(2);
    const unsigned sessions = 1 + below(4);
    if (one_in(2)) {
      for (unsigned i = 0; i < sessions; ++i) history.sessions.push_back(name(history.texts, i));
    }
    std::vector<Moment> free_since(sessions, 0);
    for (unsigned count = below(10); count > 0; --count) {
      const unsigned session = below(sessions);
      add_transaction(history, session, free_since[session]);
    }
    return history;
  }

  ObjectHistory calls() {
    ObjectHistory history;
    history.model = static_cast<ObjectModel>(below(10));
    history.initial = value(history.texts);
    history.permits = 1 + below(3);
    Moment now = 0;
    for (unsigned count = below(12); count > 0; --count) {
      ObjectCall call;
      call.process = below(4);
      call.function = static_cast<ObjectFunction>(below(18));
      call.outcome = static_cast<CallOutcome>(below(3));
      call.object = history.objects.of(one_in(2) ? kNil : value(history.texts));
      call.argument = value(history.texts);
      call.second = value(history.texts);
      call.result = one_in(4) ? kUnseen : value(history.texts);
      if (one_in(4)) {
        call.result_is_list = true;
        call.result.code =
            static_cast<std::int64_t>(history.lists.add(list(history.texts)).index());
      }
      call.called = now += below(3);
      call.returned = one_in(5) ? kNever : now + below(9);
      history.calls.push_back(call);
    }
    return history;
  }

  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  bool one_in(unsigned count) { return below(count) == 0; }

 private:
  void add_transaction(TransactionHistory& history, unsigned session, Moment& free_since) {
    TransactionBuilder txn(history, session);
    unsigned count = below(4);
    if (count == 0 && !shape_.empty) count = 1;
    for (; count > 0; --count) add_operation(history, txn);
    auto outcome = TransactionOutcome::committed;
    if (shape_.aborted && one_in(4)) outcome = TransactionOutcome::aborted;
    if (shape_.unknown && one_in(4)) outcome = TransactionOutcome::unknown;
    const Moment began = (shape_.overlap ? 0 : free_since) + 1 + below(9);
    const Moment ended = began + below(9);
    free_since = ended;
    const bool open = outcome == TransactionOutcome::unknown || (shape_.overlap && one_in(6));
    if (history.has_times) {
      txn.end(outcome, began, open ? kNever : ended);
    } else {
      txn.end(outcome);
    }
  }

  // Even keys are registers, odd ones lists.
  void add_operation(TransactionHistory& history, TransactionBuilder& txn) {
    const unsigned number = shape_.lists ? below(6) : 2 * below(3);
    const KeyId key =
        history.keys.of(shape_.texts && number < 4 ? history.texts.text(name(history.texts, number))
                                                   : Value::number(number));
    const bool reads = one_in(2);
    if (number % 2 == 1 && reads) {
      if (shape_.unseen && one_in(4)) {
        txn.read_list_unseen(key);
      } else {
        txn.read_list(key, list(history.texts));
      }
    } else if (number % 2 == 1) {
      txn.append(key, value(history.texts));
    } else if (!reads) {
      txn.write(key, value(history.texts));
    } else if (shape_.unseen && one_in(4)) {
      txn.read(key, kUnseen);
    } else {
      txn.read(key, shape_.initial && one_in(3) ? *shape_.initial : value(history.texts));
    }
  }

  std::vector<Value> list(ValueTexts& texts) {
    std::vector<Value> elements;
    for (unsigned i = below(4); i > 0; --i) elements.push_back(value(texts));
    return elements;
  }

  Value value(ValueTexts& texts) {
    if (!shape_.texts || one_in(2)) return Value::number(1 + below(shape_.texts ? 5 : 1000));
    switch (below(4)) {
      case 0:
        return Value::number(-3);
      case 1:
        return texts.number(std::numeric_limits<std::int64_t>::min() + below(3));
      default:
        return texts.text(name(texts, below(12)));
    }
  }

  static std::string name(const ValueTexts&, unsigned number) {
    static const std::vector<std::string> kNames = {
        "x", "y z",   "",  "\"q\\\"\n", "nil",      "none",
        "7", ":word", "?", "[1 2]",     "\x01\x7F", "\xC3\xA9\xF0\x9F\x98\x80"};
    return kNames[number % kNames.size()];
  }

  std::mt19937 random_;
  RandomHistoryShape shape_;
};

}  // namespace heddle
