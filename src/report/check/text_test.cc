// Reports on made-up histories, one folder of golden/ per anomaly.

#include "report/check/text.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "format/sample_check_testing.h"
#include "report/check/timeline.h"
#include "report/text/golden_testing.h"

namespace heddle {
namespace {

using enum DependencyKind;
using sample::CheckScene;
using sample::expect_golden;

template <class Report, class History>
std::string as_text(const Report& report, const History& history, const CheckSubject& subject,
                    std::size_t width = 100) {
  const std::string text = render_text(report, history, subject, TextOptions{false, width});
  for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), width) << line;
  return text;
}

// The report as text and as a document, in the folder of the anomaly.
void expect_report(const std::string& folder, const CheckScene& scene, const CheckReport& report) {
  const CheckSubject subject{"bank.edn"};
  expect_golden(folder + "/report.txt", as_text(report, scene.history, subject));
  expect_golden(folder + "/report.json", render_json(report, scene.history, subject));
}

void expect_cycle(CheckScene& scene, IsolationLevel level, AnomalyKind kind,
                  std::vector<RecordedEdge> cycle) {
  expect_report(std::string(definition(kind).slug), scene,
                scene.report(level, kind, std::move(cycle)));
}

TEST(CheckText, lost_update) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "r x 0, w x 1");
  const TransactionId t2 = scene.txn(1, "r x 0, w x 2");
  expect_cycle(scene, IsolationLevel::snapshot, AnomalyKind::lost_update,
               {scene.edge(rw, t1, 0, t2, 1), scene.edge(rw, t2, 0, t1, 1)});
}

TEST(CheckText, write_skew) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "r on-call-alice 1, r on-call-bob 1, w on-call-alice 0");
  const TransactionId t2 = scene.txn(1, "r on-call-alice 1, r on-call-bob 1, w on-call-bob 0");
  scene.history.initial = Value::number(1);
  expect_cycle(scene, IsolationLevel::serializable, AnomalyKind::write_skew,
               {scene.edge(rw, t1, 1, t2, 2), scene.edge(rw, t2, 0, t1, 2)});
}

TEST(CheckText, long_fork) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "w x 1");
  const TransactionId t2 = scene.txn(1, "w y 1");
  const TransactionId t3 = scene.txn(2, "r x 1, r y 0");
  const TransactionId t4 = scene.txn(3, "r y 1, r x 0");
  expect_cycle(scene, IsolationLevel::prefix, AnomalyKind::long_fork,
               {scene.edge(wr, t1, 0, t3, 0), scene.edge(rw, t3, 1, t2, 0),
                scene.edge(wr, t2, 0, t4, 0), scene.edge(rw, t4, 1, t1, 0)});
}

TEST(CheckText, fractured_read) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "w x 1, w y 1");
  const TransactionId t2 = scene.txn(1, "r x 1, r y 0");
  expect_cycle(scene, IsolationLevel::read_atomic, AnomalyKind::fractured_read,
               {scene.edge(wr, t1, 0, t2, 0), scene.edge(rw, t2, 1, t1, 1)});
}

TEST(CheckText, read_skew) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "w x 1");
  const TransactionId t2 = scene.txn(1, "r x 1, w y 2");
  const TransactionId t3 = scene.txn(2, "r y 2, r x 0");
  expect_cycle(
      scene, IsolationLevel::transactional_causal, AnomalyKind::read_skew,
      {scene.edge(wr, t1, 0, t2, 0), scene.edge(wr, t2, 1, t3, 0), scene.edge(rw, t3, 1, t1, 0)});
}

TEST(CheckText, non_repeatable_read) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "r x 0, r x 1");
  const TransactionId t2 = scene.txn(1, "w x 1");
  expect_cycle(scene, IsolationLevel::read_atomic, AnomalyKind::non_repeatable_read,
               {scene.edge(rw, t1, 0, t2, 0), scene.edge(wr, t2, 0, t1, 1)});
}

TEST(CheckText, causality_violation) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "w photo 1");
  const TransactionId t2 = scene.txn(0, "w comment 2");
  const TransactionId t3 = scene.txn(1, "r comment 2, r photo 0");
  expect_cycle(
      scene, IsolationLevel::transactional_causal, AnomalyKind::causality_violation,
      {CheckScene::edge(so, t1, t2), scene.edge(wr, t2, 0, t3, 0), scene.edge(rw, t3, 1, t1, 0)});
}

