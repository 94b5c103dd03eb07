// Whether two findings are equal in every member, for tests. Structured bindings name all members,
// so a member that is added to a struct and not here does not compile.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "heddle/finding.h"

namespace heddle::sample {

template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

inline bool same(const Column& a, const Column& b);
inline bool same(const ResultSet& a, const ResultSet& b);
inline bool same(const Reply& a, const Reply& b);
inline bool same(const StepRecord& a, const StepRecord& b);
inline bool same(const Event& a, const Event& b);
inline bool same(const TableState& a, const TableState& b);
inline bool same(const InvariantOutcome& a, const InvariantOutcome& b);
inline bool same(const Run& a, const Run& b);
inline bool same(const RowVersion& a, const RowVersion& b);
inline bool same(const Operation& a, const Operation& b);
inline bool same(const HistoryTransaction& a, const HistoryTransaction& b);
inline bool same(const History& a, const History& b);
inline bool same(const DependencyEdge& a, const DependencyEdge& b);
inline bool same(const Cycle& a, const Cycle& b);
inline bool same(const Difference& a, const Difference& b);
inline bool same(const SerialComparison& a, const SerialComparison& b);
inline bool same(const Explanation& a, const Explanation& b);

// Scenarios are the same when their spec files are: a document keeps no positions.
inline bool same(const Scenario& a, const Scenario& b) {
  return a.file == b.file && to_spec(a) == to_spec(b);
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

inline bool same(const Column& a, const Column& b) {
  // The type is not kept in documents.
  const auto& [a1, a2, a3, a4, a5, unkept_a] = a;
  const auto& [b1, b2, b3, b4, b5, unkept_b] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5);
}

inline bool same(const ResultSet& a, const ResultSet& b) {
  const auto& [a1, a2, a3, a4, a5] = a;
  const auto& [b1, b2, b3, b4, b5] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5);
}

inline bool same(const Reply& a, const Reply& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && same(a2, b2);
}

inline bool same(const StepRecord& a, const StepRecord& b) {
  // The last three are not kept in documents.
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, un_a1, un_a2, un_a3] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, un_b1, un_b2, un_b3] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5) &&
         same(a6, b6) && same(a7, b7) && same(a8, b8) && same(a9, b9) && same(a10, b10) &&
         same(a11, b11);
}

inline bool same(const Event& a, const Event& b) {
  const auto& [a1, a2, a3, a4, a5, a6] = a;
  const auto& [b1, b2, b3, b4, b5, b6] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5) &&
         same(a6, b6);
}

inline bool same(const TableState& a, const TableState& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3);
}

inline bool same(const InvariantOutcome& a, const InvariantOutcome& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4);
}

inline bool same(const Run& a, const Run& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5) &&
         same(a6, b6) && same(a7, b7) && same(a8, b8);
}

inline bool same(const RowVersion& a, const RowVersion& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4);
}

inline bool same(const Operation& a, const Operation& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5) &&
         same(a6, b6) && same(a7, b7) && same(a8, b8);
}

inline bool same(const HistoryTransaction& a, const HistoryTransaction& b) {
  // The last two are not kept in documents.
  const auto& [a1, a2, a3, a4, unkept_a, unkept_too_a] = a;
  const auto& [b1, b2, b3, b4, unkept_b, unkept_too_b] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4);
}

inline bool same(const History& a, const History& b) {
  const auto& [a1, a2, a3, a4, a5] = a;
  const auto& [b1, b2, b3, b4, b5] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5);
}

inline bool same(const DependencyEdge& a, const DependencyEdge& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5) &&
         same(a6, b6) && same(a7, b7) && same(a8, b8) && same(a9, b9);
}

inline bool same(const Cycle& a, const Cycle& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3);
}

inline bool same(const Difference& a, const Difference& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3);
}

inline bool same(const SerialComparison& a, const SerialComparison& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && same(a2, b2);
}

inline bool same(const Explanation& a, const Explanation& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3);
}

inline bool same(const Finding& a, const Finding& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
               a20, a21, a22] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17, b18, b19,
               b20, b21, b22] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5) &&
         same(a6, b6) && same(a7, b7) && same(a8, b8) && same(a9, b9) && same(a10, b10) &&
         same(a11, b11) && same(a12, b12) && same(a13, b13) && same(a14, b14) && same(a15, b15) &&
         same(a16, b16) && same(a17, b17) && same(a18, b18) && same(a19, b19) && same(a20, b20) &&
         same(a21, b21) && same(a22, b22);
}

}  // namespace heddle::sample
