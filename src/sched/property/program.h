// A program of commands: a prefix, branches that run at once, a suffix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/sched_property.h"
#include "sched/strategy/random_numbers.h"

namespace heddle::sched::runtime {

using entry::PropertyCall;
using entry::PropertyTest;

struct Program {
  std::vector<PropertyCall> prefix;
  std::vector<std::vector<PropertyCall>> branches;
  std::vector<PropertyCall> suffix;

  std::size_t size() const;
  // All calls: those of the prefix, of one branch after the other, of the suffix.
  std::vector<PropertyCall> calls() const;
};

// Whether each call is allowed, whatever order the branches come in.
bool is_allowed(PropertyTest& property, const Program& program);

// A program of at most that size whose calls are allowed.
Program generate_program(PropertyTest& property, const ProgramSize& most, RandomNumbers& random);

// "add(3)", "a = open()" where others take its answer, "close(a)": all calls.
std::vector<std::string> show_calls(const PropertyTest& property, const Program& program);

// "first: add(3), get()", a line for each part that has calls.
std::string show_program(const PropertyTest& property, const Program& program);

// A program as numbers for a token, and back. False: the numbers are none of this property.
void put_program(Program program, std::vector<std::uint64_t>& numbers);
bool take_program(const PropertyTest& property, const std::vector<std::uint64_t>& numbers,
                  Program& program);

}  // namespace heddle::sched::runtime
