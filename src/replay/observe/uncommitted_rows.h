// The rows of a run as sessions see them that read what is not committed (MariaDB's READ
// UNCOMMITTED), and the versions that were never committed, or not as they were read.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/history.h"

namespace heddle {

class UncommittedRows {
 public:
  // The version in force of each row; rows that were deleted may have one without a value.
  using State = std::map<RowId, VersionId>;

  struct Row {
    std::string text;   // as the store takes it back
    std::string value;  // as people read it
  };
  // A step that ran, or ran on, between two states.
  struct Doing {
    TransactionId transaction;
    std::size_t record = 0;
    std::set<std::string> tables;  // that its statements write by name
    bool may_write = false;        // or others
  };

  // The rows of the next state, and what was done since the one before. A row has one writer at a
  // time who is not at its end: the first of those steps that writes its table.
  void add(std::map<RowId, Row> rows, std::vector<Doing> since);

  // Adds what was there without being committed to the history, with its writes, and its texts to
  // `texts`, which has one per version. Returns what was in force in each state. `committed`: the
  // same of what had been committed. REQUIRES: as many states as were added.
  std::vector<State> find_versions(const std::vector<State>& committed, History& history,
                                   std::vector<std::string>& texts) const;

 private:
  class Finder;

  std::vector<std::map<RowId, Row>> rows_;
  std::vector<std::vector<Doing>> since_;
};

}  // namespace heddle
