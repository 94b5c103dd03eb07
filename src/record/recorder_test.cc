#include "record/recorder.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "format/trace/trace_lines.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

// tests > shop > db.
constexpr std::size_t kOuterNode = 0;
constexpr std::size_t kStore = 1;
constexpr std::size_t kMostBody = 1000;

TraceHead head() {
  return {.version = "1",
          .begun = "now",
          .command = {"npm", "test"},
          .edges = {{.caller = "tests", .callee = "shop", .is_outer = true},
                    {.caller = "shop", .callee = "db", .is_store = true}}};
}

// A recorder and its file, which is removed again.
class Recorded {
 public:
  Recorded() : path_(testing::TempDir() + "heddle_recorder_test.jsonl") {
    auto file = LineFileWriter::create(path_);
    EXPECT_TRUE(file);
    auto started = Recorder::start(std::move(*file), head(), Redactor({}, "key"), kMostBody);
    EXPECT_TRUE(started);
    recorder_ = std::move(*started);
    recorder_->end_listening();
  }
  ~Recorded() {
    recorder_.reset();
    std::remove(path_.c_str());
  }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  Recorder& recorder() { return *recorder_; }

  void ask(std::uint64_t connection) {
    HttpHead request;
    request.method = "GET";
    request.target = "/a?b=c";
    recorder_->request_arrived({kOuterNode, connection}, 1, request, "", now());
  }
  void answer(std::uint64_t connection) {
    HttpExchange exchange;
    exchange.ordinal = 1;
    exchange.response.emplace().status = 200;
    exchange.times = {.arrived = now(), .permitted = now(), .answered = now()};
    recorder_->request_answered({kOuterNode, connection}, std::move(exchange));
  }
  void execute(std::uint64_t connection, const std::string& text, char before, char after) {
    postgres::WireUnit unit{.ordinal = ++ordinal_,
                            .text = std::make_shared<const std::string>(text)};
    unit.status_before = before;
    unit.status_after = after;
    recorder_->statement_arrived({kStore, connection}, unit, now());
    recorder_->statement_answered({kStore, connection}, std::move(unit),
                                  {.arrived = now(), .permitted = now(), .answered = now()});
  }

  Trace read() const {
    const auto text = read_file(path_);
    EXPECT_TRUE(text);
    const auto trace = parse_trace(*text, path_);
    EXPECT_TRUE(trace) << to_string(trace.error());
    return trace ? *trace : Trace();
  }
  Lines statements() const {
    Lines lines;
    for (const TraceStatement& each : read().statements) {
      lines.push_back(fmt::format("{} {} flow {} {} transaction {} {}", each.unit, each.text,
                                  each.flow.number, to_string(each.flow.evidence), each.transaction,
                                  each.level));
    }
    return lines;
  }

 private:
  static ProxyTime now() { return std::chrono::steady_clock::now(); }

  std::string path_;
  std::unique_ptr<Recorder> recorder_;
  std::uint64_t ordinal_ = 0;
};

TEST(Recorder, writes_what_has_passed_and_reads_it) {
  Recorded recorded;
  recorded.recorder().connection_opened({kStore, 5}, {});
  recorded.recorder().connection_named({kStore, 5}, {{"user", "me"}});
  recorded.recorder().connection_numbered({kStore, 5}, 4711);
  recorded.ask(1);
  recorded.execute(5, "SELECT a", 'I', 'I');
  recorded.answer(1);
  recorded.recorder().remark(kStore, "something");
  recorded.recorder().add_catalogue({.store = "db", .level = "read committed"});
  ASSERT_TRUE(recorded.recorder().finish({.reason = "the command has ended", .exit_code = 3}));
  const Trace trace = recorded.read();
  EXPECT_EQ(trace.head, head());
  ASSERT_EQ(trace.requests.size(), 1U);
  EXPECT_EQ(trace.requests[0].unit, 1U);
  EXPECT_EQ(trace.requests[0].status, 200);
  EXPECT_EQ(recorded.statements(), Lines{"2 SELECT a flow 1 only transaction 1 "});
  ASSERT_EQ(trace.connections.size(), 1U);
  EXPECT_EQ(trace.connections[0].backend, 4711U);
  EXPECT_EQ(trace.catalogues.size(), 1U);
  EXPECT_EQ(trace.remarks, Lines{"shop>db: something"});
  EXPECT_EQ(trace.end, (TraceEnd{.reason = "the command has ended", .exit_code = 3, .units = 2}));
}

TEST(Recorder, transactions_have_numbers_levels_and_one_flow) {
  Recorded recorded;
  recorded.ask(1);
  recorded.execute(5, "BEGIN ISOLATION LEVEL SERIALIZABLE", 'I', 'T');
  recorded.execute(5, "SELECT a", 'T', 'T');
  recorded.execute(5, "COMMIT", 'T', 'I');
  recorded.execute(5, "SELECT b", 'I', 'I');
  ASSERT_TRUE(recorded.recorder().finish({}));
  EXPECT_EQ(recorded.statements(),
            (Lines{"2 BEGIN ISOLATION LEVEL SERIALIZABLE flow 1 only transaction 1 serializable",
                   "3 SELECT a flow 1 only transaction 1 serializable",
                   "4 COMMIT flow 1 transaction transaction 1 serializable",
                   "5 SELECT b flow 1 only transaction 2 "}));
}

