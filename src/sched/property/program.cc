#include "sched/property/program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "sched/property/references.h"

namespace heddle::sched::runtime {

namespace {

// Models that a program may be in, by their numbers.
using Models = std::set<std::uint32_t>;

// False: some call is not allowed in some of them.
bool go_through(PropertyTest& property, const std::vector<PropertyCall>& calls, Models& models) {
  for (const PropertyCall& call : calls) {
    Models after;
    for (const std::uint32_t model : models) {
      if (!property.is_allowed(model, call)) return false;
      after.insert(property.next_model(model, call));
    }
    models = std::move(after);
  }
  return true;
}

// How far each branch has come, and the model that this order of calls leads to.
using Progress = std::pair<std::vector<std::size_t>, std::uint32_t>;

bool go_through_branches(PropertyTest& property, const Program& program, Models& models) {
  std::set<Progress> met;
  std::vector<Progress> open;
  for (const std::uint32_t model : models) {
    open.emplace_back(std::vector<std::size_t>(program.branches.size(), 0), model);
  }
  Models ends;
  while (!open.empty()) {
    const Progress progress = std::move(open.back());
    open.pop_back();
    if (!met.insert(progress).second) continue;
    bool is_end = true;
    for (std::size_t i = 0; i < program.branches.size(); ++i) {
      if (progress.first[i] == program.branches[i].size()) continue;
      is_end = false;
      const PropertyCall& call = program.branches[i][progress.first[i]];
      if (!property.is_allowed(progress.second, call)) return false;
      Progress next = progress;
      ++next.first[i];
      next.second = property.next_model(progress.second, call);
      open.push_back(std::move(next));
    }
    if (is_end) ends.insert(progress.second);
  }
  models = std::move(ends);
  return true;
}

std::uint32_t up_to(RandomNumbers& random, std::uint32_t most) { return random.below(most + 1); }

// A call at the end of this part; none: the command takes an answer that nobody has given before.
std::optional<PropertyCall> random_call(const PropertyTest& property, const Program& program,
                                        std::size_t part, RandomNumbers& random) {
  // A token holds the seed: few numbers are enough to make arguments meet.
  constexpr std::uint32_t kSeeds = 64;
  PropertyCall call{.id = fresh_id(program), .command = random.below(property.commands())};
  call.seed = random.below(kSeeds);
  for (const std::uint32_t taken : property.takes(call.command)) {
    std::vector<const PropertyCall*> before = calls_before_end(program, part);
    std::erase_if(before, [&](const PropertyCall* one) { return one->command != taken; });
    if (before.empty()) return std::nullopt;
    call.earlier.push_back(before[random.below(static_cast<std::uint32_t>(before.size()))]->id);
  }
  return call;
}

// Adds up to `most` calls to one part of the program, each where the whole stays allowed.
void fill(PropertyTest& property, Program& program, std::size_t number, std::uint32_t most,
          RandomNumbers& random) {
  constexpr int kTries = 8;
  std::vector<PropertyCall>& part = *parts_of(program)[number];
  for (std::uint32_t i = up_to(random, most); i > 0; --i) {
    for (int tries = 0; tries < kTries; ++tries) {
      std::optional<PropertyCall> call = random_call(property, program, number, random);
      if (!call) continue;
      part.push_back(std::move(*call));
      if (is_allowed(property, program)) break;
      part.pop_back();
    }
  }
}

// What calls are called whose answers others take: a, b, ..., z, a1, b1, ...
std::map<std::uint32_t, std::string> names_of_answers(const Program& program) {
  std::set<std::uint32_t> taken;
  for (const auto* part : parts_of(program)) {
    for (const PropertyCall& call : *part) taken.insert(call.earlier.begin(), call.earlier.end());
  }
  std::map<std::uint32_t, std::string> names;
  for (const auto* part : parts_of(program)) {
    for (const PropertyCall& call : *part) {
      if (!taken.contains(call.id)) continue;
      constexpr std::size_t kLetters = 26;
      const std::size_t number = names.size();
      std::string name(1, static_cast<char>('a' + number % kLetters));
      if (number >= kLetters) name += std::to_string(number / kLetters);
      names.emplace(call.id, std::move(name));
    }
  }
  return names;
}

void put_part(const std::vector<PropertyCall>& calls, std::vector<std::uint64_t>& numbers) {
  numbers.push_back(calls.size());
  for (const PropertyCall& call : calls) {
    numbers.push_back(call.command);
    numbers.push_back(call.seed);
    numbers.push_back(call.simpler.size());
    numbers.insert(numbers.end(), call.simpler.begin(), call.simpler.end());
    // How many commands take how many answers is known.
    numbers.insert(numbers.end(), call.earlier.begin(), call.earlier.end());
  }
}

// Reads the numbers of a program.
class ProgramNumbers {
 public:
  explicit ProgramNumbers(const std::vector<std::uint64_t>& numbers) : numbers_(numbers) {}

