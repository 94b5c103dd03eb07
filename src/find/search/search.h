// find_anomalies() for those who know more of cycles than it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "find/search/group_search.h"
#include "find/search/search_groups.h"
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

// Functionalities that are searched together; one may come several times.
struct FunctionalitySet {
  std::size_t number = 0;  // counted in the order of the search
  std::vector<std::size_t> members;
  bool is_wider = false;  // for larger bounds
};

// A search that goes set by set, in whatever order and on whatever threads somebody says.
class Search {
 public:
  // Up to so many functionalities of a set are searched for all cycles, more only for those without
  // the statements of a smaller one, unless somebody asks for all: these are more than anybody
  // waits for.
  static constexpr std::size_t kSearchedWhole = 4;
  enum class Larger { smallest_cycles, all_cycles };

  // Program and options outlive it. Errors: find_anomalies()'s.
  static Result<std::unique_ptr<Search>> prepare(const Program& program, const FindOptions& options,
                                                 Larger larger = Larger::smallest_cycles);

  // Before the first set is searched: what is_late() asks, too.
  void stop_when(std::function<bool()> stops) {
    if (wider_input_) wider_input_->stops = stops;
    input_.stops = std::move(stops);
  }
  // From now on: the sets for larger bounds, if there are such. REQUIRES: all sets that next() gave
  // have been searched, and it gives no more. False: there are none, or they could not
  // be looked for now: there is no time, or a set has too many conflicts.
  bool widen();
  // From now on: which cycles are asked about. Not while a set is searched.
  void admit(Admission admits) { input_.admits = std::move(admits); }

  const std::vector<FunctionalityLevel>& levels() const { return input_.levels; }
  // How many sets of functionalities there are to search.
  std::uint64_t count() const {
    return lone_.size() + sequence_.count() + (wider_sequence_ ? wider_sequence_->count() : 0) +
           longer_count_;
  }
  // The next one; none: there are no more of at most `most` functionalities. Sessions of several
  // calls come alone, too. The smaller ones come first, so that a set comes after all that are in
  // it; of one size those that are quick to search. Not from two threads at a time.
  std::optional<FunctionalitySet> next(std::size_t most = SIZE_MAX);
  // Any thread. REQUIRES: each set once.
  void search(const FunctionalitySet& set);
  bool is_late() const { return input_.is_late(); }
  // Of the set with this number. REQUIRES: it has been searched. Of one that was stopped: what
  // there was until then.
  const std::vector<FoundCycle>& cycles(std::size_t number) const;
  // Of all sets of so many functionalities, in the order of these.
  std::vector<FoundCycle> cycles_of_size(std::size_t size) const;

  // What all sets have to tell together. Those that nobody has searched count as not searched to
  // their end; `why_not`: the reason, empty: what is_late() knows.
  FindReport merge(const std::string& why_not = "") const;

 private:
  struct FoundInSet {
    std::vector<std::size_t> members;
    std::vector<FoundCycle> cycles;
  };

  Search(const Program& program, const FindOptions& options, std::vector<FunctionalityLevel> levels,
         Larger larger);

  std::optional<std::vector<std::size_t>> next_members();
  std::vector<FoundCycle> found_so_far() const;
  bool lengthen();

  // In the order of the members, the smaller sets first. REQUIRES: mutex_ held.
  std::vector<const FoundInSet*> found_in_order() const;

  const Program& program_;
  const FindOptions& options_;
  std::vector<bool> is_asked_for_;  // of each functionality: FindOptions::only
  SearchInput input_;
  std::vector<std::size_t> lone_;  // sessions of several calls, which may miss what they did
  GroupSequence sequence_;
  std::optional<FindBounds> wider_;  // where small programs are searched further
  std::optional<GroupSequence> wider_sequence_;
  std::optional<SearchInput> wider_input_;           // once all others have been searched
  std::optional<std::vector<std::size_t>> pending_;  // of sequence_, too large for who asked last
  std::size_t searched_size_;  // up to so many functionalities of a set sets have been given
  std::deque<std::vector<std::size_t>> longer_;  // the next sets of this size
  std::uint64_t longer_count_ = 0;               // how many sets of such sizes there were
  std::uint64_t given_ = 0;
  Shapes shapes_;
  mutable std::mutex mutex_;  // guards what follows
  // Of the sets that have some, by number.
  std::map<std::size_t, FoundInSet> found_;
  FindCounts counts_;
  std::uint64_t finished_ = 0;  // sets that were searched to their end
  bool is_too_large_ = false;
  bool was_late_ = false;
};

// As find_anomalies(), with the fast engine.
Result<FindReport> find_selected(const Program& program, const FindOptions& options,
                                 const Selection& selection);

}  // namespace heddle::find
