// To ask for one level never takes longer than to ask for all of them: whatever answers the others
// quickly is there for it, too.
#include <algorithm>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/generate/shapes.h"
#include "heddle/check.h"

namespace heddle {
namespace {

// Processor time of this thread.
double seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds_of_check(const TransactionHistory& history, std::vector<IsolationLevel> levels) {
  CheckOptions options;
  options.levels = std::move(levels);
  const double begun = seconds();
  EXPECT_TRUE(check_history(history, options));
  return seconds() - begun;
}

// The least of some runs, as many as it takes: what else the machine does adds to single ones.
bool is_slower_alone(const TransactionHistory& history, IsolationLevel level,
                     const TransactionHistory& all) {
  constexpr int kRuns = 12;
  constexpr double kNoise = 0.003;
  double alone = std::numeric_limits<double>::max();
  double together = alone;
  for (int run = 0; run < kRuns; ++run) {
    alone = std::min(alone, seconds_of_check(history, {level}));
    together = std::min(together, seconds_of_check(all, {}));
    if (alone <= 1.1 * together + kNoise) return false;
  }
  return true;
}

std::string slower_alone(const std::string& shape) {
  const auto request = parse_generate_request(shape);
  EXPECT_TRUE(request) << shape;
  const auto history = std::get<TransactionHistory>(generate(*request));
  const auto report = check_history(history, {});
  std::string slower;
  for (const LevelAnswer& answer : report->answers) {
    if (is_slower_alone(history, answer.level, history)) {
      slower += fmt::format("{}: {}\n", shape, definition(answer.level).name);
    }
  }
  return slower;
}

TEST(LevelAlone, is_never_slower_than_all) {
  const std::string planted[] = {"",
                                 "aborted-read",
                                 "intermediate-read",
                                 "lost-update",
                                 "read-skew",
                                 "fractured-read",
                                 "long-fork",
                                 "write-skew",
                                 "session-cycle"};
  for (const std::string kind :
       {"small,kind=unique-register,keys=100,transactions=500", "small,kind=list,transactions=500",
        "small,kind=unique-register,level=snapshot,sessions=30,transactions=300",
        "small,kind=list,level=read-committed,times=yes,transactions=400",
        "small,kind=list,unknown=0.1,aborted=0.1,transactions=500",
        "small,kind=register,keys=100,values=50,transactions=60", "tpcc,transactions=300",
        "rubis,transactions=300", "twitter,transactions=500",
        "list-append,level=transactional-causal,transactions=200"}) {
    for (const std::string& anomaly : planted) {
      const std::string plant = anomaly.empty() ? "" : ",plant=" + anomaly;
      EXPECT_EQ(slower_alone(kind + plant), "");
    }
  }
}

// Where all levels hold histories must be long for times to tell anything.
TEST(LevelAlone, is_not_slower_where_all_hold) {
  for (const char* const shape :
       {"list-append,transactions=10000", "small,kind=list,transactions=5000,keys=500",
        "general,distribution=hotspot,initial=0,keys=2,operations=2,seed=817,sessions=30,times=yes,"
        "transactions=2000",
        "small,kind=list,transactions=5000,times=yes,unknown=0.05", "general,transactions=3000",
        "awdit,level=serializable,transactions=3000", "tpcc,transactions=2000",
        "twitter,transactions=3000",
        "small,kind=register,keys=1000,values=200,transactions=1000"}) {
    EXPECT_EQ(slower_alone(shape), "");
  }
}

// Where it is open whose writes were read, a strong level may be far easier than a weak one: alone
// these took up to 400 times as long as all.
TEST(LevelAlone, is_not_slower_where_values_repeat) {
  for (const char* const shape :
       {"tpcc,kind=register,seed=93,times=yes,transactions=2000",
        "small,kind=register,seed=551,sessions=2,transactions=200,plant=long-fork:1",
        "tpcc,initial=nil,kind=register,seed=964,transactions=666,updates=1,writes-per-key=0"}) {
    EXPECT_EQ(slower_alone(shape), "");
  }
}

// Shows that the comparison can fail: here the level has ten times as much to do.
TEST(LevelAlone, is_seen_to_be_slower) {
  const auto history = [](std::size_t transactions) {
    const auto request = parse_generate_request(fmt::format("tpcc,transactions={}", transactions));
    return std::get<TransactionHistory>(generate(*request));
  };
  EXPECT_TRUE(is_slower_alone(history(3'000), IsolationLevel::serializable, history(300)));
}

}  // namespace
}  // namespace heddle
