#include "race/outcome/verdict.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "race/outcome/race_runs_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string wheres(const RaceVerdict& verdict) {
  std::string text;
  for (const RaceDifference& each : verdict.differences) text += each.where + "; ";
  return text;
}

// Payment and cancellation: whoever comes second is refused, or pays back.
class PaymentAndCancellation : public testing::Test {
 protected:
  const RaceRunsText text_{
      "orders: orders id,status; payments: payments id,order_id,amount; "
      "cancellations: cancellations id*,order_id,refund"};
  const std::string before_ = "orders: orders | 4,open";
  const std::string pay_first_ = R"(A 201 {"payment": "k", "amount": 10}
      B 201 {"order": 4, "refund": 10}
      orders: orders | 4,cancelled
      payments: payments | k,4,10
      cancellations: cancellations | 1,4,10)";
  const std::string cancel_first_ = R"(A 409 {"error": "the order is not open"}
      B 201 {"order": 4, "refund": 0}
      orders: orders | 4,cancelled
      cancellations: cancellations | 1,4,0)";
  const std::string pay_alone_ = R"(A 201 {"payment": "k", "amount": 10}
      orders: orders | 4,paid
      payments: payments | k,4,10)";
  const std::string cancel_alone_ = R"(B 201 {"order": 4, "refund": 0}
      orders: orders | 4,cancelled
      cancellations: cancellations | 1,4,0)";
  const std::vector<std::string> runs_ = {pay_first_,    pay_first_, cancel_first_,
                                          cancel_first_, pay_alone_, cancel_alone_};

  RaceVerdict judge(const std::string& run, const JudgeSettings& settings = {},
                    RaceOrder order = RaceOrder::overlapped) const {
    const auto baseline = learn_baseline(text_.serial(before_, runs_), settings);
    return judge_run(*baseline, text_.run(run), order);
  }
};

TEST_F(PaymentAndCancellation, depend_on_the_order) {
  const RaceVerdict verdict = judge_orders(*learn_baseline(text_.serial(before_, runs_), {}));
  EXPECT_EQ(verdict.kind, RaceVerdictKind::order_dependent);
  EXPECT_THAT(wheres(verdict), HasSubstr("rows of payments: payments"));
  EXPECT_THAT(wheres(verdict), HasSubstr("status of A"));
}

// What is read depends on what was written before, and nobody else's work does.
TEST(Orders, do_not_matter_where_only_answers_tell_them) {
  const auto verdict_of = [](const std::string& method, const std::string& before,
                             const std::string& after) {
    const RaceRunsText text("shop: orders id,status");
    const std::string left = "\nB 204\nshop: orders | 4,paid";
    SerialRaceRuns serial = text.serial("shop: orders | 4,open",
                                        {before + left, before + left, after + left, after + left});
    serial.requests[0].method = method;
    return judge_orders(*learn_baseline(serial, {})).kind;
  };
  EXPECT_EQ(verdict_of("POST", "A 200 {\"n\": 1}", "A 200 {\"n\": 2}"), RaceVerdictKind::nothing);
  EXPECT_EQ(verdict_of("GET", "A 404 {}", "A 200 {}"), RaceVerdictKind::nothing);
  EXPECT_EQ(verdict_of("POST", "A 409 {}", "A 200 {}"), RaceVerdictKind::order_dependent);
}

TEST_F(PaymentAndCancellation, are_nothing_in_a_serial_order) {
  EXPECT_EQ(judge(pay_first_).kind, RaceVerdictKind::nothing);
  EXPECT_EQ(judge(cancel_first_).kind, RaceVerdictKind::nothing);
}

// The customer has paid, and gets nothing back: each part is that of some order, the whole is not.
TEST_F(PaymentAndCancellation, are_confirmed_where_nothing_is_refunded) {
  const RaceVerdict verdict = judge(R"(A 201 {"payment": "k", "amount": 10}
      B 201 {"order": 4, "refund": 0}
      orders: orders | 4,cancelled
      payments: payments | k,4,10
      cancellations: cancellations | 1,4,0)");
  EXPECT_EQ(verdict.kind, RaceVerdictKind::confirmed);
  EXPECT_FALSE(verdict.is_stale_read);
  ASSERT_EQ(wheres(verdict),
            "A: $.amount; A: $.error; A: $.payment; B: $.refund; status of A; "
            "rows of cancellations: cancellations; rows of payments: payments; ");
  const RaceDifference& refund = verdict.differences[3];
  EXPECT_EQ(refund.observed, "0");
  EXPECT_EQ(refund.first_then_second, "10");
  EXPECT_EQ(refund.second_then_first, "");
  EXPECT_EQ(verdict.differences.back().observed, "(id=k, order_id=4, amount=10)");
  EXPECT_EQ(verdict.differences.back().first_then_second, "");
  EXPECT_EQ(verdict.differences.back().second_then_first, "no such row");
}

