// Small made-up recorded histories for tests and fuzzers: an in-memory store runs random sessions
// under one of several visibility rules, from serial execution to reading whatever was ever
// written; and all very small histories, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "check/dependencies/sample_history.h"
#include "heddle/recorded_history.h"

namespace heddle {

// What may be in a sampled history.
struct RecordedShape {
  std::uint32_t transactions = 6;  // at most, at least 1
  std::uint32_t sessions = 4;      // at most, at least 1
  bool lists = true;
  bool duplicates = true;  // the same value written to a key several times
};

// Up to three keys, registers or lists; some transactions abort or have an unknown outcome, some
// histories have times.
TransactionHistory sample_recorded(const Choose& choose, const RecordedShape& shape = {});

// The same, drawn by a generator of that seed.
TransactionHistory sample_of_seed(std::uint64_t seed, const RecordedShape& shape = {});

// All histories of up to three transactions of one or two operations on two registers, with
// different values written, any of them (or none) read, and the transactions in sessions in every
// way; those that differ only in the names of keys or of sessions once (mostly).
void for_each_small_history(const std::function<void(const TransactionHistory&)>& callback);

// A history from text, one transaction per line:
//
//   0 w(x,1) a(l,2) r(x,1) r(y,nil) r(y,?) r(l,[2,3]) c 10 20
//
// is one of session 0 that writes, appends, reads, and commits, from 10 to 20; c, a, u: committed,
// aborted, unknown. Without times the history has none. REQUIRES: it is written like this.
TransactionHistory recorded_sample(const std::string& text);

// A history for the messages of tests, one transaction per line.
std::string text_of(const TransactionHistory& history);

}  // namespace heddle
