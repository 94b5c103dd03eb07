#include "race/outcome/explain.h"

#include <string>

#include <gtest/gtest.h>

#include "race/outcome/race_runs_testing.h"

namespace heddle {
namespace {

const ExplainedRace kPayAndCancel{.first = "POST payments/payments",
                                  .second = "POST cancellations/cancellations",
                                  .schedule = "A until update orders; B; A",
                                  .first_statements = {"\"SELECT 1\" (1 row: open)"}};

// "Let ... Then ... However ..." of what runs leave in one table.
std::string argument(const std::vector<std::string>& serial, const std::string& run,
                     RaceOrder order = RaceOrder::overlapped) {
  const RaceRunsText text("shop: orders id,status");
  const auto baseline = learn_baseline(text.serial("", serial), {});
  const RaceVerdict verdict =
      run.empty() ? judge_orders(*baseline) : judge_run(*baseline, text.run(run), order);
  const Explanation said = explain_verdict(verdict, kPayAndCancel, order);
  return said.let + '\n' + said.then + '\n' + said.however;
}

const std::string kPaidBack = "A 201 {}\nB 201 {\"refund\": 10}\nshop: orders | 4,refunded";
const std::string kRefused = "A 409 {}\nB 201 {\"refund\": 0}\nshop: orders | 4,cancelled";
const std::vector<std::string> kSerial = {kPaidBack,
                                          kPaidBack,
                                          kRefused,
                                          kRefused,
                                          "A 201 {}\nshop: orders | 4,paid",
                                          "B 201 {\"refund\": 0}\nshop: orders | 4,cancelled"};

TEST(Explain, says_what_no_serial_order_gives) {
  EXPECT_EQ(
      argument(kSerial, "A 201 {}\nB 201 {\"refund\": 0}\nshop: orders | 4,cancelled"),
      "Let A be POST payments/payments and B be POST cancellations/cancellations.\n"
      "A and B overlapped: A until update orders; B; A. A did \"SELECT 1\" (1 row: open). A was "
      "answered 201, shop: orders was left with (id=4, status=cancelled) and $.refund in the "
      "answer to B was 0.\n"
      "When A ended before B began, shop: orders was left with (id=4, status=refunded) and "
      "$.refund in the answer to B was 10. When B ended before A began, A was answered 409. No "
      "serial order gives all of this.");
}

TEST(Explain, says_what_a_stale_read_is) {
  EXPECT_EQ(argument(kSerial, "A 201 {}\nB 201 {\"refund\": 0}\nshop: orders | 4,cancelled",
                     RaceOrder::after_answer)
                .find("B was sent as soon as A was answered, before the system was at rest."),
            argument(kSerial, kPaidBack).find('\n') + 1);
}

TEST(Explain, says_what_remained_of_a_refusal) {
  const std::string said =
      argument(kSerial, "A 409 {}\nB 201 {\"refund\": 0}\nshop: orders | 4,lost");
  EXPECT_NE(said.find("The refused request left something: without it, shop: orders was left with "
                      "(id=4, status=cancelled)."),
            std::string::npos)
      << said;
}

TEST(Explain, says_of_each_class_what_it_means) {
  const auto ends_with = [](const std::string& said, const std::string& end) {
    EXPECT_TRUE(said.ends_with(end)) << said;
  };
  ends_with(argument(kSerial, kPaidBack), "Some serial order gives all of this.");
  ends_with(argument(kSerial, "A 201 {}\nB 409 {}\nshop: orders | 4,paid"),
            "B ended with an error, and nothing of it remained: what is left is what the rest "
            "leaves alone, so that nobody is misled.");
  ends_with(argument(kSerial, "A 201 {}\nB 500 {}\nshop: orders | 4,paid"),
            "B ended with an error, and nothing of it remained.");
  ends_with(argument(kSerial, kPaidBack + "\nlog shop | ERROR: torn"),
            "A log has an error that no serial order with this outcome has.");
  ends_with(argument(kSerial, ""), "Who is faster decides what is left.");
  ends_with(argument(kSerial, kPaidBack + "\nbroken sum"), "No serial order breaks this.");
  ends_with(argument(kSerial, "A 201 {}"), "How B was answered is not known.");
}

TEST(Explain, names_requests_of_one_endpoint_and_branches) {
  EXPECT_EQ(explain_verdict({}, {.first = "POST a/b", .second = "POST a/b"}).let,
            "Let A and B be two requests POST a/b.");
  EXPECT_EQ(explain_verdict({}, {.first = "POST a/b", .is_between_branches = true}).let,
            "Let A and B be two branches of POST a/b.");
}

}  // namespace
}  // namespace heddle
