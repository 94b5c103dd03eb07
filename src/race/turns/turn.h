// Whose turn it is while two parties are made to overlap: one runs until a unit of its own is held,
// then the other does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

// The two requests of a pair, as they were recorded one after the other.
enum class Party : std::uint8_t { first, second };

inline constexpr std::array kParties = {Party::first, Party::second};
inline Party other(Party party) { return party == Party::first ? Party::second : Party::first; }
inline std::size_t index_of(Party party) { return party == Party::first ? 0 : 1; }

// What is for each party.
template <typename T>
struct PerParty {
  std::array<T, 2> each = {};

  T& operator[](Party party) { return each[index_of(party)]; }
  const T& operator[](Party party) const { return each[index_of(party)]; }
};

// A kind of unit: where it passes, and its text without values.
struct UnitShape {
  std::size_t edge = 0;
  std::string text;

  friend auto operator<=>(const UnitShape&, const UnitShape&) = default;
};

// A unit of a party: the n-th of its shape, counted from 1.
struct SwitchPoint {
  UnitShape shape;
  std::size_t occurrence = 1;

  friend bool operator==(const SwitchPoint&, const SwitchPoint&) = default;
};

// The party goes on until that unit of it has arrived, which is then held; without one, until it is
// answered and nothing of it is left.
struct Turn {
  Party party = Party::first;
  std::optional<SwitchPoint> until = {};

  friend bool operator==(const Turn&, const Turn&) = default;
};

using Turns = std::vector<Turn>;

}  // namespace heddle
