#include "race/turns/known_units.h"

#include <algorithm>

#include "base/text.h"

namespace heddle {

std::vector<std::string> unit_values(const HeldUnit& unit) {
  std::vector<std::string> values;
  const std::string& text = *unit.text;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '_')) {
      ++end;
    }
    if (end > i) values.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  for (const postgres::WireParameter& each : unit.parameters) {
    values.push_back(each.value.value_or("NULL"));
  }
  return values;
}

void KnownUnits::add(const UnitShape& shape, const std::vector<std::string>& values) {
  Places& places = places_[shape];
  if (places.size() < values.size()) places.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) places[i].insert(values[i]);
}

bool KnownUnits::has(const UnitShape& shape, std::size_t place, const std::string& value) const {
  const auto found = places_.find(shape);
  return found != places_.end() && place < found->second.size() &&
         found->second[place].contains(value);
}

// A place at which the two have sent one value in common tells nothing: what each sends there may
// depend on what it finds.
bool KnownUnits::are_told_apart(const PerParty<KnownUnits>& known, const UnitShape& shape,
                                std::size_t place) {
  const auto found = known[Party::first].places_.find(shape);
  if (found == known[Party::first].places_.end() || place >= found->second.size()) return false;
  return std::ranges::none_of(found->second[place], [&](const std::string& value) {
    return known[Party::second].has(shape, place, value);
  });
}

std::optional<Party> KnownUnits::party_by_values(const PerParty<KnownUnits>& known,
                                                 const UnitShape& shape,
                                                 const std::vector<std::string>& values) {
  PerParty<bool> speaks_for;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!are_told_apart(known, shape, i)) continue;
    for (const Party party : kParties) {
      if (known[party].has(shape, i, values[i])) speaks_for[party] = true;
    }
  }
  if (speaks_for[Party::first] == speaks_for[Party::second]) return std::nullopt;
  return speaks_for[Party::first] ? Party::first : Party::second;
}

}  // namespace heddle
