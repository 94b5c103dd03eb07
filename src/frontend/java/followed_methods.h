// The functionalities of many methods, each read with all that it calls, within bounds that they
// share.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/java/outline.h"
#include "heddle/java_program.h"

namespace heddle::java {

// A method, and what is read of it.
struct ReadMethod {
  const Class* of = nullptr;
  const Method* method = nullptr;
  std::optional<Functionality> functionality = {};  // none: it asks no store for anything
  std::vector<Diagnostic> notes = {};
  std::vector<std::pair<ReadingReason, SourceLocation>> passed_over = {};
  std::vector<SourceLocation> redis_places = {};  // calls of its clients that were followed
  bool assumes_transaction = false;
  bool is_unread = false;  // reading was ended before
};

// First every method gets the same number of steps; those that need more share what the others have
// left. So the result depends on no clock and on no number of threads, but for those that are not
// read because all work was ended.
class FollowedMethods {
 public:
  FollowedMethods(const Classes& classes, const Schema& schema, const JavaOptions& options);

  void read(std::vector<ReadMethod>& methods);
  // Whether its body stands in some functionality, of which the methods were read.
  bool follows(const Method& method) const {
    return followed_.contains(&method) || outlines_.followed().contains(&method);
  }

 private:
  // Whether it was read; else it needs more steps.
  bool read_one(ReadMethod& one, const ReadLimits& limits, std::size_t most_actions);
  void read_from_outlines(ReadMethod& one, std::size_t most_actions);
  void finish(ReadMethod& one, Functionality functionality, bool is_composed,
              const std::map<std::string, std::string>& chance_names);
  void tell_progress();

  const Classes& classes_;
  const Schema& schema_;
  const JavaOptions& options_;
  Outlines outlines_;
  std::mutex mutex_;
  std::unordered_set<const Method*> followed_;
  std::size_t done_ = 0;
  std::size_t known_ = 0;
  std::size_t steps_ = 0;    // that were taken
  std::size_t actions_ = 0;  // that are kept
};

}  // namespace heddle::java
