// What each party of a pair is known to send: kinds of units, and the values that they had.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proxy/controller.h"
#include "race/turns/turn.h"

namespace heddle {

// The words of its text and its parameters, one after the other: those of two units of a shape can
// be compared place by place.
std::vector<std::string> unit_values(const HeldUnit& unit);

class KnownUnits {
 public:
  void add(const UnitShape& shape, const std::vector<std::string>& values);
  bool empty() const { return places_.empty(); }
  bool contains(const UnitShape& shape) const { return places_.contains(shape); }

  // Whose a unit is by its values alone: at some places stands what only one party has sent there,
  // and nowhere what only the other has. None: the values do not tell.
  static std::optional<Party> party_by_values(const PerParty<KnownUnits>& known,
                                              const UnitShape& shape,
                                              const std::vector<std::string>& values);

 private:
  // The values that were seen at each place.
  using Places = std::vector<std::set<std::string>>;

  static bool are_told_apart(const PerParty<KnownUnits>& known, const UnitShape& shape,
                             std::size_t place);
  bool has(const UnitShape& shape, std::size_t place, const std::string& value) const;

  std::map<UnitShape, Places> places_;
};

}  // namespace heddle
