// What a follower of transactions keeps: those that are not decided, and what the forgotten ones
// left behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "heddle/recorded_history.h"

namespace heddle {

struct KeptOperation {
  Value key;  // its name
  KeyAction action = KeyAction::read;
  Value value;
  std::vector<Value> list = {};  // of a read_list that was seen
};

struct KeptTransaction {
  RecordedTransaction recorded;  // first and count mean nothing
  std::vector<KeptOperation> operations;
  std::string session_name;
  std::size_t number = 0;   // in the order of adding, from 1; 0: not of the history
  bool is_settled = false;  // whatever is not here comes after it
  // Of an unknown outcome:
  bool is_continued = false;  // its session went on
  bool is_put_off = false;    // something was forgotten because nobody can see this before that
  bool is_unique = true;      // nobody else wrote any of its values

  bool is_open() const { return recorded.ended == kNever; }
  bool is_aborted() const { return recorded.outcome == TransactionOutcome::aborted; }
  // Whether it takes part in every order.
  bool counts() const { return recorded.outcome == TransactionOutcome::committed; }
};

// The last version of a key that was forgotten.
struct KeyState {
  bool is_list = false;
  Value value = kNil;
  std::vector<Value> list = {};
};

struct KeptPart {
  std::vector<KeptTransaction> transactions;
  std::unordered_map<std::int64_t, KeyState> states;  // by the code of the key's name
  std::optional<Value> initial;
  bool partial = false;  // others may have written, too

  const KeyState* state_of(Value key) const {
    const auto entry = states.find(key.code);
    return entry == states.end() ? nullptr : &entry->second;
  }
};

inline bool is_write(KeyAction action) {
  return action == KeyAction::write || action == KeyAction::append;
}

inline bool is_seen(const KeptOperation& operation) {
  return !is_write(operation.action) && operation.value != kUnseen;
}

}  // namespace heddle
