// What a caller does in place of a statement on tables of several services.
#pragma once

#include <string>
#include <vector>

#include "split/join_plan.h"

namespace heddle::chopping {

// In place of one statement; the statements in the order of list_statements().
struct FollowedJoin {
  Block actions;
  std::vector<ProgramStatement> statements;
  std::string reason;  // why it is not followed, and nothing is changed; empty: it is
};

// What comes behind a statement.
struct WhatFollows {
  Action* counter = nullptr;  // counts its rows; null: nobody does
  bool may_ask = false;       // somebody may ask whether there was one
};

class JoinFollower {
 public:
  // All outlive it.
  JoinFollower(Functionality& functionality, const Schema& schema, const TableServices& services);

  FollowedJoin follow(const RunStatement& run, const SourceLocation& source,
                      const WhatFollows& what);
  // Moves the body where it is followed.
  FollowedJoin follow(RowLoop& rows, const SourceLocation& source, bool may_ask);
  FollowedJoin follow(const OpenRows& open, const SourceLocation& source);

 private:
  Functionality& functionality_;
  const Schema& schema_;
  const TableServices& services_;
  FreshNames names_;
  bool uses_found_ = false;
};

}  // namespace heddle::chopping
