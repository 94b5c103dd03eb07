#include "sched/property/enumeration.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace heddle::sched::runtime {

namespace {

// Arguments are generated from so many seeds, as those of random programs.
constexpr std::uint32_t kArgumentSeeds = 64;

using Letters = std::vector<std::size_t>;

// The ways to cut `calls` into at least two parts of falling size, none above `most`.
void add_partitions(std::uint32_t calls, std::uint32_t most, std::uint32_t parts_left,
                    std::vector<std::uint32_t>& begun,
                    std::vector<std::vector<std::uint32_t>>& partitions) {
  if (calls == 0) {
    if (begun.size() >= 2) partitions.push_back(begun);
    return;
  }
  if (parts_left == 0) return;
  for (std::uint32_t part = std::min(calls, most); part > 0; --part) {
    begun.push_back(part);
    add_partitions(calls - part, part, parts_left - 1, begun, partitions);
    begun.pop_back();
  }
}

// The next row of letters, as a number is counted up; false: that was the last.
bool count_up(Letters& letters, std::size_t alphabet) {
  for (std::size_t i = letters.size(); i-- > 0;) {
    if (++letters[i] < alphabet) return true;
    letters[i] = 0;
  }
  return false;
}

// Whether branches of one size stand in order, so that each set of them comes once.
bool is_in_order(const Letters& letters, std::size_t first,
                 const std::vector<std::uint32_t>& branches) {
  auto begin = letters.begin() + static_cast<std::ptrdiff_t>(first);
  for (std::size_t i = 0; i + 1 < branches.size(); ++i) {
    const auto end = begin + branches[i];
    if (branches[i] == branches[i + 1] &&
        std::lexicographical_compare(end, end + branches[i], begin, end)) {
      return false;
    }
    begin = end;
  }
  return true;
}

}  // namespace

ProgramEnumeration::ProgramEnumeration(PropertyTest& property, std::uint32_t most_branches)
    : property_(property), most_branches_(most_branches) {
  std::set<std::string> shown;
  for (std::uint32_t command = 0; command < property.commands(); ++command) {
    for (std::uint32_t seed = 0; seed < kArgumentSeeds; ++seed) {
      const PropertyCall call{.command = command, .seed = seed};
      if (shown.insert(property.show(call)).second) alphabet_.push_back(call);
    }
  }
}

bool ProgramEnumeration::for_each(std::uint32_t calls,
                                  const std::function<bool(const Program&)>& visit) const {
  for (const Shape& shape : shapes_of(calls)) {
    if (!visit_shape(shape, visit)) return false;
  }
  return true;
}

std::vector<ProgramEnumeration::Shape> ProgramEnumeration::shapes_of(std::uint32_t calls) const {
  std::vector<Shape> shapes{{.prefix = calls, .branches = {}, .suffix = 0}};
  for (std::uint32_t prefix = 0; prefix + 2 <= calls; ++prefix) {
    for (std::uint32_t suffix = 0; prefix + suffix + 2 <= calls; ++suffix) {
      const std::uint32_t middle = calls - prefix - suffix;
      std::vector<std::uint32_t> begun;
      std::vector<std::vector<std::uint32_t>> partitions;
      add_partitions(middle, middle, most_branches_, begun, partitions);
      for (auto& branches : partitions) shapes.push_back({prefix, std::move(branches), suffix});
    }
  }
  return shapes;
}

bool ProgramEnumeration::visit_shape(const Shape& shape,
                                     const std::function<bool(const Program&)>& visit) const {
  std::size_t calls = shape.prefix + shape.suffix;
  for (const std::uint32_t branch : shape.branches) calls += branch;
  Letters letters(calls, 0);
  do {
    if (!is_in_order(letters, shape.prefix, shape.branches)) continue;
    const Program program = program_of(shape, letters);
    if (is_allowed(property_, program) && !visit(program)) return false;
  } while (count_up(letters, alphabet_.size()));
  return true;
}

Program ProgramEnumeration::program_of(const Shape& shape, const Letters& letters) const {
  Program program;
  std::size_t at = 0;
  const auto fill_part = [&](std::vector<PropertyCall>& part, std::uint32_t count) {
    for (; count > 0; --count) part.push_back(alphabet_[letters[at++]]);
  };
  fill_part(program.prefix, shape.prefix);
  for (const std::uint32_t branch : shape.branches)
    fill_part(program.branches.emplace_back(), branch);
  fill_part(program.suffix, shape.suffix);
  return program;
}

}  // namespace heddle::sched::runtime