TEST_F(PaymentAndCancellation, are_a_stale_read_when_one_was_answered_before) {
  const RaceVerdict verdict = judge(R"(A 201 {"payment": "k", "amount": 10}
      B 201 {"order": 4, "refund": 0}
      orders: orders | 4,cancelled
      payments: payments | k,4,10
      cancellations: cancellations | 1,4,0)",
                                    {}, RaceOrder::after_answer);
  EXPECT_EQ(verdict.kind, RaceVerdictKind::confirmed);
  EXPECT_TRUE(verdict.is_stale_read);
}

// The victim of a deadlock, a serialization failure: its user was told, and nothing is there.
TEST_F(PaymentAndCancellation, are_refused_where_nothing_of_one_remains) {
  const RaceVerdict verdict = judge(R"(A 201 {"payment": "k", "amount": 10}
      B 409 {"error": "try again"}
      orders: orders | 4,paid
      payments: payments | k,4,10)");
  EXPECT_EQ(verdict.kind, RaceVerdictKind::refused);
  EXPECT_THAT(verdict.refused, ElementsAre(kUnitB));
  EXPECT_EQ(verdict.why, "B ended with an error, and nothing of it remained");
}

TEST_F(PaymentAndCancellation, are_refused_both_where_nothing_is_there) {
  const RaceVerdict verdict = judge(R"(A 409 {"error": "try again"}
      B 409 {"error": "try again"}
      orders: orders | 4,open)");
  EXPECT_EQ(verdict.kind, RaceVerdictKind::refused);
  EXPECT_THAT(verdict.refused, ElementsAre(kUnitA, kUnitB));
}

TEST_F(PaymentAndCancellation, are_confirmed_where_part_of_a_refusal_remains) {
  const RaceVerdict verdict = judge(R"(A 201 {"payment": "k", "amount": 10}
      B 409 {"error": "try again"}
      orders: orders | 4,paid
      payments: payments | k,4,10
      cancellations: cancellations | 1,4,10)");
  EXPECT_EQ(verdict.kind, RaceVerdictKind::confirmed);
  EXPECT_THAT(verdict.refused, ElementsAre(kUnitB));
  ASSERT_THAT(wheres(verdict), HasSubstr("rows of cancellations"));
  for (const RaceDifference& each : verdict.differences) {
    if (each.where == "rows of cancellations: cancellations") {
      EXPECT_EQ(each.other_alone, "no such row");
    }
  }
}

// The order refuses A as a serial order does, in other words.
TEST_F(PaymentAndCancellation, are_refused_where_a_serial_order_says_it_otherwise) {
  const RaceVerdict verdict = judge(R"(A 422 {"error": "cancelled meanwhile"}
      B 201 {"order": 4, "refund": 0}
      orders: orders | 4,cancelled
      cancellations: cancellations | 1,4,0)");
  EXPECT_EQ(verdict.kind, RaceVerdictKind::refused);
  EXPECT_THAT(verdict.refused, ElementsAre(kUnitA));
}

TEST_F(PaymentAndCancellation, are_an_error_under_overlap_with_a_5xx) {
  for (const char* answer : {"B 500 {\"error\": \"oops\"}", "B 0"}) {
    const RaceVerdict verdict = judge(R"(A 201 {"payment": "k", "amount": 10}
      orders: orders | 4,paid
      payments: payments | k,4,10
      )" + std::string(answer));
    EXPECT_EQ(verdict.kind, RaceVerdictKind::error_under_overlap) << answer;
  }
}

// The service answered 500, and everything of the request is there.
TEST_F(PaymentAndCancellation, are_confirmed_where_a_5xx_has_done_its_work) {
  const RaceVerdict verdict = judge(R"(A 201 {"payment": "k", "amount": 10}
      B 500 {}
      orders: orders | 4,cancelled
      payments: payments | k,4,10
      cancellations: cancellations | 1,4,10)");
  EXPECT_EQ(verdict.kind, RaceVerdictKind::confirmed);
}

TEST_F(PaymentAndCancellation, are_confirmed_by_an_invariant_that_both_orders_keep) {
  const RaceVerdict verdict = judge(pay_first_ + "\nbroken no free rides");
  EXPECT_EQ(verdict.kind, RaceVerdictKind::confirmed);
  EXPECT_THAT(verdict.broken, ElementsAre("invariant no free rides"));
  EXPECT_EQ(wheres(verdict), "invariant no free rides; ");
}

