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
bool is_slower_alone(const TransactionHistory& history, IsolationLevel level) {
  constexpr int kRuns = 12;
  constexpr double kNoise = 0.003;
  double alone = std::numeric_limits<double>::max();
  double together = alone;
  for (int run = 0; run < kRuns; ++run) {
    alone = std::min(alone, seconds_of_check(history, {level}));
    together = std::min(together, seconds_of_check(history, {}));
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
    if (is_slower_alone(history, answer.level)) {
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
       {"small,kind=unique-register,keys=100", "small,kind=list",
        "small,kind=unique-register,level=snapshot,sessions=30",
        "small,kind=list,level=read-committed,times=yes", "tpcc", "rubis", "twitter"}) {
    for (const std::string& anomaly : planted) {
      const std::string plant = anomaly.empty() ? "" : ",plant=" + anomaly;
      EXPECT_EQ(slower_alone(kind + ",transactions=500" + plant), "");
    }
  }
}

}  // namespace
}  // namespace heddle
