// Labels of the program that some execution got to.
#pragma once

#include <string>
#include <vector>

namespace heddle::sched::runtime {

void note_reached(const char* label);
void forget_reached();

// Those of `wanted` that no execution got to since they were forgotten.
std::vector<std::string> not_reached(const std::vector<std::string>& wanted);

}  // namespace heddle::sched::runtime