TEST(Recorder, what_is_never_decided_is_written_at_the_end) {
  Recorded recorded;
  recorded.execute(5, "BEGIN", 'I', 'T');
  recorded.execute(6, "BEGIN", 'I', 'T');
  recorded.recorder().connection_closed({kStore, 5}, {});
  ASSERT_TRUE(recorded.recorder().finish({}));
  EXPECT_EQ(recorded.statements(),
            (Lines{"1 BEGIN flow 0 setup transaction 1 ", "2 BEGIN flow 0 unsure transaction 1 "}));
  EXPECT_EQ(recorded.read().end->unsure, 1U);
}

TEST(Recorder, counts_the_sessions_of_a_database) {
  Recorded recorded;
  Recorder& recorder = recorded.recorder();
  const ProxyTime begun = std::chrono::steady_clock::now();
  const auto open = [&](std::uint64_t number, const std::map<std::string, std::string>& parameters,
                        std::uint32_t backend) {
    recorder.connection_opened({kStore, number}, begun + std::chrono::seconds(number));
    recorder.connection_named({kStore, number}, parameters);
    if (backend != 0) recorder.connection_numbered({kStore, number}, backend);
  };
  open(1, {{"user", "me"}, {"database", "shop"}}, 11);
  recorder.connection_closed({kStore, 1}, begun);
  open(2, {{"user", "shop"}}, 12);
  open(3, {{"user", "me"}, {"database", "other"}}, 13);
  open(4, {{"user", "me"}, {"database", "shop"}, {"replication", "database"}}, 14);
  open(5, {{"user", "me"}, {"database", "shop"}}, 0);
  open(6, {{"user", "me"}, {"database", "shop"}}, 16);
  const auto sessions = [&](const std::optional<std::string>& database, int seconds) {
    const ProxiedSessions told =
        recorder.sessions(kStore, database, begun + std::chrono::seconds(seconds));
    return std::pair(told.begun, told.pending);
  };
  using Told = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(sessions("shop", 10), Told(3, 1));
  EXPECT_EQ(sessions("shop", 5), Told(2, 1));
  EXPECT_EQ(sessions("shop", 1), Told(1, 0));
  EXPECT_EQ(sessions("other", 10), Told(1, 1));
  EXPECT_EQ(sessions(std::nullopt, 10), Told(4, 1));
  EXPECT_EQ(recorder.sessions(kOuterNode, "shop", begun).begun, 0U);
}

TEST(Recorder, nothing_comes_behind_the_end) {
  Recorded recorded;
  ASSERT_TRUE(recorded.recorder().finish({.reason = "interrupted"}));
  recorded.execute(5, "SELECT a", 'I', 'I');
  EXPECT_TRUE(recorded.recorder().remarks().empty());
  EXPECT_TRUE(recorded.statements().empty());
}

TEST(Recorder, counts_what_has_passed) {
  Recorded recorded;
  recorded.ask(1);
  recorded.execute(5, "SELECT a", 'I', 'I');
  recorded.answer(1);
  recorded.execute(5, "SELECT a", 'I', 'I');
  EXPECT_FALSE(recorded.recorder().is_at_rest(std::chrono::hours(1)));
  EXPECT_TRUE(recorded.recorder().is_at_rest(std::chrono::milliseconds(0)));
  const RecordCounts counts = recorded.recorder().counts();
  EXPECT_EQ(counts.requests, 1U);
  EXPECT_EQ(counts.statements, 2U);
  EXPECT_EQ(counts.unsure, 1U);
  EXPECT_EQ(counts.flows, 1U);
  EXPECT_EQ(counts.units, (std::vector<std::uint64_t>{1, 2}));
}

// Files may have so many bytes while it lives.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(Recorder, a_full_disk_ends_the_trace_with_a_whole_line) {
  Recorded recorded;
  {
    const FileLimit limit(20'000);
    for (int i = 0; i < 300; ++i) {
      recorded.execute(5, "SELECT " + std::string(100, 'x'), 'I', 'I');
      // As slow clients do, so that lines are written one by one.
      if (i % 10 == 0) recorded.recorder().remarks();
    }
    EXPECT_FALSE(recorded.recorder().finish({.reason = "interrupted"}));
  }
  ASSERT_TRUE(recorded.recorder().trouble());
  const Lines statements = recorded.statements();
  EXPECT_GT(statements.size(), 10U);
  EXPECT_LT(statements.size(), 300U);
  EXPECT_FALSE(recorded.read().end);
}

TEST(Recorder, a_disk_that_is_full_from_the_beginning_is_an_error) {
  auto file = LineFileWriter::create("/dev/full");
  ASSERT_TRUE(file);
  const auto started = Recorder::start(std::move(*file), head(), Redactor({}, "key"), kMostBody);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().trouble, Trouble::environment);
}

}  // namespace
}  // namespace heddle
