// The causes of one set of functionalities, as a cut chops these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "find/terms/search_input.h"
#include "split/search/forms.h"

namespace heddle::chopping {

// Where a run of a functionality is entered and left: two of its sub-transactions.
struct Passage {
  std::size_t functionality = 0;
  std::size_t low = 0;  // the smaller number
  std::size_t high = 0;

  bool has(const Passage& other) const {
    return functionality == other.functionality && (low == other.low || high == other.low) &&
           (low == other.high || high == other.high);
  }
  friend auto operator<=>(const Passage&, const Passage&) = default;
};

// Of each run of a functionality in the cycle. Sorted.
using Passages = std::vector<Passage>;

// The gravest kind of each cause's cycles.
using GroupCauses = std::map<Passages, AnomalyKind>;

// A cycle by its statements.
struct StatementCycle {
  struct Run {
    std::size_t functionality = 0;
    std::size_t entry = 0;  // plain numbers (Form::plain)
    std::size_t exit = 0;
  };
  std::vector<Run> runs;
  bool is_in_uncut = false;  // the program allows it as a whole
  AnomalyKind kind = AnomalyKind::serialization_cycle;
};

class GroupCauseSearch {
 public:
  // The program outlives it. `uncut`: keys of what it allows as a whole (uncut_cycles.h), which
  // does not count unless all does.
  GroupCauseSearch(const Program& program, FindOptions options, ServiceLevels levels,
                   std::set<std::string> uncut, bool counts_all);

  Forms& forms() { return *forms_; }
  // By which cuts are estimated.
  Forms& rough_forms() { return rough_ ? *rough_ : *forms_; }
  std::size_t searches() const { return searches_; }
  bool is_complete() const { return is_complete_; }
  bool is_late() const { return whole_.is_late(); }
  std::size_t max_length() const { return whole_.max_length; }
  std::size_t max_prefix() const { return whole_.max_prefix; }

  // Cycles of which borders alone decide whether the cut lets them through: those that are possible
  // where every table that may is a service of its own. Any thread.
  const std::vector<StatementCycle>& cycles(const std::vector<std::size_t>& members,
                                            const Partition& partition);
  // By these cycles and borders.
  GroupCauses estimate(const std::vector<std::size_t>& members, const Partition& partition);
  // By a search, of those cycles alone where somebody has asked for them. Any thread.
  GroupCauses search(const std::vector<std::size_t>& members, const Partition& partition);

 private:
  struct Cycles {
    std::vector<StatementCycle> all;
    std::set<std::string> keys;  // by plain numbers
    bool is_complete = false;
  };

  const Cycles* known_cycles(const std::vector<std::size_t>& members, const Partition& finest);
  find::GroupResult run(const std::vector<std::size_t>& members,
                        const std::vector<const Form*>& forms, Schema schema, const Cycles* within);
  bool passes(const StatementCycle::Run& run, const Form& form) const;
  bool is_in_uncut(const FoundCycle& cycle, const std::vector<const Form*>& forms,
                   const std::vector<std::size_t>& members) const;
  static void add(const StatementCycle& cycle, const std::vector<const Form*>& forms,
                  const std::vector<std::size_t>& members, GroupCauses& causes);

  const Program& program_;
  FindOptions options_;
  find::SearchInput whole_;
  std::set<std::string> uncut_;
  bool counts_all_;
  std::unique_ptr<Forms> forms_;
  std::unique_ptr<Forms> rough_;  // null: there are no foreign keys, so that all forms are alike
  std::mutex mutex_;
  std::map<std::pair<std::vector<std::size_t>, Partition>, Cycles> cycles_;  // guarded by mutex_
  std::size_t searches_ = 0;
  bool is_complete_ = true;
};

}  // namespace heddle::chopping
