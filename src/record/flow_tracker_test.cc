#include "record/flow_tracker.h"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/trace/trace_lines.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;

// tests > order > orders, order > payment > payments: all edges, those of stores behind a service.
constexpr std::size_t kOuterEdge = 0;
constexpr std::size_t kOrders = 1;
constexpr std::size_t kToPayment = 2;
constexpr std::size_t kPayments = 3;

std::string flow_text(const TraceFlow& flow) {
  std::string text(to_string(flow.evidence));
  if (flow.number != 0) text = fmt::format("{} {}", flow.number, text);
  for (const std::uint64_t candidate : flow.candidates) text += fmt::format(" {}?", candidate);
  return text;
}

// What passes, a millisecond behind each other. A connection's units have no ordinals here: the
// one that is open is meant.
class Scene {
 public:
  Scene() { tracker_.end_listening(now_); }
  // One that has heard the background: statements or requests, each three times.
  explicit Scene(const std::map<std::string, std::size_t>& background) {
    for (int i = 0; i < 3; ++i) {
      for (const auto& [text, edge] : background) {
        if (edge == kToPayment) {
          request(edge, 99, "", text);
          answer(edge, 99);
        } else {
          execute(edge, 90 + edge, text);
        }
      }
      now_ += milliseconds(98);
    }
    tracker_.end_listening(now_);
  }
  // One that has just started, after which it listens.
  static Scene started(const std::vector<std::string>& startup) {
    Scene scene{Listens{}};
    for (const std::string& text : startup) scene.execute(kOrders, 5, text);
    scene.tracker_.begin_listening(scene.now_);
    return scene;
  }

  std::string request(std::size_t edge, std::uint64_t connection, const std::string& trace = "",
                      const std::string& what = "GET /") {
    return flow_text(tracker_.request_arrived(edge, next(connection), trace, what, tick()));
  }
  void answer(std::size_t edge, std::uint64_t connection) {
    tracker_.request_ended(edge, last(connection), tick());
  }
  // "" where it is not decided yet.
  std::string ask(std::size_t edge, std::uint64_t connection, const std::string& text) {
    const auto flow = tracker_.statement_arrived(edge, next(connection), text, tick());
    return flow ? flow_text(*flow) : "";
  }
  void done(std::size_t edge, std::uint64_t connection, char state, std::uint64_t answer = 0) {
    tracker_.statement_ended(edge, last(connection), state, tick(), answer);
  }
  std::string execute(std::size_t edge, std::uint64_t connection, const std::string& text,
                      char state = 'I', std::uint64_t answer = 0) {
    const std::string flow = ask(edge, connection, text);
    done(edge, connection, state, answer);
    return flow;
  }
  // Those that were not decided when they came.
  std::string decided() {
    std::string text;
    for (const auto& [unit, flow] : tracker_.take_decided()) {
      text += fmt::format("{}.{}: {}; ", unit.connection, unit.ordinal, flow_text(flow));
    }
    return text;
  }

  bool is_at_rest() const { return tracker_.is_at_rest(now_, milliseconds(100)); }
  void pass(milliseconds time) { now_ += time; }
  void end_listening() { tracker_.end_listening(now_); }
  UnitName last(std::uint64_t connection) { return {connection, ordinals_[connection]}; }
  FlowTracker& tracker() { return tracker_; }

 private:
  struct Listens {};
  explicit Scene(Listens) {}

  UnitName next(std::uint64_t connection) { return {connection, ++ordinals_[connection]}; }
  FlowTracker::Time tick() { return now_ += milliseconds(1); }

  FlowTracker tracker_{{{.caller = "tests", .callee = "order", .is_outer = true},
                        {.caller = "order", .callee = "orders", .is_store = true},
                        {.caller = "order", .callee = "payment"},
                        {.caller = "payment", .callee = "payments", .is_store = true}}};
  std::map<std::uint64_t, std::uint64_t> ordinals_;
  FlowTracker::Time now_{};
};

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kOther = "11111111111111111111111111111111";

std::string with_comment(const std::string& text, const std::string& trace) {
  return text + " /*traceparent='00-" + trace + "-b7ad6b7169203331-01'*/";
}

