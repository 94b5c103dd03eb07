// Which parts a join has, and in which order they can be asked.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "split/join_query.h"

namespace heddle::chopping {

struct OrderedPart {
  std::vector<std::size_t> sources;
  bool is_pinned = false;  // it has at most one row, given those before it
  bool is_optional = false;
};

struct PartOrder {
  std::vector<OrderedPart> parts;
  std::string reason;  // why there is none; empty: there is one
};

// Of all sources but the written one.
PartOrder order_parts(const JoinQuery& query);

// Whether the conditions name one row of the source at most, given rows of the known ones.
bool is_pinned(const JoinQuery& query, std::size_t source, const std::set<std::size_t>& known);

// The other side of `column = value`; none: it is another condition.
std::optional<Expression> value_of_column(const Expression& conjunct, std::size_t source,
                                          const std::string& column);

}  // namespace heddle::chopping
