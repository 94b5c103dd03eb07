// find_anomalies() for those who know more of cycles than it does.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "find/search/group_search.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

// Lets what smaller sets of functionalities have decide what larger ones are asked about.
struct Selection {
  // All cycles of the sets of one size, before any larger set is searched.
  std::function<void(const std::vector<FoundCycle>&)> found;
  // Which cycles of larger sets are asked about.
  Admission admits;
};

// A search that goes set by set, in whatever order and on whatever threads somebody says.
class Search {
 public:
  // Program and options outlive it. Errors: find_anomalies()'s.
  static Result<std::unique_ptr<Search>> prepare(const Program& program,
                                                 const FindOptions& options);

  // Before the first set is searched: what is_late() asks, too.
  void stop_when(std::function<bool()> stops) { input_.stops = std::move(stops); }
  // From now on: which cycles are asked about. Not while a set is searched.
  void admit(Admission admits) { input_.admits = std::move(admits); }

  const std::vector<FunctionalityLevel>& levels() const { return input_.levels; }
  // The smaller ones first; a set comes after all that are in it.
  const std::vector<std::vector<std::size_t>>& sets() const { return sets_; }
  // REQUIRES: each set once.
  void search(std::size_t set);
  // REQUIRES: the set has been searched. Of one that was stopped: what there was until then.
  const std::vector<FoundCycle>& cycles(std::size_t set) const { return results_[set].cycles; }

  // What all sets have to tell together. Those that nobody has searched count as not searched to
  // their end; `why_not`: the reason, empty: what is_late() knows.
  FindReport merge(const std::string& why_not = "") const;

 private:
  Search(const Program& program, const FindOptions& options,
         std::vector<FunctionalityLevel> levels);

  const Program& program_;
  const FindOptions& options_;
  std::vector<bool> is_asked_for_;  // of each functionality: FindOptions::only
  SearchInput input_;
  std::vector<std::vector<std::size_t>> sets_;
  std::vector<GroupResult> results_;
  std::atomic<bool> was_late_ = false;
  Shapes shapes_;
};

// As find_anomalies(), with the fast engine.
Result<FindReport> find_selected(const Program& program, const FindOptions& options,
                                 const Selection& selection);

}  // namespace heddle::find