TEST(FlowTracker, a_flow_begins_with_a_request_at_an_outer_edge) {
  Scene scene;
  EXPECT_EQ(scene.request(kOuterEdge, 1, kTrace), "1 traceparent");
  EXPECT_EQ(scene.request(kOuterEdge, 2, kOther), "2 traceparent");
  EXPECT_EQ(scene.tracker().flows(), 2U);
}

TEST(FlowTracker, requests_that_name_the_trace_are_of_its_flow) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  scene.request(kOuterEdge, 2, kOther);
  EXPECT_EQ(scene.request(kToPayment, 3, kTrace), "1 traceparent");
  EXPECT_EQ(scene.request(kToPayment, 4, kOther), "2 traceparent");
  // It passes on none, or one that nobody knows.
  EXPECT_EQ(scene.request(kToPayment, 5), "unsure 1? 2?");
  EXPECT_EQ(scene.request(kToPayment, 6, std::string(32, 'a')), "unsure 1? 2?");
}

TEST(FlowTracker, what_a_service_asks_for_is_of_the_only_request_that_it_has_open) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT a"), "1 only");
  EXPECT_EQ(scene.request(kToPayment, 3), "1 only");
  EXPECT_EQ(scene.execute(kPayments, 6, "SELECT b"), "1 only");
  scene.answer(kToPayment, 3);
  EXPECT_EQ(scene.execute(kPayments, 6, "SELECT b"), "unsure");
  scene.request(kOuterEdge, 2, kOther);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT a"), "unsure 1? 2?");
  scene.answer(kOuterEdge, 1);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT a"), "2 only");
  scene.answer(kOuterEdge, 2);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT a"), "unsure");
}

TEST(FlowTracker, requests_of_an_unknown_flow_make_what_follows_unsure) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  scene.request(kOuterEdge, 2, kOther);
  scene.request(kToPayment, 3);
  EXPECT_EQ(scene.execute(kPayments, 6, "SELECT b"), "unsure");
  scene.request(kToPayment, 4, kTrace);
  EXPECT_EQ(scene.execute(kPayments, 6, "SELECT b"), "unsure 1?");
}

TEST(FlowTracker, a_statement_may_name_its_trace_in_a_comment) {
  Scene scene({{"SELECT news", kOrders}});
  scene.request(kOuterEdge, 1, kTrace);
  scene.request(kOuterEdge, 2, kOther);
  EXPECT_EQ(scene.execute(kOrders, 5, with_comment("SELECT a", kOther)), "2 traceparent");
  EXPECT_EQ(scene.execute(kOrders, 5, with_comment("SELECT a", std::string(32, 'a'))),
            "unsure 1? 2?");
  // It says more than that it is like what is done again and again.
  EXPECT_EQ(scene.execute(kOrders, 5, with_comment("SELECT news", kTrace)), "1 traceparent");
}

TEST(FlowTracker, a_comment_tells_the_flow_of_its_transaction) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  scene.request(kOuterEdge, 2, kOther);
  EXPECT_EQ(scene.execute(kOrders, 5, "BEGIN", 'T'), "");
  EXPECT_EQ(scene.execute(kOrders, 5, with_comment("SELECT a", kOther), 'T'), "2 traceparent");
  EXPECT_EQ(scene.decided(), "5.1: 2 traceparent; ");
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT b", 'T'), "2 transaction");
  EXPECT_EQ(scene.execute(kOrders, 6, with_comment("BEGIN", kTrace), 'T'), "1 traceparent");
  EXPECT_EQ(scene.execute(kOrders, 6, "SELECT b", 'T'), "1 transaction");
  // It is known late.
  EXPECT_EQ(scene.execute(kOrders, 7, "SELECT b", 'T'), "unsure 1? 2?");
  EXPECT_EQ(scene.execute(kOrders, 7, with_comment("SELECT a", kTrace), 'T'), "1 traceparent");
}

