#include "sched/property/enumeration.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "sched/property/references.h"

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
  for (std::uint32_t command = 0; command < property.commands(); ++command) {
    std::set<std::string> shown;
    for (std::uint32_t seed = 0; seed < kArgumentSeeds; ++seed) {
      const PropertyCall call{.command = command, .seed = seed};
      if (shown.insert(property.show(call, {})).second) arguments_.push_back(call);
    }
  }
}

bool ProgramEnumeration::for_each(std::uint32_t calls,
                                  const std::function<bool(const Program&)>& visit) const {
  const Alphabet alphabet = alphabet_of(calls);
  for (const Shape& shape : shapes_of(calls)) {
    if (!visit_shape(shape, alphabet, visit)) return false;
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

ProgramEnumeration::Alphabet ProgramEnumeration::alphabet_of(std::uint32_t calls) const {
  Alphabet alphabet;
  for (const PropertyCall& argument : arguments_) {
    PropertyCall letter = argument;
    letter.earlier.assign(property_.takes(argument.command).size(), 0);
    for (;;) {
      alphabet.push_back(letter);
      const auto more = std::find_if(letter.earlier.begin(), letter.earlier.end(),
                                     [&](std::uint32_t back) { return back + 2 < calls; });
      if (more == letter.earlier.end()) break;
      std::fill(letter.earlier.begin(), more, 0);
      ++*more;
    }
  }
  return alphabet;
}

bool ProgramEnumeration::visit_shape(const Shape& shape, const Alphabet& alphabet,
                                     const std::function<bool(const Program&)>& visit) const {
  std::size_t calls = shape.prefix + shape.suffix;
  for (const std::uint32_t branch : shape.branches) calls += branch;
  Letters letters(calls, 0);
  do {
    if (!is_in_order(letters, shape.prefix, shape.branches)) continue;
    const std::optional<Program> program = program_of(shape, alphabet, letters);
    if (program && is_allowed(property_, *program) && !visit(*program)) return false;
  } while (count_up(letters, alphabet.size()));
  return true;
}

std::optional<Program> ProgramEnumeration::program_of(const Shape& shape, const Alphabet& alphabet,
                                                      const Letters& letters) const {
  Program program;
  std::size_t at = 0;
  const auto fill_part = [&](std::size_t part, std::uint32_t count) {
    for (; count > 0; --count) {
      if (!add_call(program, part, alphabet[letters[at++]])) return false;
    }
    return true;
  };
  if (!fill_part(0, shape.prefix)) return std::nullopt;
  for (const std::uint32_t branch : shape.branches) {
    program.branches.emplace_back();
    if (!fill_part(program.branches.size(), branch)) return std::nullopt;
  }
  if (!fill_part(program.branches.size() + 1, shape.suffix)) return std::nullopt;
  return program;
}

bool ProgramEnumeration::add_call(Program& program, std::size_t part, PropertyCall letter) const {
  letter.id = static_cast<std::uint32_t>(program.size());
  if (!letter.earlier.empty()) {
    const std::vector<std::uint32_t> taken = property_.takes(letter.command);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      std::vector<const PropertyCall*> before = calls_before_end(program, part);
      std::erase_if(before, [&](const PropertyCall* one) { return one->command != taken[i]; });
      if (letter.earlier[i] >= before.size()) return false;
      letter.earlier[i] = before[before.size() - 1 - letter.earlier[i]]->id;
    }
  }
  parts_of(program)[part]->push_back(std::move(letter));
  return true;
}

}  // namespace heddle::sched::runtime
