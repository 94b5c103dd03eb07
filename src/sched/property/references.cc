#include "sched/property/references.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::sched::runtime {

namespace {

// Goes through all calls, each with the ids and commands of those that are over before it.
// `visit` answers whether the call stays in what later ones may refer to.
using Known = std::map<std::uint32_t, std::uint32_t>;

template <class AnyProgram, class Visit>
void visit_in_order(AnyProgram& program, const Visit& visit) {
  const auto parts = parts_of(program);
  Known before;
  Known all;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const bool is_branch = part > 0 && part + 1 < parts.size();
    Known known = is_branch ? before : all;
    for (auto& call : *parts[part]) {
      if (!visit(call, known)) continue;
      known.emplace(call.id, call.command);
      all.emplace(call.id, call.command);
    }
    if (part == 0) before = all;
  }
}

bool are_known(const PropertyCall& call, const Known& known) {
  return std::all_of(call.earlier.begin(), call.earlier.end(),
                     [&](std::uint32_t id) { return known.contains(id); });
}

}  // namespace

std::vector<std::vector<PropertyCall>*> parts_of(Program& program) {
  std::vector<std::vector<PropertyCall>*> parts{&program.prefix};
  for (auto& branch : program.branches) parts.push_back(&branch);
  parts.push_back(&program.suffix);
  return parts;
}

std::vector<const std::vector<PropertyCall>*> parts_of(const Program& program) {
  std::vector<const std::vector<PropertyCall>*> parts{&program.prefix};
  for (const auto& branch : program.branches) parts.push_back(&branch);
  parts.push_back(&program.suffix);
  return parts;
}

std::vector<const PropertyCall*> calls_before_end(const Program& program, std::size_t part) {
  const auto parts = parts_of(program);
  const bool is_suffix = part + 1 == parts.size();
  std::vector<const PropertyCall*> calls;
  for (std::size_t i = 0; i <= part; ++i) {
    if (i != 0 && i != part && !is_suffix) continue;
    for (const PropertyCall& call : *parts[i]) calls.push_back(&call);
  }
  return calls;
}

bool are_references_valid(const PropertyTest& property, const Program& program) {
  bool are_valid = true;
  visit_in_order(program, [&](const PropertyCall& call, const Known& known) {
    const std::vector<std::uint32_t> taken = property.takes(call.command);
    are_valid = are_valid && taken.size() == call.earlier.size() && are_known(call, known) &&
                !known.contains(call.id);
    for (std::size_t i = 0; are_valid && i < taken.size(); ++i) {
      are_valid = known.at(call.earlier[i]) == taken[i];
    }
    return true;
  });
  return are_valid;
}

void drop_dangling(Program& program) {
  std::set<std::uint32_t> dangling;
  visit_in_order(program, [&](const PropertyCall& call, const Known& known) {
    if (are_known(call, known)) return true;
    dangling.insert(call.id);
    return false;
  });
  if (dangling.empty()) return;
  for (auto* part : parts_of(program)) {
    std::erase_if(*part, [&](const PropertyCall& call) { return dangling.contains(call.id); });
  }
}

std::uint32_t fresh_id(const Program& program) {
  std::uint32_t fresh = 0;
  for (const auto* part : parts_of(program)) {
    for (const PropertyCall& call : *part) fresh = std::max(fresh, call.id + 1);
  }
  return fresh;
}

void renumber(Program& program) {
  std::map<std::uint32_t, std::uint32_t> places;
  std::uint32_t place = 0;
  for (const auto* part : parts_of(program)) {
    for (const PropertyCall& call : *part) places.emplace(call.id, place++);
  }
  for (auto* part : parts_of(program)) {
    for (PropertyCall& call : *part) {
      call.id = places.at(call.id);
      for (std::uint32_t& earlier : call.earlier) earlier = places.at(earlier);
    }
  }
}

}  // namespace heddle::sched::runtime