TEST(FlowTracker, comments_are_read_as_libraries_write_them) {
  EXPECT_EQ(trace_in_comment(with_comment("SELECT 1", kTrace)), kTrace);
  EXPECT_EQ(trace_in_comment("/* a */ SELECT 1 /*db='x',traceparent='00-" + kTrace + "-1-01'*/"),
            kTrace);
  EXPECT_EQ(trace_in_comment("/*traceparent=00-" + kTrace + "-1-01*/ SELECT 1"), kTrace);
  EXPECT_EQ(trace_in_comment("SELECT 'traceparent=00-" + kTrace + "-1-01'"), "");
  EXPECT_EQ(trace_in_comment("SELECT 1 /*traceparent='00-0af7'*/"), "");
  EXPECT_EQ(trace_in_comment("SELECT 1 /*traceparent='00-" + std::string(32, 'x') + "'*/"), "");
  EXPECT_EQ(trace_in_comment("SELECT 1 /*"), "");
}

TEST(FlowTracker, the_flow_of_a_begin_is_that_of_the_first_statement) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.execute(kOrders, 5, "BEGIN", 'T'), "");
  EXPECT_EQ(scene.execute(kOrders, 5, "SAVEPOINT a", 'T'), "");
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT a", 'T'), "1 only");
  EXPECT_EQ(scene.decided(), "5.1: 1 only; 5.2: 1 only; ");
  // Others begin, and the transaction stays what it was.
  scene.request(kOuterEdge, 2, kOther);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT b", 'T'), "1 transaction");
  EXPECT_EQ(scene.execute(kOrders, 5, "COMMIT", 'I'), "1 transaction");
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT b", 'I'), "unsure 1? 2?");
}

TEST(FlowTracker, begin_and_the_first_statement_may_be_sent_at_once) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.ask(kOrders, 5, "BEGIN"), "");
  EXPECT_EQ(scene.ask(kOrders, 5, "SELECT a"), "1 only");
  EXPECT_EQ(scene.decided(), "5.1: 1 only; ");
  scene.tracker().statement_ended(kOrders, {5, 1}, 'T', {});
  scene.tracker().statement_ended(kOrders, {5, 2}, 'T', {});
  scene.answer(kOuterEdge, 1);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT b", 'T'), "1 transaction");
}

TEST(FlowTracker, a_transaction_without_statements_is_decided_by_its_end) {
  Scene scene;
  EXPECT_EQ(scene.execute(kOrders, 5, "BEGIN", 'T'), "");
  EXPECT_EQ(scene.execute(kOrders, 5, "COMMIT", 'I'), "setup");
  EXPECT_EQ(scene.decided(), "5.1: setup; ");
}

TEST(FlowTracker, a_look_whether_the_connection_lives_does_not_decide_a_transaction) {
  Scene scene({{"SELECT news", kOrders}});
  for (const char* end : {"COMMIT", "ROLLBACK"}) {
    scene.execute(kOrders, 5, "BEGIN", 'T');
    EXPECT_EQ(scene.execute(kOrders, 5, "SELECT 1", 'T'), "");
    EXPECT_EQ(scene.execute(kOrders, 5, "SELECT news", 'T'), "background");
    EXPECT_EQ(scene.execute(kOrders, 5, end), "background");
  }
  scene.decided();
  scene.execute(kOrders, 6, "BEGIN", 'T');
  scene.execute(kOrders, 6, "SELECT 1", 'T');
  EXPECT_EQ(scene.execute(kOrders, 6, "ROLLBACK"), "setup");
  EXPECT_EQ(scene.decided(), "6.1: setup; 6.2: setup; ");
}

TEST(FlowTracker, a_connection_that_closes_leaves_nothing_undecided) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.execute(kOrders, 5, "BEGIN", 'T'), "");
  scene.tracker().connection_closed(5);
  EXPECT_EQ(scene.decided(), "5.1: setup; ");
  scene.answer(kOuterEdge, 1);
  scene.pass(milliseconds(100));
  EXPECT_TRUE(scene.is_at_rest());
}

TEST(FlowTracker, transactions_that_only_the_server_knows_of_count) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.execute(kOrders, 5, "CALL begins_something()", 'T'), "1 only");
  scene.request(kOuterEdge, 2, kOther);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT a", 'T'), "unsure 1? 2?");
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT b", 'T'), "unsure 1? 2?");
}

