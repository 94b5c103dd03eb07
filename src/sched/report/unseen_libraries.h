// Shared libraries whose code does not tell of what it does.
#pragma once

#include <string>
#include <vector>

namespace heddle::sched::runtime {

// What makes threads or locks of its own and was compiled without the flag, of what this process
// has loaded: by the names of files, without their folders. The C and C++ libraries are not among
// them: what they do is known.
std::vector<std::string> unseen_libraries();

// What a report says of them, in a line; empty: there are none.
std::string describe_unseen(const std::vector<std::string>& names);

}  // namespace heddle::sched::runtime