TEST(CheckText, session_order_cycle) {
  CheckScene scene;
  scene.history.sessions = {"alice", "bob"};
  const TransactionId t1 = scene.txn(0, "w x 1");
  const TransactionId t2 = scene.txn(0, "r y 0");
  const TransactionId t3 = scene.txn(1, "w y 1, r x 0");
  expect_cycle(
      scene, IsolationLevel::strong_session_serializable, AnomalyKind::session_cycle,
      {CheckScene::edge(so, t1, t2), scene.edge(rw, t2, 0, t3, 0), scene.edge(rw, t3, 1, t1, 0)});
}

TEST(CheckText, real_time_cycle_shows_times) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "w x 1", TransactionOutcome::committed, 10, 20);
  const TransactionId t2 = scene.txn(1, "r x 0", TransactionOutcome::committed, 30, 40);
  expect_cycle(scene, IsolationLevel::strict_serializable, AnomalyKind::real_time_cycle,
               {CheckScene::edge(rt, t1, t2), scene.edge(rw, t2, 0, t1, 0)});
}

TEST(CheckText, dirty_write) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "append x 1, append y 1");
  const TransactionId t2 = scene.txn(1, "append x 2, append y 2");
  scene.txn(2, "list x 1 2, list y 2 1");
  expect_cycle(scene, IsolationLevel::read_uncommitted, AnomalyKind::dirty_write,
               {scene.edge(ww, t1, 0, t2, 0), scene.edge(ww, t2, 1, t1, 1)});
}

TEST(CheckText, circular_flow) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "w x 1, r y 1");
  const TransactionId t2 = scene.txn(1, "w y 1, r x 1");
  expect_cycle(scene, IsolationLevel::read_committed, AnomalyKind::circular_flow,
               {scene.edge(wr, t1, 0, t2, 1), scene.edge(wr, t2, 0, t1, 1)});
}

// No list shows that T1 wrote x before T2: only that T3, which saw T1, read what T2 wrote.
TEST(CheckText, derived_orders_of_writes_are_argued_for) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "w x 1, w y 1, r z 3");
  const TransactionId t2 = scene.txn(1, "w x 2, w z 3");
  const TransactionId t3 = scene.txn(2, "r y 1, r x 2");
  const TransactionId t4 = scene.txn(3, "r z 3, r x 1");
  const std::vector<RecordedEdge> seen = {scene.edge(wr, t1, 1, t3, 0)};
  expect_report("derived-overwrite", scene,
                scene.report(IsolationLevel::read_committed, AnomalyKind::circular_flow,
                             {scene.edge(ww, t1, 0, t2, 0, seen), scene.edge(wr, t2, 1, t1, 2)}));
  expect_report("derived-anti-dependency", scene,
                scene.report(IsolationLevel::read_atomic, AnomalyKind::fractured_read,
                             {scene.edge(rw, t4, 1, t2, 0, seen), scene.edge(wr, t2, 1, t4, 0)}));
}

// T3 reads what T1 wrote, and T2 came after T1: so T2 overwrote it.
TEST(CheckText, what_was_missed_may_be_argued_for_as_well) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "w x 1, w y 1");
  const TransactionId t2 = scene.txn(1, "r y 1, w x 2, w z 2");
  const TransactionId t3 = scene.txn(2, "r z 2, r x 1");
  const std::vector<RecordedEdge> seen = {scene.edge(wr, t1, 1, t2, 0)};
  expect_report("missed-overwrite", scene,
                scene.report(IsolationLevel::transactional_causal, AnomalyKind::fractured_read,
                             {scene.edge(wr, t2, 2, t3, 0), scene.edge(rw, t3, 1, t2, 1, seen)}));
}

TEST(CheckText, single_operations) {
  struct Case {
    AnomalyKind kind;
    std::string first;
    std::string second;
    TransactionOutcome outcome;
    std::pair<std::size_t, std::uint32_t> operation;
    std::optional<std::pair<std::size_t, std::uint32_t>> other;
  };
  const auto committed = TransactionOutcome::committed;
  const Case cases[] = {
      {AnomalyKind::aborted_read, "w x 1", "r x 1", TransactionOutcome::aborted, {1, 0}, {{0, 0}}},
      {AnomalyKind::intermediate_read, "w x 1, w x 2", "r x 1", committed, {1, 0}, {{0, 0}}},
      {AnomalyKind::unwritten_read, "w x 1", "r x 9", committed, {1, 0}, std::nullopt},
      {AnomalyKind::future_read, "w y 1", "r x 1, w x 1", committed, {1, 0}, {{1, 1}}},
      {AnomalyKind::internal_inconsistency, "w x 2", "w x 1, r x 2", committed, {1, 1}, {{1, 0}}},
      {AnomalyKind::inconsistent_order, "list x 1 2", "list x 2 1 3", committed, {1, 0}, {{0, 0}}},
  };
  for (const Case& each : cases) {
    CheckScene scene;
    scene.txn(0, each.first, each.outcome);
    scene.txn(1, each.second);
    Counterexample example;
    example.kind = each.kind;
    const auto operation = [&](const std::pair<std::size_t, std::uint32_t>& place) {
      return scene.operation(TransactionId(place.first), place.second);
    };
    example.operation = operation(each.operation);
    if (each.other) example.other = operation(*each.other);
    example.transactions = {TransactionId(1)};
    expect_report(std::string(definition(each.kind).slug), scene,
                  scene.report(IsolationLevel::read_committed, example));
  }
}