TEST(FlowTracker, pollers_are_background_in_and_out_of_transactions) {
  Scene scene({{"SELECT news WHERE id > 7", kOrders}});
  scene.request(kOuterEdge, 1, kTrace);
  // The values do not count.
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT news WHERE id > 8"), "background");
  EXPECT_EQ(scene.execute(kOrders, 6, "BEGIN", 'T'), "");
  EXPECT_EQ(scene.execute(kOrders, 6, "SELECT news WHERE id > $1", 'T'), "background");
  EXPECT_EQ(scene.decided(), "6.1: background; ");
  EXPECT_EQ(scene.execute(kOrders, 6, "DELETE FROM news", 'T'), "background");
  EXPECT_EQ(scene.execute(kOrders, 6, "COMMIT", 'I'), "background");
  EXPECT_EQ(scene.execute(kOrders, 6, "DELETE FROM news"), "1 only");
}

TEST(FlowTracker, what_follows_news_on_the_connection_of_a_poll_is_background) {
  Scene scene({{"SELECT news", kOrders}});
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT news"), "background");
  EXPECT_EQ(scene.execute(kOrders, 5, "SET a = 1"), "setup");
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT text"), "background");
  EXPECT_EQ(scene.execute(kOrders, 5, "DELETE FROM news"), "background");
  // Not on others, and not while a request is open.
  EXPECT_EQ(scene.execute(kOrders, 6, "SELECT text"), "unsure");
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT text"), "1 only");
  scene.answer(kOuterEdge, 1);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT text"), "unsure");
}

TEST(FlowTracker, what_follows_news_while_a_request_is_open_may_be_either_s) {
  Scene scene({{"SELECT news", kOrders}});
  const auto poll = [&](std::uint64_t connection, std::uint64_t answer) {
    return scene.execute(kOrders, connection, "SELECT news", 'I', answer);
  };
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(poll(5, 0), "background");
  EXPECT_EQ(scene.execute(kOrders, 5, "UPDATE a"), "1 only") << "there was nothing new";
  EXPECT_EQ(poll(5, 42), "background");
  EXPECT_EQ(scene.execute(kOrders, 5, "UPDATE a"), "unsure 1?");
  EXPECT_EQ(scene.execute(kOrders, 5, "UPDATE b"), "unsure 1?");
  EXPECT_EQ(scene.execute(kOrders, 6, "UPDATE a"), "1 only") << "of another connection";
  EXPECT_EQ(poll(6, 42), "background");
  EXPECT_EQ(scene.execute(kOrders, 5, "UPDATE a"), "1 only") << "the poller has looked again";
  EXPECT_EQ(scene.execute(kOrders, 6, "UPDATE a"), "1 only") << "and has seen the same";
  EXPECT_EQ(poll(6, 0), "background");
  EXPECT_EQ(scene.execute(kOrders, 6, "UPDATE a"), "1 only") << "and nothing any more";
}

TEST(FlowTracker, what_was_seen_to_follow_news_may_be_a_poller_s_on_each_connection) {
  Scene scene({{"SELECT news", kOrders}});
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT news", 'I', 42), "background");
  EXPECT_EQ(scene.execute(kOrders, 5, "UPDATE a"), "background");
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.execute(kOrders, 6, "UPDATE a"), "unsure 1?");
  EXPECT_EQ(scene.execute(kOrders, 6, "UPDATE b"), "1 only");
  scene.tracker().serial_begins();
  EXPECT_EQ(scene.execute(kOrders, 6, "UPDATE a"), "1 only");
}

TEST(FlowTracker, requests_are_polls_too) {
  Scene scene({{"GET /balance", kToPayment}});
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.request(kToPayment, 3, "", "GET /balance"), "background");
  // What the service does for it is of no flow.
  EXPECT_EQ(scene.execute(kPayments, 6, "SELECT balance"), "unsure");
  EXPECT_EQ(scene.request(kToPayment, 4, kTrace, "GET /balance"), "1 traceparent");
}

