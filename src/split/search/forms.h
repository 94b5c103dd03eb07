// Functionalities as cuts chop them. A functionality has one form for all cuts that divide the
// tables it uses alike.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "find/terms/search_input.h"
#include "split/chop.h"
#include "split/search/partition.h"

namespace heddle::chopping {

struct Form {
  std::size_t number = 0;  // different forms of a functionality have different ones
  Functionality functionality;
  std::size_t sub_transactions = 0;
  std::size_t hand_overs = 0;  // of a run, at most
  // Of each statement: its number without the COMMITs that the cut adds; of those: none. Forms that
  // divide the same statements alike number them alike.
  std::vector<std::optional<std::size_t>> plain;
  std::vector<std::optional<std::size_t>> origins;  // of each statement in the uncut functionality
  std::vector<std::optional<std::size_t>> sub_of;   // of statements without those COMMITs
  // Whether a run may enter at the one such statement and leave at the other, with the latter in an
  // earlier transaction, or, where levels are weak, in any other one.
  std::vector<std::vector<bool>> crosses;
};

class Forms {
 public:
  // All outlive it. `whole`: of the uncut program.
  Forms(const Program& program, const find::SearchInput& whole, bool is_strong);

  // Any thread. The form stays where it is.
  const Form& of(std::size_t functionality, const Partition& partition);
  // Tables that it uses.
  const std::vector<std::size_t>& tables_of(std::size_t functionality) const {
    return tables_[functionality];
  }
  // The finest partition that divides the statements of these functionalities as this one does.
  Partition finest(const std::vector<std::size_t>& functionalities,
                   const Partition& partition) const;

 private:
  std::unique_ptr<Form> make(std::size_t functionality, const Partition& partition) const;
  void add_crossings(std::size_t functionality, Form& form) const;

  const Program& program_;
  const find::SearchInput& whole_;
  bool is_strong_;
  std::vector<std::vector<std::size_t>> tables_;           // of each functionality
  std::vector<std::set<std::vector<std::size_t>>> joins_;  // tables of one statement
  std::mutex mutex_;
  std::vector<std::map<Partition, std::unique_ptr<Form>>> forms_;  // guarded by mutex_
};

}  // namespace heddle::chopping
