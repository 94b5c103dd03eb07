// What cuts cost: cores and causes, added up over the sets of functionalities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "heddle/cut_search.h"
#include "split/search/clusters.h"
#include "split/search/group_causes.h"

namespace heddle::chopping {

class CutCosts {
 public:
  // Both outlive it.
  CutCosts(const Program& program, GroupCauseSearch& search, std::size_t max_instances,
           std::size_t jobs);

  // By the borders alone.
  CutScore estimate(const Partition& partition) { return score(partition, estimated_, false); }
  // By a search.
  CutScore search(const Partition& partition) { return score(partition, searched_, true); }

 private:
  // A set of functionalities; one may come several times.
  struct Group {
    std::vector<std::size_t> members;
    std::vector<std::size_t> smaller;  // groups whose members are some of its members
  };
  struct GroupScore {
    GroupCauses causes;
    std::size_t cores = 0;
  };
  // By the number of the group and of its members' forms. A group's cores depend on these alone,
  // because what may be in one of its causes is a cause of some of its members.
  using Scores = std::map<std::vector<std::size_t>, GroupScore>;

  CutScore score(const Partition& partition, Scores& scores, bool searches);
  void complete(const Partition& partition, const std::vector<std::vector<std::size_t>>& keys,
                Scores& scores, bool searches);
  static std::size_t cores_of(const std::vector<const GroupCauses*>& smaller,
                              const GroupCauses& causes);

  GroupCauseSearch& search_;
  std::size_t jobs_;
  std::vector<Group> groups_;
  Distances distances_;
  Scores estimated_;
  Scores searched_;
};

}  // namespace heddle::chopping
