/// Catch2's assertions (versions 2 and 3) in bodies that heddle::sched executes.
///
///   TEST_CASE("both are counted") {
///     heddle::sched::check([] {
///       std::atomic<int> counter = 0;
///       std::thread other([&] { ++counter; });
///       ++counter;
///       other.join();
///       CHECK(counter == 2);
///     });
///   }
///
/// A failed CHECK or REQUIRE of any thread ends the execution, which has failed. When the search is
/// over the test case fails once, and the shrunk execution is told: the answer of `check`
/// need not be looked at. What INFO says is not told, and SECTION is no choice in a body.
/// `heddle_add_sched_test(NAME CATCH2 sources...)` includes this by itself.
#pragma once

// Version 3 has a header for all of it, version 2 has none but that.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define HEDDLE_SCHED_CATCH2_VERSION 3
#else
#include <catch2/catch.hpp>
#define HEDDLE_SCHED_CATCH2_VERSION 2
#endif
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>

#include "heddle/sched.h"

namespace heddle::sched::catch2 {

/// Takes the results of all threads' assertions as long as it is Catch2's. Nothing is kept: so
/// threads share nothing by it.
class Assertions final : public Catch::IResultCapture {
 public:
  /// Gives way to whatever took the results before.
  void begin() {
    make_streams();
    before_ = Catch::getCurrentContext().getResultCapture();
    Catch::getCurrentMutableContext().setResultCapture(this);
  }
  void end() { Catch::getCurrentMutableContext().setResultCapture(before_); }

#if HEDDLE_SCHED_CATCH2_VERSION == 2
  using Message = const Catch::StringRef&;
  using ExceptionText = const std::string&;

  bool sectionStarted(const Catch::SectionInfo& /*info*/, Catch::Counts& /*counts*/) override {
    return true;
  }
  void sectionEnded(const Catch::SectionEndInfo& /*info*/) override {}
  void sectionEndedEarly(const Catch::SectionEndInfo& /*info*/) override {}
  auto acquireGeneratorTracker(Catch::StringRef name, const Catch::SourceLineInfo& line)
      -> Catch::IGeneratorTracker& override {
    return before_->acquireGeneratorTracker(name, line);
  }
#if defined(CATCH_CONFIG_ENABLE_BENCHMARKING)
  void benchmarkPreparing(const std::string& /*name*/) override {}
  void benchmarkStarting(const Catch::BenchmarkInfo& /*info*/) override {}
  void benchmarkEnded(const Catch::BenchmarkStats<>& /*stats*/) override {}
  void benchmarkFailed(const std::string& /*error*/) override {}
#endif
  void emplaceUnscopedMessage(const Catch::MessageBuilder& /*message*/) override {}
#else
  using Message = std::string&&;
  using ExceptionText = std::string&&;

  void notifyAssertionStarted(const Catch::AssertionInfo& /*info*/) override {}
  bool sectionStarted(Catch::StringRef /*name*/, const Catch::SourceLineInfo& /*line*/,
                      Catch::Counts& /*counts*/) override {
    return true;
  }
  void sectionEnded(Catch::SectionEndInfo&& /*info*/) override {}
  void sectionEndedEarly(Catch::SectionEndInfo&& /*info*/) override {}
  auto acquireGeneratorTracker(Catch::StringRef name, const Catch::SourceLineInfo& line)
      -> Catch::IGeneratorTracker* override {
    return before_->acquireGeneratorTracker(name, line);
  }
  auto createGeneratorTracker(Catch::StringRef name, Catch::SourceLineInfo line,
                              Catch::Generators::GeneratorBasePtr&& generator)
      -> Catch::IGeneratorTracker* override {
    return before_->createGeneratorTracker(name, line, std::move(generator));
  }
  void benchmarkPreparing(Catch::StringRef /*name*/) override {}
  void benchmarkStarting(const Catch::BenchmarkInfo& /*info*/) override {}
  void benchmarkEnded(const Catch::BenchmarkStats<>& /*stats*/) override {}
  void benchmarkFailed(Catch::StringRef /*error*/) override {}
  void emplaceUnscopedMessage(Catch::MessageBuilder&& /*message*/) override {}
#endif
  void pushScopedMessage(const Catch::MessageInfo& /*message*/) override {}
  void popScopedMessage(const Catch::MessageInfo& /*message*/) override {}