TEST(FlowTracker, what_came_once_while_it_listened_is_no_background) {
  Scene scene;
  FlowTracker listening({{.caller = "order", .callee = "orders", .is_store = true}});
  for (const std::uint64_t ordinal : {1, 2}) {
    listening.statement_arrived(0, {1, ordinal}, "CREATE TABLE t", {});
    listening.statement_ended(0, {1, ordinal}, 'I', {});
  }
  listening.end_listening({});
  EXPECT_EQ(flow_text(*listening.statement_arrived(0, {1, 3}, "CREATE TABLE t", {})), "background");
  EXPECT_EQ(flow_text(*listening.statement_arrived(0, {2, 1}, "CREATE TABLE t", {})), "unsure");
  EXPECT_TRUE(listening.background().empty());
}

TEST(FlowTracker, what_a_system_does_to_start_is_not_what_it_repeats) {
  Scene scene = Scene::started(
      {"INSERT INTO a VALUES (1)", "INSERT INTO a VALUES (2)", "INSERT INTO a VALUES (3)"});
  scene.pass(milliseconds(100));
  scene.end_listening();
  EXPECT_TRUE(scene.tracker().background().empty());
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.execute(kOrders, 5, "INSERT INTO a VALUES (4)"), "1 only");
  scene.answer(kOuterEdge, 1);
  scene.pass(milliseconds(100));
  EXPECT_TRUE(scene.is_at_rest()) << scene.tracker().restless_part();
}

TEST(FlowTracker, what_is_repeated_may_have_been_heard_before_the_system_was_ready) {
  const std::string poll = "SELECT news";
  Scene scene = Scene::started({poll, poll, poll});
  EXPECT_EQ(scene.execute(kOrders, 5, poll), "background");
  scene.end_listening();
  EXPECT_EQ(scene.tracker().background().size(), 1U);
  Scene late = Scene::started({poll, poll, poll});
  late.pass(milliseconds(100));
  EXPECT_EQ(late.execute(kOrders, 5, poll), "background");
  late.pass(milliseconds(100));
  late.end_listening();
  EXPECT_TRUE(late.tracker().background().empty()) << "once more is not again and again";
}

TEST(FlowTracker, what_comes_in_one_moment_is_not_repeated) {
  for (const int before : {0, 400, 800}) {
    Scene scene = Scene::started({});
    scene.pass(milliseconds(before));
    for (int i = 0; i < 20; ++i) scene.execute(kOrders, 5, "INSERT INTO a VALUES (1)");
    scene.pass(milliseconds(1000 - before));
    scene.end_listening();
    EXPECT_TRUE(scene.tracker().background().empty()) << before;
  }
}

TEST(FlowTracker, what_is_repeated_may_begin_late_come_in_groups_and_be_late) {
  for (const int before : {0, 700}) {
    Scene scene = Scene::started({});
    scene.pass(milliseconds(before));
    for (int poll = 0; poll < 4; ++poll) {
      scene.execute(kOrders, 5, "SELECT news");
      scene.execute(kOrders, 5, "SELECT news");
      scene.pass(milliseconds(50));
    }
    scene.pass(milliseconds(40));
    scene.end_listening();
    EXPECT_EQ(scene.tracker().background().size(), 1U) << before;
  }
  Scene scene = Scene::started({});
  for (int poll = 0; poll < 4; ++poll) {
    scene.pass(milliseconds(100));
    scene.execute(kOrders, 5, "SELECT news");
  }
  scene.pass(milliseconds(200));
  scene.end_listening();
  EXPECT_EQ(scene.tracker().background().size(), 1U) << "a machine may be busy for a while";
}

TEST(FlowTracker, tells_how_often_background_comes) {
  Scene scene({{"SELECT news WHERE id > 7", kOrders}});
  const std::vector<TraceBackground> found = scene.tracker().background();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].edge, kOrders);
  EXPECT_EQ(found[0].text, "select news where id > ?");
  EXPECT_EQ(found[0].period_us, 100'000U);
  EXPECT_EQ(found[0].seen, 3U);
}

