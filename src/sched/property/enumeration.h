// All programs of so many calls, each once, as SmallCheck has all values of a depth (Runciman,
// Naylor and Lindblad: SmallCheck and Lazy SmallCheck, Haskell 2008).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sched/property/program.h"

namespace heddle::sched::runtime {

class ProgramEnumeration {
 public:
  // Programs have at most so many branches.
  ProgramEnumeration(PropertyTest& property, std::uint32_t most_branches);

  // Calls `visit` with each program of so many calls that is allowed: those with one thread first.
  // Branches that only change places make one program. False: `visit` answered false, and that was
  // the last.
  bool for_each(std::uint32_t calls, const std::function<bool(const Program&)>& visit) const;

 private:
  // How many calls each part has; branches of falling size.
  struct Shape {
    std::uint32_t prefix = 0;
    std::vector<std::uint32_t> branches;
    std::uint32_t suffix = 0;
  };

  std::vector<Shape> shapes_of(std::uint32_t calls) const;
  // Calls that look different, of programs of so many. `earlier` is how many calls of the command
  // whose answer is taken are between, counted backwards.
  using Alphabet = std::vector<PropertyCall>;
  Alphabet alphabet_of(std::uint32_t calls) const;
  bool visit_shape(const Shape& shape, const Alphabet& alphabet,
                   const std::function<bool(const Program&)>& visit) const;
  // None: an answer is taken that nobody has given before.
  std::optional<Program> program_of(const Shape& shape, const Alphabet& alphabet,
                                    const std::vector<std::size_t>& letters) const;
  bool add_call(Program& program, std::size_t part, PropertyCall letter) const;

  PropertyTest& property_;
  std::uint32_t most_branches_;
  std::vector<PropertyCall> arguments_;  // calls with different arguments, by commands
};

}  // namespace heddle::sched::runtime
