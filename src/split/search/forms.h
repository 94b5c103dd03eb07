// Functionalities as cuts chop them. A functionality has one form for all cuts that divide the
// tables it uses alike.
#pragma once

#include <cstddef>
#include <cstdint>
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

// At which level the services of a cut run.
struct ServiceLevels {
  IsolationLevel within = IsolationLevel::serializable;
  // A service that has one of these tables runs at its level.
  std::map<std::size_t, IsolationLevel> of_tables = {};

  bool is_one() const { return of_tables.empty(); }
  // Of each table's service.
  std::vector<IsolationLevel> in(const Partition& partition) const;
  // What happens at any of them happens at this one.
  IsolationLevel weakest() const;
};

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
  // Of each statement, and of those without the COMMITs: the level of its service. Empty: all have
  // one.
  std::vector<std::optional<IsolationLevel>> levels;
  std::vector<std::optional<IsolationLevel>> plain_levels;
};

// What becomes of foreign keys.
enum class KeyForms : std::uint8_t {
  torn,  // callers ask in place of those between services, as chop_program() has it
  // They ask in place of all, also where one service has both tables: no key is left, and forms of
  // all cuts have the same statements.
  asked,
};

class Forms {
 public:
  // All outlive it. `whole`: of the uncut program.
  Forms(const Program& program, const find::SearchInput& whole, ServiceLevels levels,
        KeyForms keys = KeyForms::torn);

  // Any thread. The form stays where it is.
  const Form& of(std::size_t functionality, const Partition& partition);
  // The same, all of it at the weakest level.
  const Form& weakest_of(std::size_t functionality, const Partition& partition);
  // Tables that its statements use.
  const std::vector<std::size_t>& tables_of(std::size_t functionality) const {
    return used_[functionality];
  }
  // The tables as services have them, with the foreign keys that are left.
  Schema schema_in(const Partition& partition) const;
  // Whether the functionality changes a table with a foreign key to or from it.
  bool has_keys(std::size_t functionality) const { return has_keys_[functionality]; }
  const ServiceLevels& levels() const { return levels_; }
  // The finest partition that divides the statements of these functionalities as this one does.
  Partition finest(const std::vector<std::size_t>& functionalities,
                   const Partition& partition) const;

 private:
  // A partition of the functionality's tables, and the level of each.
  using Place = std::pair<Partition, std::vector<IsolationLevel>>;

  const Form& find(std::size_t functionality, const Partition& partition,
                   const std::vector<IsolationLevel>& levels);
  std::unique_ptr<Form> make(std::size_t functionality, const Partition& partition,
                             const std::vector<IsolationLevel>& levels) const;
  bool add_keys(std::size_t functionality, std::set<std::size_t>& tables);
  void add_asked(std::size_t functionality, std::set<std::size_t>& tables) const;
  void add_levels(const ChoppedFunctionality& chopped, const std::vector<IsolationLevel>& services,
                  Form& form) const;
  void add_crossings(std::size_t functionality, Form& form) const;

  const Program& program_;
  const find::SearchInput& whole_;
  ServiceLevels levels_;
  KeyForms keys_;
  std::unique_ptr<ReferenceChecks> asked_;  // of KeyForms::asked
  bool is_strong_;
  std::vector<bool> has_keys_;
  std::vector<std::vector<std::size_t>> used_;  // of each functionality
  // With those on the other side of foreign keys to or from what it changes.
  std::vector<std::vector<std::size_t>> tables_;
  // Tables of one statement, or of one such key.
  std::vector<std::set<std::vector<std::size_t>>> joins_;
  std::mutex mutex_;
  std::vector<std::map<Place, std::unique_ptr<Form>>> forms_;  // guarded by mutex_
};

}  // namespace heddle::chopping