TEST(FlowTracker, what_drivers_send_is_setup) {
  Scene scene;
  for (const char* text :
       {"SET TIME ZONE 'UTC'", "SHOW server_version", "SELECT 1", "", "DISCARD ALL"}) {
    EXPECT_EQ(scene.execute(kOrders, 5, text), "setup") << text;
  }
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT 1"), "setup");
}

TEST(FlowTracker, one_request_at_a_time_has_all_that_comes_until_the_next) {
  Scene scene;
  scene.tracker().serial_begins();
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT a"), "unsure");
  scene.request(kOuterEdge, 1, kTrace);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT a"), "1 only");
  scene.answer(kOuterEdge, 1);
  EXPECT_EQ(scene.execute(kPayments, 6, "SELECT b"), "1 serial");
  EXPECT_EQ(scene.request(kToPayment, 3), "1 serial");
  scene.answer(kToPayment, 3);
  scene.request(kOuterEdge, 1, kOther);
  EXPECT_EQ(scene.execute(kPayments, 6, "SELECT b"), "2 serial");
}

TEST(FlowTracker, one_request_at_a_time_has_no_part_in_what_pools_do) {
  Scene scene({{"SELECT news", kOrders}});
  scene.tracker().serial_begins();
  scene.request(kOuterEdge, 1, kTrace);
  scene.answer(kOuterEdge, 1);
  for (int poll = 0; poll < 3; ++poll) {
    EXPECT_FALSE(scene.is_at_rest());
    EXPECT_EQ(scene.execute(kOrders, 5, "SELECT 1"), "setup");
    EXPECT_EQ(scene.execute(kOrders, 5, "SELECT news"), "background");
  }
  EXPECT_TRUE(scene.is_at_rest()) << scene.tracker().restless_part();
}

TEST(FlowTracker, without_background_rest_is_silence) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  scene.pass(milliseconds(500));
  EXPECT_FALSE(scene.is_at_rest());
  scene.ask(kOrders, 5, "SELECT a");
  scene.answer(kOuterEdge, 1);
  scene.pass(milliseconds(500));
  EXPECT_FALSE(scene.is_at_rest());
  scene.done(kOrders, 5, 'I');
  scene.pass(milliseconds(99));
  EXPECT_FALSE(scene.is_at_rest());
  scene.pass(milliseconds(1));
  EXPECT_TRUE(scene.is_at_rest());
}

TEST(FlowTracker, with_background_rest_is_when_each_poll_has_come_again) {
  Scene scene({{"SELECT news", kOrders}, {"SELECT bills", kPayments}});
  const auto poll = [&scene] {
    scene.execute(kOrders, 91, "SELECT news");
    scene.execute(kPayments, 93, "SELECT bills");
  };
  scene.request(kOuterEdge, 1, kTrace);
  // One is under way.
  scene.ask(kOrders, 91, "SELECT news");
  scene.answer(kOuterEdge, 1);
  scene.done(kOrders, 91, 'I');
  scene.pass(milliseconds(500));
  EXPECT_FALSE(scene.is_at_rest());
  poll();
  EXPECT_FALSE(scene.is_at_rest());
  scene.execute(kOrders, 91, "SELECT news");
  EXPECT_FALSE(scene.is_at_rest());
  poll();
  poll();
  EXPECT_TRUE(scene.is_at_rest());
  // What somebody's flow does begins it anew.
  scene.request(kOuterEdge, 1, kOther);
  EXPECT_FALSE(scene.is_at_rest());
  scene.answer(kOuterEdge, 1);
  EXPECT_FALSE(scene.is_at_rest());
}

TEST(FlowTracker, streams_hinder_neither_rest_nor_others) {
  Scene scene;
  scene.request(kOuterEdge, 1, kTrace);
  scene.tracker().request_exempt(scene.last(1));
  scene.pass(milliseconds(100));
  EXPECT_TRUE(scene.is_at_rest());
  scene.request(kOuterEdge, 2, kOther);
  EXPECT_EQ(scene.execute(kOrders, 5, "SELECT a"), "2 only");
}

}  // namespace
}  // namespace heddle