  bool is_at_end() const { return at_ == numbers_.size(); }
  // False: there is none, or it is too large.
  bool take(std::uint64_t most, std::uint32_t& number) {
    if (at_ == numbers_.size() || numbers_[at_] > most) return false;
    number = static_cast<std::uint32_t>(numbers_[at_++]);
    return true;
  }
  bool take_all(std::uint64_t count, std::vector<std::uint32_t>& taken) {
    for (std::uint32_t number = 0; count > 0; --count) {
      if (!take(UINT32_MAX, number)) return false;
      taken.push_back(number);
    }
    return true;
  }
  bool take_part(const PropertyTest& property, std::vector<PropertyCall>& calls) {
    std::uint32_t count = 0;
    if (!take(numbers_.size() - at_, count)) return false;
    for (; count > 0; --count) {
      PropertyCall call{.id = calls_++};
      std::uint32_t simpler = 0;
      if (!take(property.commands() - 1, call.command) || !take(UINT32_MAX, call.seed) ||
          !take(numbers_.size(), simpler) || !take_all(simpler, call.simpler) ||
          !take_all(property.takes(call.command).size(), call.earlier)) {
        return false;
      }
      calls.push_back(std::move(call));
    }
    return true;
  }
  std::size_t left() const { return numbers_.size() - at_; }

 private:
  const std::vector<std::uint64_t>& numbers_;
  std::size_t at_ = 0;
  std::uint32_t calls_ = 0;
};

}  // namespace

std::size_t Program::size() const {
  std::size_t size = prefix.size() + suffix.size();
  for (const auto& branch : branches) size += branch.size();
  return size;
}

std::vector<PropertyCall> Program::calls() const {
  std::vector<PropertyCall> calls = prefix;
  for (const auto& branch : branches) calls.insert(calls.end(), branch.begin(), branch.end());
  calls.insert(calls.end(), suffix.begin(), suffix.end());
  return calls;
}

bool is_allowed(PropertyTest& property, const Program& program) {
  if (!property.has_conditions()) return true;
  if (!are_references_valid(property, program)) return false;
  Models models{property.first_model()};
  return go_through(property, program.prefix, models) &&
         go_through_branches(property, program, models) &&
         go_through(property, program.suffix, models);
}

Program generate_program(PropertyTest& property, const ProgramSize& most, RandomNumbers& random) {
  Program program;
  fill(property, program, 0, most.prefix, random);
  const std::uint32_t branches =
      most.branches < 2 ? most.branches : 2 + up_to(random, most.branches - 2);
  program.branches.resize(branches);
  for (std::uint32_t b = 1; b <= branches; ++b) fill(property, program, b, most.branch, random);
  std::erase_if(program.branches, [](const auto& branch) { return branch.empty(); });
  fill(property, program, program.branches.size() + 1, most.suffix, random);
  return program;
}

std::vector<std::string> show_calls(const PropertyTest& property, const Program& program) {
  const std::map<std::uint32_t, std::string> names = names_of_answers(program);
  std::vector<std::string> shown;
  for (const PropertyCall& call : program.calls()) {
    std::vector<std::string> earlier;
    for (const std::uint32_t id : call.earlier) earlier.push_back(names.at(id));
    const auto own = names.find(call.id);
    shown.push_back((own == names.end() ? "" : own->second + " = ") + property.show(call, earlier));
  }
  return shown;
}

std::string show_program(const PropertyTest& property, const Program& program) {
  const std::vector<std::string> shown = show_calls(property, program);
  const auto parts = parts_of(program);
  std::string text;
  std::size_t place = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (parts[part]->empty()) continue;
    text += part == 0                  ? "first:"
            : part + 1 == parts.size() ? "last:"
                                       : "thread " + std::to_string(part) + ":";
    for (std::size_t i = 0; i < parts[part]->size(); ++i) {
      text += (i == 0 ? " " : ", ") + shown[place++];
    }
    text += "\n";
  }
  return text;
}

void put_program(Program program, std::vector<std::uint64_t>& numbers) {
  renumber(program);
  put_part(program.prefix, numbers);
  numbers.push_back(program.branches.size());
  for (const auto& branch : program.branches) put_part(branch, numbers);
  put_part(program.suffix, numbers);
}

bool take_program(const PropertyTest& property, const std::vector<std::uint64_t>& numbers,
                  Program& program) {
  ProgramNumbers from(numbers);
  std::uint32_t branches = 0;
  if (!from.take_part(property, program.prefix) || !from.take(from.left(), branches)) return false;
  program.branches.resize(branches);
  for (auto& branch : program.branches) {
    if (!from.take_part(property, branch)) return false;
  }
  return from.take_part(property, program.suffix) && from.is_at_end() &&
         are_references_valid(property, program);
}

}  // namespace heddle::sched::runtime
