/// Strong indices: a StepId cannot be passed where a SessionId is meant.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace heddle {

/// An index into the list of things named by Tag, counted from 0.
template <class Tag>
struct Id {
  std::uint32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

  constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using SessionId = Id<struct SessionTag>;          ///< into Scenario::sessions
using StepId = Id<struct StepTag>;                ///< into Scenario::steps
using TransactionId = Id<struct TransactionTag>;  ///< into History::transactions
using OperationId = Id<struct OperationTag>;      ///< into History::operations
using VersionId = Id<struct VersionTag>;          ///< into History::versions
using RowId = Id<struct RowTag>;                  ///< into History::rows

}  // namespace heddle

template <class Tag>
struct std::hash<heddle::Id<Tag>> {
  std::size_t operator()(const heddle::Id<Tag>& id) const noexcept { return id.value; }
};