TEST(CheckText, a_search_that_failed_has_no_cycle) {
  CheckScene scene;
  scene.txn(0, "w x 1, r y 1");
  scene.txn(1, "w x 1, w y 1", TransactionOutcome::unknown);
  scene.txn(2, "w y 1, r x 0");
  expect_report(
      "unserializable-outcome", scene,
      scene.report(IsolationLevel::serializable, AnomalyKind::unserializable_outcome, {}));
}

TEST(CheckText, cases_of_orders_that_nobody_saw) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "w x 1, r y 0, w z 1");
  const TransactionId t2 = scene.txn(1, "w x 2, w y 1, r z 0");
  Counterexample example;
  example.kind = AnomalyKind::read_skew;
  example.transactions = {t1, t2};
  const RecordedEdge one = scene.edge(ww, t1, 0, t2, 0);
  const RecordedEdge two = scene.edge(ww, t2, 0, t1, 0);
  example.cases = {{{one}, {one, scene.edge(rw, t2, 2, t1, 2)}},
                   {{two}, {two, scene.edge(rw, t1, 1, t2, 1)}}};
  expect_report("cases", scene, scene.report(IsolationLevel::serializable, example));
}

// Long transactions, long lists, long values, values that would take over a terminal.
CheckScene crowded_scene(CheckReport& report) {
  CheckScene scene;
  std::string list = "list x";
  for (int i = 0; i < 40; ++i) list += " " + std::to_string(i);
  std::string many = "r x-\x1b[31m nil";
  for (int i = 0; i < 30; ++i) many += ", w y" + std::to_string(i) + " " + std::to_string(i);
  const TransactionId t1 = scene.txn(0, many);
  const TransactionId t2 = scene.txn(1, list +
                                            ", append x 99, r y7 a-value-that-is-much-too-long-"
                                            "to-be-shown-whole-on-one-line-of-a-terminal");
  std::vector<RecordedEdge> cycle = {scene.edge(wr, t1, 8, t2, 2), scene.edge(rw, t2, 0, t1, 3)};
  for (std::uint32_t i = 0; i < 20; ++i) scene.txn(2 + i, "r z 0");
  report = scene.report(IsolationLevel::serializable, AnomalyKind::serialization_cycle, cycle);
  return scene;
}

TEST(CheckText, long_ones_are_cut) {
  CheckReport report;
  const CheckScene scene = crowded_scene(report);
  const std::string text = as_text(report, scene.history, {"a\nb.edn"});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  expect_golden("crowded/report.txt", text);
  for (std::size_t width = 60; width < 200; width += 9) {
    (void)as_text(report, scene.history, {"a.edn"}, width);
  }
}

CheckReport summary_report(const CheckScene& scene) {
  CheckReport report = scene.report(IsolationLevel::prefix, AnomalyKind::lost_update,
                                    {scene.edge(rw, TransactionId(0), 0, TransactionId(1), 1),
                                     scene.edge(rw, TransactionId(1), 0, TransactionId(0), 1)});
  LevelAnswer also = report.answers[0];
  also.level = IsolationLevel::parallel_snapshot;
  LevelAnswer held;
  held.level = IsolationLevel::read_atomic;
  held.verdict = Verdict::satisfied;
  held.order = {TransactionId(1), TransactionId(0)};
  held.chosen = {{scene.operation(TransactionId(0), 0), std::nullopt},
                 {scene.operation(TransactionId(1), 0), TransactionId(0)}};
  LevelAnswer open;
  open.level = IsolationLevel::serializable;
  open.bound = "the memory limit of 500 MB";
  report.answers.insert(report.answers.begin(), held);
  report.answers.push_back(also);
  report.answers.push_back(open);
  report.strongest_held = {IsolationLevel::read_atomic};
  report.weakest_violated = {IsolationLevel::prefix, IsolationLevel::parallel_snapshot};
  return report;
}

TEST(CheckText, several_levels_begin_with_a_table) {
  CheckScene scene;
  scene.txn(0, "r x 0, w x 1");
  scene.txn(1, "r x 0, w x 2", TransactionOutcome::unknown);
  const CheckReport report = summary_report(scene);
  expect_golden("levels/report.txt", as_text(report, scene.history, {"bank.edn", true}));
  expect_golden("levels/report.json", render_json(report, scene.history, {"bank.edn", true}));
}

