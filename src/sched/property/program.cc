#include "sched/property/program.h"

#include <algorithm>
#include <set>
#include <utility>

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

PropertyCall random_call(const PropertyTest& property, RandomNumbers& random) {
  // A token holds the seed: few numbers are enough to make arguments meet.
  constexpr std::uint32_t kSeeds = 64;
  return {.command = random.below(property.commands()), .seed = random.below(kSeeds)};
}

// Adds up to `most` calls to one part of the program, each where the whole stays allowed.
void fill(PropertyTest& property, Program& program, std::vector<PropertyCall>& part,
          std::uint32_t most, RandomNumbers& random) {
  constexpr int kTries = 8;
  for (std::uint32_t i = up_to(random, most); i > 0; --i) {
    for (int tries = 0; tries < kTries; ++tries) {
      part.push_back(random_call(property, random));
      if (is_allowed(property, program)) break;
      part.pop_back();
    }
  }
}

void show_part(const PropertyTest& property, const std::string& name,
               const std::vector<PropertyCall>& calls, std::string& text) {
  if (calls.empty()) return;
  text += name + ":";
  for (std::size_t i = 0; i < calls.size(); ++i) {
    text += (i == 0 ? " " : ", ") + property.show(calls[i]);
  }
  text += "\n";
}

void put_part(const std::vector<PropertyCall>& calls, std::vector<std::uint64_t>& numbers) {
  numbers.push_back(calls.size());
  for (const PropertyCall& call : calls) {
    numbers.push_back(call.command);
    numbers.push_back(call.seed);
    numbers.push_back(call.simpler);
  }
}

bool take_part(const PropertyTest& property, const std::vector<std::uint64_t>& numbers,
               std::size_t& at, std::vector<PropertyCall>& calls) {
  if (at >= numbers.size()) return false;
  const std::uint64_t count = numbers[at++];
  if (count > (numbers.size() - at) / 3) return false;
  for (std::uint64_t i = 0; i < count; ++i, at += 3) {
    if (numbers[at] >= property.commands()) return false;
    calls.push_back({.command = static_cast<std::uint32_t>(numbers[at]),
                     .seed = static_cast<std::uint32_t>(numbers[at + 1]),
                     .simpler = static_cast<std::uint32_t>(numbers[at + 2])});
  }
  return true;
}

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
  Models models{property.first_model()};
  return go_through(property, program.prefix, models) &&
         go_through_branches(property, program, models) &&
         go_through(property, program.suffix, models);
}

Program generate_program(PropertyTest& property, const ProgramSize& most, RandomNumbers& random) {
  Program program;
  fill(property, program, program.prefix, most.prefix, random);
  const std::uint32_t branches =
      most.branches < 2 ? most.branches : 2 + up_to(random, most.branches - 2);
  program.branches.resize(branches);
  for (auto& branch : program.branches) fill(property, program, branch, most.branch, random);
  std::erase_if(program.branches, [](const auto& branch) { return branch.empty(); });
  fill(property, program, program.suffix, most.suffix, random);
  return program;
}

std::string show_program(const PropertyTest& property, const Program& program) {
  std::string text;
  show_part(property, "first", program.prefix, text);
  for (std::size_t b = 0; b < program.branches.size(); ++b) {
    show_part(property, "thread " + std::to_string(b + 1), program.branches[b], text);
  }
  show_part(property, "last", program.suffix, text);
  return text;
}

void put_program(const Program& program, std::vector<std::uint64_t>& numbers) {
  put_part(program.prefix, numbers);
  numbers.push_back(program.branches.size());
  for (const auto& branch : program.branches) put_part(branch, numbers);
  put_part(program.suffix, numbers);
}

bool take_program(const PropertyTest& property, const std::vector<std::uint64_t>& numbers,
                  Program& program) {
  std::size_t at = 0;
  if (!take_part(property, numbers, at, program.prefix) || at >= numbers.size()) return false;
  const std::uint64_t branches = numbers[at++];
  if (branches > numbers.size() - at) return false;
  program.branches.resize(branches);
  for (auto& branch : program.branches) {
    if (!take_part(property, numbers, at, branch)) return false;
  }
  return take_part(property, numbers, at, program.suffix) && at == numbers.size();
}

}  // namespace heddle::sched::runtime
