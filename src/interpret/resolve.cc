// Which of several functions of one name is meant: PostgreSQL's manual, "Type Conversion",
// sections "Operators", "Functions" and "UNION, CASE, and Related Constructs".
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "interpret/analyze.h"

namespace heddle::interpreter {

namespace {

using Candidates = std::vector<const Function*>;
using Types = std::vector<Type>;

// Names that mean more of texts alone than our table has: regular expressions.
constexpr std::array<std::string_view, 2> kIncomplete = {"substring", "~"};

bool is_symbolic(std::string_view name) {
  return name.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
}

bool is_unknown(const Type& type) { return type.base == Base::unknown && !type.is_array; }

bool fits(const Function& function, const Types& types) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!converts_silently(types[i], type_of(function.parameters[i]))) return false;
  }
  return true;
}

bool is_exact(const Function& function, const Types& types) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!(types[i] == type_of(function.parameters[i]))) return false;
  }
  return true;
}

// Keeps those that have most of what is counted.
template <class Count>
void keep_best(Candidates& candidates, Count count) {
  std::size_t most = 0;
  for (const Function* candidate : candidates) most = std::max(most, count(*candidate));
  std::erase_if(candidates, [&](const Function* candidate) { return count(*candidate) < most; });
}

std::size_t count_exact(const Function& function, const Types& types) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!is_unknown(types[i]) && types[i] == type_of(function.parameters[i])) ++count;
  }
  return count;
}

std::size_t count_preferred(const Function& function, const Types& types) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (is_unknown(types[i])) continue;
    const Type parameter = type_of(function.parameters[i]);
    const bool preferred =
        is_preferred(parameter) && category_of(parameter) == category_of(types[i]);
    if (preferred || types[i] == parameter) ++count;
  }
  return count;
}

// What the remaining candidates take at the place of an unknown; false: they do not agree.
bool narrow_by_category(Candidates& candidates, std::size_t place) {
  const auto category = [place](const Function* function) {
    return category_of(type_of(function->parameters[place]));
  };
  const bool any_text = std::ranges::any_of(
      candidates, [&](const Function* f) { return category(f) == Category::text; });
  const Category chosen = any_text ? Category::text : category(candidates.front());
  const bool agree =
      std::ranges::all_of(candidates, [&](const Function* f) { return category(f) == chosen; });
  if (!agree && !any_text) return false;
  std::erase_if(candidates, [&](const Function* f) { return category(f) != chosen; });
  const auto takes_preferred = [&](const Function* f) {
    return is_preferred(type_of(f->parameters[place]));
  };
  if (std::ranges::any_of(candidates, takes_preferred)) {
    std::erase_if(candidates, [&](const Function* f) { return !takes_preferred(f); });
  }
  return true;
}

// The last resort: unknowns are of the one type that the others have.
const Function* assume_same(const Candidates& candidates, Types types) {
  const auto known = std::ranges::find_if(types, [](const Type& t) { return !is_unknown(t); });
  if (known == types.end()) return nullptr;
  const Type& one = *known;
  for (Type& type : types) {
    if (is_unknown(type)) type = one;
    if (!(type == one)) return nullptr;
  }
  const Function* found = nullptr;
  for (const Function* candidate : candidates) {
    if (!fits(*candidate, types)) continue;
    if (found != nullptr) return nullptr;
    found = candidate;
  }
  return found;
}

const Function* choose(Candidates candidates, const Types& types) {
  keep_best(candidates, [&](const Function& f) { return count_exact(f, types); });
  if (candidates.size() == 1) return candidates.front();
  keep_best(candidates, [&](const Function& f) { return count_preferred(f, types); });
  if (candidates.size() == 1) return candidates.front();
  Candidates narrowed = candidates;
  bool agree = true;
  for (std::size_t i = 0; i < types.size() && agree && !narrowed.empty(); ++i) {
    if (is_unknown(types[i])) agree = narrow_by_category(narrowed, i);
  }
  if (agree && narrowed.size() == 1) return narrowed.front();
  return assume_same(candidates, types);
}

std::string signature(std::string_view name, const Types& types) {
  std::vector<std::string> names;
  for (const Type& type : types) names.push_back(type_name(type));
  const bool is_operator = is_symbolic(name) && !names.empty();
  if (is_operator && names.size() == 2) return fmt::format("{} {} {}", names[0], name, names[1]);
  return is_operator ? fmt::format("{} {}", name, names[0])
                     : fmt::format("{}({})", name, join(names, ", "));
}

// Of other types than these PostgreSQL has functions that our table does not have.
bool is_plain(const Type& type) {
  const Category category = category_of(type);
  return category == Category::boolean || category == Category::number ||
         category == Category::text || category == Category::unknown ||
         (category == Category::time && type.base != Base::time);
}

bool is_text_or_unknown(const Type& type) {
  const Category category = category_of(type);
  return category == Category::text || category == Category::unknown;
}

// Whether our table has all functions of that name that could take these.
bool is_complete(std::string_view name, const Types& types) {
  const bool lacks_some = std::ranges::find(kIncomplete, name) != kIncomplete.end();
  return std::ranges::all_of(types, is_plain) &&
         !(lacks_some && std::ranges::all_of(types, is_text_or_unknown));
}

}  // namespace

const Function* resolve_function(std::string_view name, const std::vector<Node>& operands,
                                 Errors& errors) {
  Types types;
  for (const Node& operand : operands) types.push_back(operand.type);
  Candidates candidates = functions_of(name);
  const bool is_ours = !candidates.empty() && is_complete(name, types);
  std::erase_if(candidates,
                [&](const Function* f) { return f->parameters.size() != types.size(); });
  Types same = types;
  if (types.size() == 2 && is_unknown(types[0]) != is_unknown(types[1])) {
    (is_unknown(types[0]) ? same[0] : same[1]) = is_unknown(types[0]) ? types[1] : types[0];
  }
  const bool is_binary_operator = types.size() == 2 && is_symbolic(name);
  for (const Function* candidate : candidates) {
    if (is_exact(*candidate, is_binary_operator ? same : types)) return candidate;
  }
  std::erase_if(candidates, [&](const Function* f) { return !fits(*f, types); });
  if (candidates.empty()) {
    if (is_ours) {
      errors.raise("42883", "operator does not exist: " + signature(name, types));
    }
    return nullptr;
  }
  const Function* chosen = choose(candidates, types);
  if (chosen == nullptr) {
    errors.raise("42725", "operator is not unique: " + signature(name, types));
  }
  return chosen;
}

Type common_type(const std::vector<Node>& operands, std::string_view what, Errors& errors) {
  Type result;
  for (const Node& operand : operands) {
    const Type& next = operand.type;
    if (is_unknown(next)) continue;
    if (is_unknown(result)) {
      result = next;
    } else if (category_of(result) != category_of(next)) {
      errors.raise("42804", fmt::format("{} types {} and {} cannot be matched", what,
                                        type_name(result), type_name(next)));
    } else if (!is_preferred(result) && converts_silently(result, next) &&
               !converts_silently(next, result)) {
      result = next;
    }
  }
  result.precision = -1;
  result.scale = 0;
  return is_unknown(result) ? type_of(Base::text) : result;
}

}  // namespace heddle::interpreter
