/// GoogleTest's assertions in bodies that heddle::sched executes.
///
///   TEST(Counter, CountsBoth) {
///     heddle::sched::check([] {
///       std::atomic<int> counter = 0;
///       std::thread other([&] { ++counter; });
///       ++counter;
///       other.join();
///       EXPECT_EQ(counter, 2);
///     });
///   }
///
/// A failed EXPECT or ASSERT of any thread ends the execution, which has failed. When the search is
/// over the test that runs fails once, with the report of the shrunk execution: the answer of
/// `check` need not be looked at. `heddle_add_sched_test(NAME GTEST sources...)` includes this by
/// itself.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "heddle/sched.h"

namespace heddle::sched::gtest {

/// Takes the results of all threads' assertions as long as it lives.
class Assertions final : public testing::ScopedFakeTestPartResultReporter {
 public:
  Assertions()
      : testing::ScopedFakeTestPartResultReporter(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, nullptr) {
    // GoogleTest makes what it needs for a result when there is the first: not in an execution,
    // whose memory is gone when it ends.
    SUCCEED();
  }

  void ReportTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    if (is_executing()) fail(result.message());
    others_.push_back(result);
  }

  /// What threads have failed at that heddle did not create.
  std::vector<testing::TestPartResult> take_others() { return std::exchange(others_, {}); }

 private:
  std::vector<testing::TestPartResult> others_;
};

/// The one that lives now, if any.
inline std::unique_ptr<Assertions>& assertions() {
  static std::unique_ptr<Assertions> living;
  return living;
}

/// `Framework::begin`.
inline void begin() { assertions() = std::make_unique<Assertions>(); }

/// `Framework::end`.
inline void end() {
  const std::vector<testing::TestPartResult> others = assertions()->take_others();
  assertions().reset();
  for (const testing::TestPartResult& result : others) {
    ADD_FAILURE_AT(result.file_name(), result.line_number()) << result.message();
  }
}

/// `Framework::report`.
inline bool report(const Failure& failure) {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) return false;
  ADD_FAILURE_AT(test->file(), test->line()) << failure.report;
  return true;
}

/// `Framework::name`.
inline std::string name() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  return test == nullptr ? "" : std::string(test->test_suite_name()) + "." + test->name();
}

/// GoogleTest, as heddle is told of it.
inline const Framework& framework() {
  static const Framework told{begin, end, report, name};
  return told;
}

/// Tells heddle before `main` begins.
inline const bool is_told = [] {
  entry::heddle_sched_set_framework(&framework());
  return true;
}();

}  // namespace heddle::sched::gtest