TEST_F(PaymentAndCancellation, are_nothing_where_an_order_breaks_the_invariant_too) {
  auto serial = text_.serial(before_, runs_);
  serial.second_then_first[0] = text_.run(cancel_first_ + "\nbroken no free rides");
  const auto baseline = learn_baseline(serial, {});
  EXPECT_EQ(judge_run(*baseline, text_.run(pay_first_ + "\nbroken no free rides")).kind,
            RaceVerdictKind::nothing);
}

TEST_F(PaymentAndCancellation, are_confirmed_by_a_field_that_is_not_as_expected) {
  JudgeSettings settings;
  settings.benign = {"POST /cancellations"};
  const std::string run = R"(A 201 {"payment": "k", "amount": 10}
      B 201 {"order": 4, "refund": 7}
      orders: orders | 4,cancelled
      payments: payments | k,4,10
      cancellations: cancellations | 1,4,10)";
  EXPECT_EQ(judge(run, settings).kind, RaceVerdictKind::nothing);
  settings.expected = {{.request = kUnitB, .path = "refund", .values = {"0", "10"}}};
  const RaceVerdict verdict = judge(run, settings);
  EXPECT_EQ(verdict.kind, RaceVerdictKind::confirmed);
  EXPECT_THAT(verdict.broken, ElementsAre("that refund of B is 0 or 10"));
}

// A benign endpoint is exempt from the comparison of responses only.
TEST_F(PaymentAndCancellation, are_confirmed_by_rows_also_where_an_endpoint_is_benign) {
  JudgeSettings settings;
  settings.benign = {"POST /cancellations", "POST payments/payments"};
  EXPECT_EQ(judge(R"(A 201 {"payment": "k", "amount": 11}
      B 201 {"order": 4, "refund": 7}
      orders: orders | 4,cancelled
      payments: payments | k,4,10
      cancellations: cancellations | 1,4,10)",
                  settings)
                .kind,
            RaceVerdictKind::nothing);
  EXPECT_EQ(judge(R"(A 201 {"payment": "k", "amount": 10}
      B 201 {"order": 4, "refund": 0}
      orders: orders | 4,cancelled
      payments: payments | k,4,10
      cancellations: cancellations | 1,4,0)",
                  settings)
                .kind,
            RaceVerdictKind::confirmed);
}

TEST_F(PaymentAndCancellation, are_an_error_under_overlap_by_a_new_error_in_a_log) {
  const RaceVerdict verdict =
      judge(pay_first_ + "\nlog orders | 08:00:01 ERROR: could not serialize access");
  EXPECT_EQ(verdict.kind, RaceVerdictKind::error_under_overlap);
  EXPECT_EQ(wheres(verdict), "errors in the log of orders; ");
  EXPECT_EQ(judge(pay_first_ + "\nlog orders | 08:00:01 INFO: served request 7").kind,
            RaceVerdictKind::nothing);
}

TEST_F(PaymentAndCancellation, are_inconclusive_by_trouble_of_a_run) {
  auto serial = text_.serial(before_, runs_);
  RacedRun run = text_.run(pay_first_);
  run.trouble = "a connection was ended";
  EXPECT_EQ(judge_run(*learn_baseline(serial, {}), run).why,
            "the run does not count: a connection was ended");
  serial.second_then_first[1].trouble = "it took too long";
  const RaceVerdict verdict = judge_run(*learn_baseline(serial, {}), text_.run(pay_first_));
  EXPECT_EQ(verdict.kind, RaceVerdictKind::inconclusive);
  EXPECT_EQ(verdict.why, "a serial run does not count: it took too long");
}

TEST_F(PaymentAndCancellation, are_inconclusive_where_nobody_knows_what_one_does_alone) {
  auto serial = text_.serial(before_, runs_);
  serial.first_alone.reset();
  const std::string run = R"(A 201 {"payment": "k", "amount": 10}
      B 409 {"error": "try again"}
      orders: orders | 4,paid
      payments: payments | k,4,10)";
  EXPECT_EQ(judge_run(*learn_baseline(serial, {}), text_.run(run)).kind,
            RaceVerdictKind::inconclusive);
}

TEST_F(PaymentAndCancellation, are_inconclusive_without_an_answer) {
  EXPECT_EQ(judge("A 201 {}\n orders: orders | 4,paid").why, "how B was answered is not known");
}

}  // namespace
}  // namespace heddle