  void handleFatalErrorCondition(Catch::StringRef message) override {
    before_->handleFatalErrorCondition(message);
  }
  void handleExpr(const Catch::AssertionInfo& info, const Catch::ITransientExpression& expression,
                  Catch::AssertionReaction& /*reaction*/) override {
    const bool wanted = !Catch::isFalseTest(info.resultDisposition);
    if (expression.getResult() == wanted) return;
    std::ostringstream expanded;
    expression.streamReconstructedExpression(expanded);
    has_failed(info, " with " + expanded.str());
  }
  void handleMessage(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type,
                     Message message, Catch::AssertionReaction& /*reaction*/) override {
    if (!Catch::isOk(type)) has_failed(info, ": " + std::string(message));
  }
  void handleUnexpectedExceptionNotThrown(const Catch::AssertionInfo& info,
                                          Catch::AssertionReaction& /*reaction*/) override {
    has_failed(info, " threw nothing");
  }
  void handleUnexpectedInflightException(const Catch::AssertionInfo& info, ExceptionText message,
                                         Catch::AssertionReaction& /*reaction*/) override {
    has_failed(info, " threw " + message);
  }
  void handleIncomplete(const Catch::AssertionInfo& info) override { has_failed(info, " ended"); }
  void handleNonExpr(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type,
                     Catch::AssertionReaction& /*reaction*/) override {
    if (!Catch::isOk(type)) has_failed(info, "");
  }

  bool lastAssertionPassed() override { return true; }
  void assertionPassed() override {}
  std::string getCurrentTestName() const override { return before_->getCurrentTestName(); }
  const Catch::AssertionResult* getLastResult() const override { return nullptr; }
  void exceptionEarlyReported() override {}

 private:
  // Catch2 keeps the streams in which it puts texts together, and their buffers: these must not be
  // of the memory of an execution, which is gone when it ends.
  static void make_streams() {
    constexpr std::size_t kStreams = 8;
    constexpr std::size_t kLongest = 1 << 16;
    Catch::ReusableStringStream streams[kStreams];
    for (Catch::ReusableStringStream& stream : streams) stream << std::string(kLongest, ' ');
  }

  static void has_failed(const Catch::AssertionInfo& info, const std::string& what) {
    if (Catch::shouldSuppressFailure(info.resultDisposition) || !is_executing()) return;
    const std::string expression(info.capturedExpression);
    const std::string text =
        std::string(info.macroName) + (expression.empty() ? "" : "( " + expression + " )") + what;
    fail(text.c_str());
  }

  Catch::IResultCapture* before_ = nullptr;
};

/// The only one.
inline Assertions& assertions() {
  static Assertions only;
  return only;
}

/// `Framework::begin`.
inline void begin() { assertions().begin(); }

/// `Framework::end`.
inline void end() { assertions().end(); }

/// `Framework::report`. Catch2 would break the lines of a diagram.
inline bool report(const Failure& failure) {
  if (Catch::getCurrentContext().getResultCapture() == nullptr) return false;
  std::fputs(failure.report.c_str(), stderr);
  FAIL_CHECK(failure.kind + ": " + failure.what);
  return true;
}

/// `Framework::name`.
inline std::string name() {
  const Catch::IResultCapture* running = Catch::getCurrentContext().getResultCapture();
  return running == nullptr ? "" : running->getCurrentTestName();
}

/// Catch2, as heddle is told of it.
inline const Framework& framework() {
  static const Framework told{begin, end, report, name};
  return told;
}

/// Tells heddle before `main` begins.
inline const bool is_told = [] {
  entry::heddle_sched_set_framework(&framework());
  return true;
}();

}  // namespace heddle::sched::catch2
