// Which calls may come next in an order, for each of the orders that a check may keep. A frontier
// holds what has not been ordered yet; what was taken last must be given back first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/calls/object_calls.h"

namespace heddle {

// Certain calls by real time: a call may come next if it was called before the first return among
// those that are left. A doubly linked list of calls and returns (Lowe 2017, section 4), so that
// taking a call and giving it back are two assignments each.
class RealTimeFrontier {
 public:
  explicit RealTimeFrontier(const CallProblem& problem);

  bool is_empty() const { return next_[kHead] == kHead; }
  void take(std::uint32_t call);
  void give_back(std::uint32_t call);
  // The call that returns first: it has to come before anything that is called later.
  std::optional<std::uint32_t> urgent() const;
  // Walks through the calls that may come next. `cursor` is 0 at first.
  std::optional<std::uint32_t> candidate(std::uint32_t& cursor) const;
  // Whether an optional call may come next.
  bool may_take_optional(std::uint32_t call) const;
  // How far the order has come; grows with what is taken.
  std::uint64_t progress(std::size_t taken) const;
  static std::uint64_t bytes(const CallProblem& problem);

 private:
  static constexpr std::uint32_t kHead = 0;  // the node of rank r is r + 1

  bool is_call(std::uint32_t node) const { return problem_.calls[owner_[node]].called + 1 == node; }
  std::uint32_t first_return() const;
  void unlink(std::uint32_t node);
  void link(std::uint32_t node);

  const CallProblem& problem_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> owner_;
};

// Certain calls by process: the first of each process that is left may come next.
class ProcessFrontier {
 public:
  explicit ProcessFrontier(const CallProblem& problem);

  bool is_empty() const { return left_ == 0; }
  void take(std::uint32_t call);
  void give_back(std::uint32_t call);
  std::optional<std::uint32_t> urgent() const;
  std::optional<std::uint32_t> candidate(std::uint32_t& cursor) const;
  bool may_take_optional(std::uint32_t call) const;
  std::uint64_t progress(std::size_t taken) const { return taken; }
  static std::uint64_t bytes(const CallProblem& problem);

 private:
  struct Chain {
    std::vector<std::uint32_t> calls;
    std::size_t taken = 0;
  };

  std::vector<std::uint32_t> chain_of_;  // by call
  std::vector<Chain> chains_;
  std::size_t left_ = 0;
};

}  // namespace heddle
