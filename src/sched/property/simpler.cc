// Whole rows of calls are left out before single ones (Zeller and Hildebrandt: Simplifying and
// isolating failure-inducing input, TSE 2002), and these before calls change their place.
#include "sched/property/simpler.h"

#include <algorithm>
#include <cstddef>

#include "sched/property/references.h"

namespace heddle::sched::runtime {

namespace {

using Calls = std::vector<PropertyCall>;
using Visit = std::function<bool(const Program&)>;

// Offers a program that differs by one change; true: it was taken.
template <class Change>
bool offer(const Program& program, const Visit& visit, Change change) {
  Program simpler = program;
  change(simpler);
  drop_dangling(simpler);
  std::erase_if(simpler.branches, [](const Calls& branch) { return branch.empty(); });
  return visit(simpler);
}

std::uint32_t command_of(const Calls& calls, std::uint32_t id) {
  const auto found = std::find_if(calls.begin(), calls.end(),
                                  [id](const PropertyCall& call) { return call.id == id; });
  return found->command;
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
    const Calls calls = *parts_of(program)[part];
    for (std::size_t i = 0; i < calls.size(); ++i) {
      for (const std::uint32_t way : property.simpler(calls[i])) {
        const auto change = [&](Program& p) { (*parts_of(p)[part])[i].simpler.push_back(way); };
        if (offer(program, visit, change)) return true;
      }
    }
  }
  return false;
}

// A call may take the answer of an earlier one of the same command as well, so that there are fewer
// whose answers are taken.
bool offer_earlier_answers(Program program, const Visit& visit) {
  const std::vector<PropertyCall> all = program.calls();
  const std::size_t parts = program.branches.size() + 2;
  for (std::size_t part = 0; part < parts; ++part) {
    const Calls calls = *parts_of(program)[part];
    for (std::size_t i = 0; i < calls.size(); ++i) {
      for (std::size_t k = 0; k < calls[i].earlier.size(); ++k) {
        for (const PropertyCall& other : all) {
          if (other.id == calls[i].earlier[k]) break;
          if (other.command != command_of(all, calls[i].earlier[k])) continue;
          const auto change = [&](Program& p) { (*parts_of(p)[part])[i].earlier[k] = other.id; };
          if (offer(program, visit, change)) return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

bool visit_simpler(const PropertyTest& property, const Program& program, const Visit& visit) {
  return offer_without_branches(program, visit) || offer_without_calls(program, visit) ||
         offer_less_at_once(program, visit) || offer_earlier_answers(program, visit) ||
         offer_simpler_arguments(property, program, visit);
}

}  // namespace heddle::sched::runtime
