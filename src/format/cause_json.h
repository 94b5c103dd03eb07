// Cycles and their causes as JSON, for all documents that have some.
#pragma once

#include <cstddef>
#include <vector>

#include "format/json/json.h"
#include "heddle/find.h"

namespace heddle {

// What is found in one program, which outlives it.
class CauseWriter {
 public:
  explicit CauseWriter(const Program& program);

  Json name_of(std::size_t functionality) const;
  Json levels(const std::vector<FunctionalityLevel>& levels) const;
  Json write(const FoundCause& cause) const;
  Json write(const FoundCycle& cycle) const;

 private:
  Json write(const FoundNode& node) const;
  static Json write(const FoundEdge& edge);

  const Program& program_;
  std::vector<std::vector<ListedStatement>> statements_;
};

}  // namespace heddle
