// What a transaction would do if one of its statements saw something else: a read of which nothing
// depends is none that anybody notices.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "find/terms/formula.h"
#include "find/terms/group.h"
#include "find/terms/row_effects.h"

namespace heddle::find {

class OtherSight {
 public:
  // It outlives this.
  explicit OtherSight(Group& group) : group_(group), terms_(group.terms()) {}

  // In this row `viewer` sees that value instead.
  void see(std::string_view viewer, const RowSource& source, const std::string& column,
           const RowKey& key, const SqlValue& value);
  // And there is such a row for it, or there is none.
  void see_row(std::string_view viewer, const RowSource& source, const RowKey& key, bool exists);

  // The transaction then writes something else, or does not write: other statements, or the same
  // ones with other arguments or values. As far as that is computed from what was seen: the rows
  // that queries without a key find are taken to be the same.
  Term changes(const Instance& instance);

 private:
  // A function of a row, with another value in one.
  struct Sight {
    std::string function;
    RowKey key;
    Term value;
  };

  void add_sight(Term seen, const RowKey& key, Term value);
  Term is_row(const Sight& sight, Term seen);

  Group& group_;
  Terms& terms_;
  std::vector<Sight> sights_;
};

// That it would have changed what the reader of each dependency does, if it had seen the other
// version: of rw the one that it missed, of wr the one before.
std::vector<Term> reads_that_matter(Group& group, const std::vector<PlacedEdge>& edges,
                                    const std::vector<RowKey>& keys);

}  // namespace heddle::find
