// A solver of formulas over terms (Z3).
//
//   Solver solver(terms);
//   solver.add(formula);
//   if (solver.check() == Satisfiable::yes) use(solver.value(x));
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "smt/term.h"

namespace heddle::smt {

// `unknown` is no answer: whoever asked may not take it for a no.
enum class Satisfiable : std::uint8_t { no, yes, unknown };

// Equal formulas in the same order get equal answers and equal values. Not for several threads;
// several solvers may run side by side.
class Solver {
 public:
  using Clock = std::chrono::steady_clock;

  // `terms` must outlive it. A check that takes more steps than the bound is unknown; 0: none. Z3
  // 4.8 loses formulas that it was taking in then: a later yes may be wrong, a no is not. So
  // is one that is under way when `end` comes, or an interrupt (base/interrupt.h).
  explicit Solver(const Terms& terms, std::uint32_t max_steps = 0,
                  std::optional<Clock::time_point> end = {});
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  ~Solver();

  static constexpr std::size_t kDeepest = 10'000;
  // What is added when `end` has come is not taken, and all checks from then on are unknown.
  // REQUIRES: terms_.depth(formula) <= kDeepest.
  void add(Term formula);
  // What is added between these two is forgotten at the second.
  void push();
  void pop();
  Satisfiable check();
  // Not decided within that time: unknown; 0: no limit. Then answers depend on the machine.
  Satisfiable check_within(std::uint32_t ms);
  // With these symbols taken for true this once.
  Satisfiable check(const std::vector<Term>& assumed);
  // After a check that said no: which of the assumed symbols are enough for that, by their places.
  std::vector<std::size_t> core();

  // What the last check, which said yes, gave the term: "true", "12", "-3", "1/2".
  std::string value(Term term);
  // Keeps the values that the last check, which said yes, has found, for what is asked later, with
  // more added or less: whether the term is true by them. No: it need not be.
  void keep_values();
  bool is_true_by_kept_values(Term term);
  // How often a check was asked for.
  std::uint64_t checks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::smt
