// The enumeration of skeletons ends in time, also where it finds nothing to show.
#include "find/search/cycles.h"

#include <vector>

#include <gtest/gtest.h>

namespace heddle::find {
namespace {

// Two transactions whose operations all differ: their cycles have four of them.
struct Wide {
  explicit Wide(std::size_t count) : runs_again(2 * count) {
    for (std::size_t i = 0; i < count; ++i) {
      conflicts.push_back({.kind = DependencyKind::ww, .from = 2 * i, .to = 2 * i, .columns = {}});
    }
  }

  CycleInput input(std::size_t max_length) const {
    return {.instances = 2,
            .conflicts = {{&none, &conflicts}, {&conflicts, &none}},
            .runs_again = {&runs_again, &runs_again},
            .max_length = max_length};
  }

  std::vector<bool> runs_again;
  std::vector<Conflict> none;
  std::vector<Conflict> conflicts;
};

std::size_t count_seen(const CycleInput& input) {
  std::size_t seen = 0;
  enumerate_cycles(input, [&](const Skeleton&) { return ++seen > 0; });
  return seen;
}

TEST(Cycles, are_all_seen_where_there_is_time) {
  const Wide wide(5);
  EXPECT_EQ(count_seen(wide.input(4)), 5U * 4U);
  CycleInput patient = wide.input(4);
  patient.is_late = [] { return false; };
  EXPECT_EQ(count_seen(patient), 5U * 4U);
}

TEST(Cycles, end_in_time_where_none_is_short_enough) {
  const Wide wide(200);
  std::size_t asked = 0;
  CycleInput input = wide.input(2);
  input.is_late = [&] { return ++asked > 3; };
  EXPECT_EQ(count_seen(input), 0U);
  EXPECT_EQ(asked, 4U);
}

}  // namespace
}  // namespace heddle::find
