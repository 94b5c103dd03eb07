// Whole rows of calls are left out before single ones (Zeller and Hildebrandt: Simplifying and
// isolating failure-inducing input, TSE 2002), and these before calls change their place.
#include "sched/property/simpler.h"

#include <algorithm>
#include <cstddef>

namespace heddle::sched::runtime {

namespace {

using Calls = std::vector<PropertyCall>;
using Visit = std::function<bool(const Program&)>;

// The parts of a program: prefix, branches, suffix.
std::vector<Calls*> parts_of(Program& program) {
  std::vector<Calls*> parts{&program.prefix};
  for (Calls& branch : program.branches) parts.push_back(&branch);
  parts.push_back(&program.suffix);
  return parts;
}

// Offers a program that differs by one change; true: it was taken.
template <class Change>
bool offer(const Program& program, const Visit& visit, Change change) {
  Program simpler = program;
  change(simpler);
  std::erase_if(simpler.branches, [](const Calls& branch) { return branch.empty(); });
  return visit(simpler);
}

bool offer_without_branches(const Program& program, const Visit& visit) {
  for (std::size_t b = 0; b < program.branches.size(); ++b) {
    if (offer(program, visit, [b](Program& p) { p.branches[b].clear(); })) return true;
  }
  return false;
}

bool offer_without_calls(Program program, const Visit& visit) {
  const std::size_t parts = program.branches.size() + 2;
  std::size_t longest = 1;
  for (const Calls* part : parts_of(program)) longest = std::max(longest, part->size());
  for (std::size_t row = longest; row > 0; row /= 2) {
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t size = parts_of(program)[part]->size();
      for (std::size_t first = 0; first < size; first += row) {
        const std::size_t last = std::min(first + row, size);
        const auto leave_out = [&](Program& p) {
          Calls& calls = *parts_of(p)[part];
          calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(first),
                      calls.begin() + static_cast<std::ptrdiff_t>(last));
        };
        if (offer(program, visit, leave_out)) return true;
      }
    }
  }
  return false;
}

// A call at the border of a branch need not run beside others.
bool offer_less_at_once(const Program& program, const Visit& visit) {
  for (std::size_t b = 0; b < program.branches.size(); ++b) {
    const auto before = [b](Program& p) {
      p.prefix.push_back(p.branches[b].front());
      p.branches[b].erase(p.branches[b].begin());
    };
    const auto behind = [b](Program& p) {
      p.suffix.insert(p.suffix.begin(), p.branches[b].back());
      p.branches[b].pop_back();
    };
    if (offer(program, visit, before) || offer(program, visit, behind)) return true;
  }
  return false;
}

bool offer_simpler_arguments(const PropertyTest& property, Program program, const Visit& visit) {
  const std::size_t parts = program.branches.size() + 2;
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t i = 0; i < parts_of(program)[part]->size(); ++i) {
      if (!property.can_be_simpler((*parts_of(program)[part])[i])) continue;
      if (offer(program, visit, [&](Program& p) { ++(*parts_of(p)[part])[i].simpler; })) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool visit_simpler(const PropertyTest& property, const Program& program, const Visit& visit) {
  return offer_without_branches(program, visit) || offer_without_calls(program, visit) ||
         offer_less_at_once(program, visit) || offer_simpler_arguments(property, program, visit);
}

}  // namespace heddle::sched::runtime
