// Calls that take what earlier ones were answered (symbolic references, as in Hughes: QuickCheck
// testing for fun and profit, PADL 2007): a call refers to another by its id, and only to one that
// is over before it begins, whatever the interleaving.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sched/property/program.h"

namespace heddle::sched::runtime {

// The parts of a program: prefix, branches, suffix.
std::vector<std::vector<PropertyCall>*> parts_of(Program& program);
std::vector<const std::vector<PropertyCall>*> parts_of(const Program& program);

// Calls that are over before one that is added to the end of this part, the latest last.
std::vector<const PropertyCall*> calls_before_end(const Program& program, std::size_t part);

// Whether each call refers to calls that are over before, of the commands that its own takes.
bool are_references_valid(const PropertyTest& property, const Program& program);

// Leaves out calls that refer to what is not there any more, and what refers to these, and so on.
void drop_dangling(Program& program);

// No call has it yet.
std::uint32_t fresh_id(const Program& program);

// Each call's id is its place among all calls.
void renumber(Program& program);

}  // namespace heddle::sched::runtime
