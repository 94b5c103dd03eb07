// Which statements of two functionalities may depend on each other, by tables and columns alone:
// found when somebody asks, since those of all pairs fill the memory where a program has a thousand
// functionalities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "find/terms/unfold.h"
#include "heddle/find.h"

namespace heddle::find {

// A dependency that two statements may have.
struct Conflict {
  DependencyKind kind = DependencyKind::wr;
  std::size_t from = 0;  // statement of the one functionality
  std::size_t to = 0;    // of the other
  std::size_t from_source = 0;
  std::size_t to_source = 0;
  std::vector<std::string> columns;  // that both touch, sorted; empty: the row itself
  // What reads is an inner query of a statement that changes rows: it has read before that waits.
  bool reads_inside = false;
  // The reader leaves rows out that the other one has locked.
  bool by_lock = false;

  OperationPart from_part() const {
    return kind == DependencyKind::rw ? OperationPart::read : OperationPart::write;
  }
  OperationPart to_part() const {
    return kind == DependencyKind::wr ? OperationPart::read : OperationPart::write;
  }
  bool begins_inside() const { return kind == DependencyKind::rw && reads_inside; }
  bool ends_inside() const { return kind == DependencyKind::wr && reads_inside; }
};

// Whether the one ends at the operation at which the other one begins.
inline bool meet_in_one_operation(const Conflict& in, const Conflict& out) {
  return in.to == out.from && in.to_part() == out.from_part() &&
         in.ends_inside() == out.begins_inside();
}

// Which conflicts of two statements of which nobody knows what they do, and which may use any
// table, are listed.
enum class AmongUnknown : std::uint8_t {
  every_table,
  // One of each kind, of the first table that has it: those of the others are possible if it is,
  // where nothing is known of single tables.
  first_table,
};

// What is said in place of a table of those that stand for all.
inline constexpr std::string_view kAnyTable = "any table";

struct ConflictSearch {
  AmongUnknown among_unknown = AmongUnknown::every_table;
  // Asked before each two statements, with how many conflicts were found; may be empty.
  std::function<bool(std::size_t)> goes_on;
};

// Appends those from the first functionality's statements to the second's. False: it did not go on
// to the end.
bool find_conflicts(const std::vector<FormedStatement>& from,
                    const std::vector<FormedStatement>& to, const ConflictSearch& search,
                    std::vector<Conflict>& conflicts);

// From a functionality to another one or to itself.
struct ConflictList {
  std::vector<Conflict> all;
  // All that there are; false: there are more than kMostConflicts, or `is_late` said to stop.
  bool is_complete = true;
};

class ConflictTable {
 public:
  // More of one functionality to another are not listed.
  static constexpr std::size_t kMostConflicts = 250'000;
  // So many are kept for who asks again.
  static constexpr std::size_t kMostKept = 1'000'000;

  // Of each functionality its statements, which outlive the table.
  ConflictTable(std::vector<const std::vector<FormedStatement>*> functionalities,
                AmongUnknown among_unknown);

  std::size_t size() const { return statements_.size(); }
  // Whether a conflict of these stands for those of all tables.
  bool stands_for_all(const StatementForm& from, const StatementForm& to) const {
    return among_unknown_ == AmongUnknown::first_table && from.is_unknown && to.is_unknown;
  }
  // How the conflict of two statements is told: on which table, and which columns of it.
  std::string table_of(const StatementForm& from, const StatementForm& to,
                       const Conflict& conflict) const;
  std::vector<std::string> columns_of(const StatementForm& from, const StatementForm& to,
                                      const Conflict& conflict) const;
  // Whether one uses a table that the other writes: false, and there is no conflict in either
  // direction.
  bool may_conflict(std::size_t from, std::size_t to) const;
  // Any thread. `is_late`: asked now and then.
  std::shared_ptr<const ConflictList> between(std::size_t from, std::size_t to,
                                              const std::function<bool()>& is_late) const;

 private:
  // The numbers of tables, as bits.
  using TableSet = std::vector<std::uint64_t>;

  std::vector<const std::vector<FormedStatement>*> statements_;
  AmongUnknown among_unknown_;
  std::vector<TableSet> used_;     // by functionality
  std::vector<TableSet> written_;  // by functionality
  mutable std::mutex mutex_;       // guards what follows
  mutable std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<const ConflictList>> kept_;
  mutable std::size_t kept_conflicts_ = 0;
};

}  // namespace heddle::find