std::string first_line(const CheckReport& report) {
  const CheckScene scene;
  const std::string text = as_text(report, scene.history, {"h.edn"}, 200);
  return text.substr(0, text.find('\n'));
}

TEST(CheckText, the_first_line_is_the_answer) {
  CheckReport report;
  report.answers.push_back({IsolationLevel::serializable, Verdict::satisfied});
  report.strongest_held = {IsolationLevel::serializable};
  EXPECT_EQ(first_line(report), "h.edn: serializable is satisfied");
  report.answers.push_back(
      {IsolationLevel::strict_serializable, Verdict::unknown, "the time limit of 2 s"});
  EXPECT_EQ(first_line(report), "h.edn: satisfied up to serializable; the rest is unknown");
  report.answers.pop_back();
  report.answers.push_back({IsolationLevel::snapshot, Verdict::satisfied});
  EXPECT_EQ(first_line(report), "h.edn: satisfied at every level asked for");
  report.answers = {{IsolationLevel::snapshot, Verdict::unknown, "the limit of 10 steps"}};
  EXPECT_EQ(first_line(report), "h.edn: snapshot is unknown: the limit of 10 steps");
}

TEST(CheckTimeline, one_moment_takes_as_much_room_as_another) {
  EXPECT_EQ(
      render_timeline({{"a", 0, 1000}, {"bb", 1, 2}, {"c", 3, kNever}}, TextOptions{false, 60}),
      "a   |---------------|\n"
      "bb      |---|\n"
      "c               |------->\n");
  EXPECT_EQ(render_timeline({{"a", 5, 5}}, TextOptions{false, 60}), "a  ||\n");
  EXPECT_EQ(render_timeline({}, TextOptions{false, 60}), "");
}

// A register whose write of 2 returned before the read of 1 began.
ObjectHistory stale_calls() {
  ObjectHistory history;
  history.initial = Value::number(0);
  const KeyId object = history.objects.of(history.texts.text("x"));
  const auto add = [&](std::uint32_t process, ObjectFunction function, Value argument, Value result,
                       Moment called, Moment returned) {
    ObjectCall call;
    call.process = process;
    call.function = function;
    call.object = object;
    call.line = static_cast<std::uint32_t>(2 * history.calls.size() + 1);
    call.argument = argument;
    call.result = result;
    call.called = called;
    call.returned = returned;
    history.calls.push_back(call);
  };
  add(0, ObjectFunction::write, Value::number(1), kUnseen, 1, 4);
  add(1, ObjectFunction::read, kNil, Value::number(0), 2, 3);
  add(0, ObjectFunction::write, Value::number(2), kUnseen, 5, 7);
  add(2, ObjectFunction::read, kNil, Value::number(1), 8, 9);
  return history;
}

TEST(CheckCalls, calls_that_fit_into_no_order) {
  const ObjectHistory history = stale_calls();
  LinearizabilityAnswer answer;
  answer.verdict = Verdict::violated;
  LinearizabilityPart part;
  part.object = KeyId(0);
  part.verdict = Verdict::violated;
  part.order = {1, 0, 2};
  part.stuck = 3;
  part.core_stuck = 3;
  part.core_order = {0, 2};
  part.core = {0, 2, 3};
  answer.parts = {part};
  answer.culprit = 0;
  expect_golden("non-linearizable/report.txt", as_text(answer, history, {"etcd.log"}));
  expect_golden("non-linearizable/report.json", render_json(answer, history, {"etcd.log"}));
}

TEST(CheckCalls, satisfied_and_unknown_in_one_line) {
  const ObjectHistory history = stale_calls();
  LinearizabilityAnswer answer;
  answer.verdict = Verdict::satisfied;
  LinearizabilityPart part;
  part.object = KeyId(0);
  part.verdict = Verdict::satisfied;
  part.order = {1, 0, 2};
  answer.parts = {part};
  EXPECT_EQ(as_text(answer, history, {"a.log", true}),
            "a.log: linearizable is satisfied\n"
            "4 calls of 3 processes on a cas-register\n"
            "\n"
            "An order of the calls on x\n"
            "p1 read: 0 (line 3); p0 write 1 (line 1); p0 write 2 (line 5)\n");
  answer.verdict = Verdict::unknown;
  answer.bound = "the limit of 7 steps";
  EXPECT_EQ(as_text(answer, history, {"a.log"}),
            "a.log: linearizable is unknown: the limit of 7 steps\n"
            "4 calls of 3 processes on a cas-register\n");
}

}  // namespace
}  // namespace heddle
