#include "race/outcome/normalise.h"

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "race/outcome/race_runs_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two requests that each add something; runs are said by what they leave.
struct PairOfRuns {
  std::string columns;
  std::string before;
  std::vector<std::string> serial;  // A B twice, B A twice, A alone, B alone

  RaceVerdict judge(const std::string& run, const JudgeSettings& settings = {}) const {
    const RaceRunsText text(columns);
    return judge_run(*learn_baseline(text.serial(before, serial), settings), text.run(run));
  }
  std::vector<std::string> masked() const {
    return masked_places(*learn_baseline(RaceRunsText(columns).serial(before, serial), {}));
  }
};

std::string kind_of(const RaceVerdict& verdict) { return std::string(to_string(verdict.kind)); }

// What a run of two requests that each make an order leaves.
std::string two_orders(const std::string& a, const std::string& b, const std::string& more = "") {
  return fmt::format(
      "A 201 {{\"id\": {0}}} location=/orders/{0}\nB 201 {{\"id\": {1}}} location=/orders/{1}\n"
      "shop: orders | {0},ann | {1},bob\nbank: entries | {0},-5 | {1},-7\n{2}",
      a, b, more);
}

// Sequences skip numbers, and whoever comes first gets the first: nothing of that is an anomaly.
TEST(Normalise, renames_numbers_alike_in_answers_rows_and_other_stores) {
  const PairOfRuns orders{
      "shop: orders id*,customer; bank: entries order_id,amount",
      "",
      {two_orders("1", "2"), two_orders("1", "2"), two_orders("2", "1"), two_orders("2", "1")}};
  EXPECT_EQ(kind_of(orders.judge(two_orders("1", "2"))), "nothing");
  EXPECT_EQ(kind_of(orders.judge(two_orders("4", "3"))), "nothing");
  // The entry of A hangs on the order of B.
  EXPECT_EQ(kind_of(orders.judge("A 201 {\"id\": 1} location=/orders/1\n"
                                 "B 201 {\"id\": 2} location=/orders/2\n"
                                 "shop: orders | 1,ann | 2,bob\nbank: entries | 2,-5 | 1,-7")),
            "confirmed");
  // A is told the number of B's order.
  EXPECT_EQ(kind_of(orders.judge("A 201 {\"id\": 2} location=/orders/1\n"
                                 "B 201 {\"id\": 1} location=/orders/2\n"
                                 "shop: orders | 1,ann | 2,bob\nbank: entries | 1,-5 | 2,-7")),
            "confirmed");
}

// The program takes numbers from a sequence by itself, and goes on counting where rows were put
// back: no column says so, equal runs do.
TEST(Normalise, renames_numbers_that_equal_runs_show_to_be_made_up) {
  const PairOfRuns orders{
      "shop: orders id,customer; bank: entries order_id,amount",
      "shop: orders | 90,eve",
      {two_orders("1", "2", "shop: orders | 90,eve"), two_orders("3", "4", "shop: orders | 90,eve"),
       two_orders("6", "5", "shop: orders | 90,eve"),
       two_orders("8", "7", "shop: orders | 90,eve")}};
  EXPECT_EQ(kind_of(orders.judge(two_orders("10", "9", "shop: orders | 90,eve"))), "nothing");
  EXPECT_EQ(kind_of(orders.judge("A 201 {\"id\": 11} location=/orders/11\n"
                                 "B 201 {\"id\": 12} location=/orders/12\n"
                                 "shop: orders | 11,ann | 12,bob | 90,eve\n"
                                 "bank: entries | 12,-5 | 11,-7")),
            "confirmed");
  // What was there before is no name: here the entry of B hangs on an order of somebody else.
  EXPECT_EQ(kind_of(orders.judge("A 201 {\"id\": 11} location=/orders/11\n"
                                 "B 201 {\"id\": 12} location=/orders/12\n"
                                 "shop: orders | 11,ann | 12,bob | 90,eve\n"
                                 "bank: entries | 11,-5 | 90,-7")),
            "confirmed");
}

// Two sequences that give equal numbers in each serial run: which of them an answer tells is not
// known, unless it says so.
TEST(Normalise, tells_no_sequence_from_another_by_equal_numbers) {
  const auto run = [](const std::string& order, const std::string& note, const std::string& field) {
    return fmt::format("A 201 {{\"{2}\": {0}}}\nB 204\nshop: orders | {0}\nshop: notes | {1}",
                       order, note, field);
  };
  for (const auto& [field, answered, expected] : {std::tuple("id", "5", "nothing"),
                                                  {"order_id", "5", "nothing"},
                                                  {"order_id", "7", "confirmed"}}) {
    const PairOfRuns pair{
        "shop: orders id*; shop: notes id*",
        "",
        {run("1", "1", field), run("1", "1", field), run("2", "2", field), run("2", "2", field)}};
    const std::string judged = fmt::format(
        "A 201 {{\"{}\": {}}}\nB 204\nshop: orders | 5\nshop: notes | 7", field, answered);
    EXPECT_EQ(kind_of(pair.judge(judged)), expected) << field;
  }
}

TEST(Normalise, finds_numbers_in_sentences) {
  const auto run = [](const std::string& a, const std::string& b) {
    return fmt::format(
        "A 201 {{\"text\": \"Order {0} was made\"}}\nB 201 {{\"text\": \"Order {1} was made\"}}\n"
        "shop: orders | {0},ann | {1},bob",
        a, b);
  };
  const PairOfRuns orders{"shop: orders id*,customer",
                          "",
                          {run("1", "2"), run("1", "2"), run("2", "1"), run("2", "1")}};
  EXPECT_EQ(kind_of(orders.judge(run("7", "5"))), "nothing");
  EXPECT_EQ(kind_of(orders.judge(run("7", "7"))), "confirmed");
}

// Tokens with the second in them are equal where two log in in one second.
TEST(Normalise, does_not_compare_signed_tokens) {
  const auto run = [](const std::string& a, const std::string& b) {
    return fmt::format(
        "A 200 {{\"token\": \"eyJhbGciOiJIUzI1NiJ9.{}\", \"took\": 0}}\n"
        "B 200 {{\"token\": \"eyJhbGciOiJIUzI1NiJ9.{}\", \"took\": 0}}",
        a, b);
  };
  const PairOfRuns log_ins{
      "", "", {run("a1", "a2"), run("a3", "a4"), run("a5", "a6"), run("a7", "a8")}};
  EXPECT_EQ(kind_of(log_ins.judge(run("b1", "b1"))), "nothing");
  EXPECT_EQ(kind_of(log_ins.judge("A 200 {\"token\": \"eyJhbGciOiJIUzI1NiJ9.c1\", \"took\": 3}\n"
                                  "B 200 {\"token\": \"eyJhbGciOiJIUzI1NiJ9.c2\", \"took\": 4}")),
            "nothing");
}

// Nothing is put back: each run begins where the last one ended, with a user of its own, whose
// account has a number of its own.
TEST(Normalise, compares_runs_that_begin_at_other_rows) {
  const RaceRunsText text(
      "bank: accounts id*account,owner,balance; bank: entries id*,account*account,amount");
  const auto fresh = [&](int number, const std::string& left, const std::string& entries) {
    const std::string user = fmt::format("ann-{}", number);
    const std::string others = "bank: accounts | 1,eve-0,7";
    RacedRun run = text.run(fmt::format(
        "A 201 {{\"owner\": \"{0}\", \"link\": \"/accounts/{1}\"}}\nB 204\n{2}\n"
        "bank: accounts | {1},{0},{3}\nbank: entries {4}",
        user, 10 + number, others, left,
        fmt::format(fmt::runtime(entries), 20 + 2 * number, 21 + 2 * number, 10 + number)));
    run.before =
        text.rows(fmt::format("{}\nbank: accounts | {},{},100", others, 10 + number, user));
    run.renamed = {{user, "ann"}};
    return run;
  };
  const std::string both = "| {0},{2},-30 | {1},{2},-40";
  SerialRaceRuns serial;
  serial.requests = {{kUnitA, "A"}, {kUnitB, "B"}};
  serial.first_then_second = {fresh(1, "30", both), fresh(2, "30", both)};
  serial.second_then_first = {fresh(3, "30", both), fresh(4, "30", both)};
  const auto baseline = learn_baseline(serial, {});
  EXPECT_EQ(kind_of(judge_run(*baseline, fresh(5, "30", both))), "nothing");
  EXPECT_EQ(kind_of(judge_run(*baseline, fresh(6, "60", both))), "confirmed");
  EXPECT_EQ(kind_of(judge_run(*baseline, fresh(7, "30", "| {0},{2},-30 | {1},1,-40"))),
            "confirmed");
}

// Rows of before stand for themselves.
TEST(Normalise, renames_nothing_that_was_there_before) {
  const PairOfRuns moved{"shop: lines id*,seat*shop.seats.id; shop: seats id*,row",
                         "shop: seats | 1,a | 2,b",
                         {"A 201 {}\nB 201 {}\nshop: seats | 1,a | 2,b\nshop: lines | 1,1 | 2,2",
                          "A 201 {}\nB 201 {}\nshop: seats | 1,a | 2,b\nshop: lines | 1,1 | 2,2",
                          "A 201 {}\nB 201 {}\nshop: seats | 1,a | 2,b\nshop: lines | 1,2 | 2,1",
                          "A 201 {}\nB 201 {}\nshop: seats | 1,a | 2,b\nshop: lines | 1,2 | 2,1"}};
  EXPECT_EQ(kind_of(moved.judge("A 201 {}\nB 201 {}\nshop: seats | 1,a | 2,b\n"
                                "shop: lines | 3,1 | 7,2")),
            "nothing");
  EXPECT_EQ(kind_of(moved.judge("A 201 {}\nB 201 {}\nshop: seats | 1,a | 2,b\n"
                                "shop: lines | 1,2 | 2,2")),
            "confirmed");
}

// A counter that happens to hold the same small numbers as a sequence is no reference to it: what
// two visits made of it must be two.
TEST(Normalise, takes_no_counter_for_a_number_of_a_row) {
  const std::string both = "A 204\nB 204\nweb: visits | 1 | 2\nweb: counters | total,2";
  const PairOfRuns visits{"web: visits id*; web: counters name,count",
                          "web: counters | total,0",
                          {both, both, both, both}};
  EXPECT_EQ(kind_of(visits.judge("A 204\nB 204\nweb: visits | 1 | 2\nweb: counters | total,1")),
            "confirmed");
}

TEST(Normalise, knows_identities_of_128_bits_by_their_look) {
  const auto run = [](const std::string& a, const std::string& b) {
    return fmt::format(
        "A 201 {{\"ref\": \"{0}\"}}\nB 201 {{\"ref\": \"{1}\"}}\n"
        "shop: orders | {0},made by {0} for ann | {1},made by {1} for bob",
        a, b);
  };
  const std::string one = "0b5d4ad0-6d5c-4a5e-8c59-8a1f2b3c4d5e";
  const std::string two = "7f000001-1111-4222-8333-444455556666";
  const std::string three = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeffff0000";
  const PairOfRuns orders{"shop: orders ref,note",
                          "",
                          {run(one, two), run(two, three), run(three, one), run(one, two)}};
  EXPECT_EQ(kind_of(orders.judge(run(three, two))), "nothing");
  EXPECT_EQ(kind_of(orders.judge(run(three, three))), "confirmed");
}

// A time that differs between equal runs hides itself, and nothing beside it.
TEST(Normalise, masks_times_and_nothing_beside_them) {
  const auto run = [](const std::string& time, const std::string& text, int amount) {
    return fmt::format(
        "A 201 {{\"at\": \"2026-01-31T08:00:{0}.123Z\", \"text\": \"{1} at 08:00:{0}\"}}\n"
        "B 204\nshop: orders | 1,{2},2026-01-31 08:00:{0}",
        time, text, amount);
  };
  const PairOfRuns orders{
      "shop: orders id,amount,at",
      "",
      {run("01", "paid", 5), run("02", "paid", 5), run("03", "paid", 5), run("04", "paid", 5)}};
  EXPECT_EQ(kind_of(orders.judge(run("09", "paid", 5))), "nothing");
  EXPECT_EQ(kind_of(orders.judge(run("09", "lost", 5))), "confirmed");
  EXPECT_EQ(kind_of(orders.judge(run("09", "paid", 6))), "confirmed");
  EXPECT_THAT(orders.masked(),
              ElementsAre("a part of A: $.at", "a part of A: $.text", "a part of shop: orders.at"));
}

// The departure of a train is a time, too, but nobody's clock made it.
TEST(Normalise, compares_times_that_no_clock_made) {
  const auto run = [](const std::string& departure) {
    return fmt::format("A 204\nB 204\nrail: trains | 7,2026-03-01 {}:00", departure);
  };
  const PairOfRuns trains{"rail: trains id,departure",
                          "rail: trains | 7,2026-03-01 08:00:00",
                          {run("09:00"), run("09:00"), run("10:00"), run("10:00")}};
  EXPECT_EQ(kind_of(trains.judge(run("09:00"))), "nothing");
  EXPECT_EQ(kind_of(trains.judge(run("08:00"))), "confirmed");
}

// Rows that only an overlap makes have no equal run to learn from; their times are the run's.
TEST(Normalise, masks_times_of_the_run_by_their_look) {
  const RaceRunsText text("shop: orders id,status; shop: refusals at,why");
  const std::string fine = "A 201 {}\nB 201 {}\nshop: orders | 1,paid";
  const std::vector<std::string> serial = {
      fine, fine, fine, fine, "A 201 {}\nshop: orders | 1,paid", "B 201 {}\nshop: orders | 1,paid"};
  const std::uint64_t begun_us = 1'769'846'400'000'000;  // 2026-01-31T08:00:00Z
  const auto timed = [&](std::string_view rows) {
    RacedRun run = text.run(rows);
    run.begun_us = begun_us;
    run.ended_us = begun_us + 3'000'000;
    return run;
  };
  SerialRaceRuns runs = text.serial("", serial);
  for (auto* each : {&runs.first_then_second, &runs.second_then_first}) {
    for (RacedRun& run : *each) {
      run = timed(fine + "\nshop: refusals | 2026-01-31 08:00:01+00,none");
    }
  }
  const auto baseline = learn_baseline(runs, {});
  EXPECT_EQ(kind_of(judge_run(*baseline,
                              timed(fine + "\nshop: refusals | 2026-01-31 08:00:02.5+00,none"))),
            "nothing");
  EXPECT_EQ(
      kind_of(judge_run(*baseline, timed(fine + "\nshop: refusals | 2026-01-31 09:30:00+00,none"))),
      "confirmed");
}

// A row that was made just before the first run and is changed by all of them: whether its time is
// near the run's tells nothing.
TEST(Normalise, knows_times_that_were_there_before) {
  const RaceRunsText text("bank: accounts id,balance,opened");
  const std::uint64_t opened_us = 1'769'846'400'500'000;  // 2026-01-31T08:00:00.5Z
  std::uint64_t begun_us = opened_us;
  const auto run = [&](const std::string& balance, const std::string& opened) {
    RacedRun made =
        text.run("A 200 {\"opened\":\"2026-01-31T08:00:00.500Z\"}\nB 204\nbank: accounts | 1," +
                 balance + "," + opened);
    made.begun_us = begun_us += 1'500'000;
    made.ended_us = begun_us + 100'000;
    return made;
  };
  const std::string then = "2026-01-31 08:00:00.5+00";
  SerialRaceRuns runs = text.serial("bank: accounts | 1,9," + then,
                                    {"A 200", "A 200", "A 200", "A 200", "A 200", "B 204"});
  for (auto* each : {&runs.first_then_second, &runs.second_then_first}) {
    for (RacedRun& made : *each) made = run("5", then);
  }
  const auto baseline = learn_baseline(runs, {});
  EXPECT_EQ(kind_of(judge_run(*baseline, run("5", then))), "nothing");
  EXPECT_EQ(kind_of(judge_run(*baseline, run("7", then))), "confirmed");
  EXPECT_EQ(kind_of(judge_run(*baseline, run("5", "2026-01-31 08:00:08.7+00"))), "confirmed");
}

TEST(Normalise, says_what_equal_runs_differ_in) {
  const auto run = [](const std::string& balance) {
    return "A 204\nB 204\nbank: accounts | 1," + balance;
  };
  const PairOfRuns accounts{"bank: accounts id,balance",
                            "bank: accounts | 1,0",
                            {run("5"), run("7"), run("5"), run("5")}};
  const RaceVerdict verdict = accounts.judge(run("5"));
  EXPECT_EQ(kind_of(verdict), "inconclusive");
  EXPECT_EQ(verdict.why,
            "two runs of one serial order differ: bank: accounts.balance is 5 in one run, 7 in "
            "the other");
  JudgeSettings settings;
  settings.masked = {"balance"};
  EXPECT_EQ(kind_of(accounts.judge(run("9"), settings)), "nothing");
}

TEST(Normalise, is_inconclusive_where_equal_runs_leave_other_rows) {
  const PairOfRuns events{"shop: events name",
                          "",
                          {"A 204\nB 204\nshop: events | a", "A 204\nB 204\nshop: events | a | b",
                           "A 204\nB 204\nshop: events | a", "A 204\nB 204\nshop: events | a"}};
  EXPECT_THAT(events.judge("A 204\nB 204\nshop: events | a").why, HasSubstr("shop: events"));
  const PairOfRuns answers{
      "", "", {"A 200 {}\nB 204", "A 503 {}\nB 204", "A 200 {}\nB 204", "A 200 {}\nB 204"}};
  EXPECT_EQ(kind_of(answers.judge("A 200 {}\nB 204")), "inconclusive");
}

// Who served a request is of no matter, and no secret of chance either.
TEST(Normalise, masks_what_chance_writes_into_answers) {
  const auto run = [](const std::string& worker, const std::string& token, int took) {
    return fmt::format(
        "A 200 {{\"by\": \"worker-{}\", \"token\": \"{}\", \"took_ms\": {}, \"sum\": 3}}\nB 204",
        worker, token, took);
  };
  const PairOfRuns served{"",
                          "",
                          {run("1", "eyJhbGciOiJIUzI1NiJ9.e30.abcdef0123456789", 5),
                           run("2", "eyJhbGciOiJIUzI1NiJ9.e31.bbcdef0123456780", 7),
                           run("1", "eyJhbGciOiJIUzI1NiJ9.e32.cbcdef0123456781", 5),
                           run("1", "eyJhbGciOiJIUzI1NiJ9.e33.dbcdef0123456782", 9)}};
  EXPECT_EQ(kind_of(served.judge(run("3", "eyJhbGciOiJIUzI1NiJ9.e34.ebcdef0123456783", 11))),
            "nothing");
  EXPECT_EQ(kind_of(served.judge("A 200 {\"by\": \"worker-3\", \"token\": "
                                 "\"eyJhbGciOiJIUzI1NiJ9.e34.ebcdef0123456783\", "
                                 "\"took_ms\": 11, \"sum\": 4}\nB 204")),
            "confirmed");
}

// A statement without ORDER BY returns rows as they stand.
TEST(Normalise, knows_lists_without_an_order) {
  const auto run = [](const std::string& list) {
    return "A 200 {\"lines\": [" + list + "], \"ranks\": [1, 2]}\nB 204";
  };
  const std::string one = "{\"t\": \"x\", \"n\": [1, 2]}";
  const std::string two = "{\"t\": \"y\", \"n\": []}";
  const PairOfRuns listed{
      "",
      "",
      {run(one + "," + two), run(two + "," + one), run(one + "," + two), run(one + "," + two)}};
  EXPECT_EQ(kind_of(listed.judge(run(two + "," + one))), "nothing");
  EXPECT_EQ(kind_of(listed.judge(run(two + "," + two))), "confirmed");
  EXPECT_EQ(kind_of(listed.judge(run(one))), "confirmed");
  EXPECT_EQ(kind_of(listed.judge(run(two + ",{\"t\": \"x\", \"n\": [2, 1]}"))), "confirmed");
  EXPECT_EQ(kind_of(listed.judge("A 200 {\"lines\": [" + one + "," + two +
                                 "], \"ranks\": [2, 1]}\nB 204")),
            "confirmed");
}

TEST(Normalise, looks_at_no_header_that_tells_the_way) {
  const auto run = [](const std::string& headers) { return "A 200 {} " + headers + "\nB 204"; };
  const std::string plain = run("date=a etag=b x-request-id=c content-type=json");
  const PairOfRuns answers{"", "", {plain, plain, plain, plain}};
  EXPECT_EQ(kind_of(answers.judge(run("Date=x ETag=y traceparent=z content-type=json"))),
            "nothing");
  EXPECT_EQ(kind_of(answers.judge(run("content-type=html"))), "confirmed");
}

TEST(Normalise, leaves_out_errors_that_come_and_go) {
  const PairOfRuns logged{"",
                          "",
                          {"A 204\nB 204\nlog mail | 08:01 ERROR: server 17 is away",
                           "A 204\nB 204", "A 204\nB 204", "A 204\nB 204"}};
  EXPECT_EQ(kind_of(logged.judge("A 204\nB 204\nlog mail | 08:02 ERROR: server 18 is away")),
            "nothing");
  EXPECT_EQ(kind_of(logged.judge("A 204\nB 204\nlog mail | 08:02 ERROR: no more paper")),
            "error-under-overlap");
}

// --- Any outcome
// ----------------------------------------------------------------------------------

// Two requests with rows that refer to each other, in two stores, as any program could leave them.
class RandomOutcome {
 public:
  explicit RandomOutcome(std::uint64_t seed) : random_(seed) {
    orders_ = 2 + below(4);
    for (std::size_t i = 0; i < orders_; ++i) {
      customers_.push_back(std::string(1, static_cast<char>('a' + below(3))));
      amounts_.push_back(below(3));
      tags_.push_back(below(orders_));
    }
  }

  // The numbers that the sequence gives: any distinct ones, in any order.
  std::vector<std::size_t> numbers() {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < 2 * orders_; ++i) numbers.push_back(i + 1);
    std::ranges::shuffle(numbers, random_);
    numbers.resize(orders_);
    return numbers;
  }

  // `broken`: the entry of the order with this place hangs on the next order instead.
  std::string run(const std::vector<std::size_t>& numbers, std::size_t second,
                  std::size_t broken = 1'000) {
    std::vector<std::string> orders;
    std::vector<std::string> entries;
    for (std::size_t i = 0; i < orders_; ++i) {
      orders.push_back(
          fmt::format("{},{}{},2026-01-31 08:00:{:02}", numbers[i], customers_[i], i, second % 60));
      const std::size_t of = i == broken ? (i + 1) % orders_ : i;
      entries.push_back(fmt::format("{},{},{}", numbers[of], amounts_[i], numbers[tags_[i]]));
    }
    std::ranges::shuffle(orders, random_);
    std::ranges::shuffle(entries, random_);
    return fmt::format(
        "A 201 {{\"order\": {}, \"at\": {}}}\nB 201 {{\"order\": {}, \"at\": {}}}\n"
        "shop: orders | {}\nbank: entries | {}",
        numbers[0], 1'700'000'000'000 + second, numbers[1], 1'700'000'000'001 + second,
        fmt::join(orders, " | "), fmt::join(entries, " | "));
  }

  std::size_t orders() const { return orders_; }
  std::size_t below(std::size_t end) { return random_() % end; }

 private:
  std::mt19937_64 random_;
  std::size_t orders_ = 0;
  std::vector<std::string> customers_;
  std::vector<std::size_t> amounts_;
  std::vector<std::size_t> tags_;
};

constexpr const char* kOrdersAndEntries =
    "shop: orders id*,customer,at; bank: entries order_id,amount,parent_order_id";

TEST(Normalise, never_confirms_a_renaming_of_a_serial_run) {
  for (std::uint64_t seed = 1; seed <= test_rounds(60); ++seed) {
    RandomOutcome outcome(seed);
    const auto numbers = outcome.numbers();
    const auto others = outcome.numbers();
    const PairOfRuns runs{kOrdersAndEntries,
                          "",
                          {outcome.run(numbers, 1), outcome.run(numbers, 2), outcome.run(others, 3),
                           outcome.run(others, 4)}};
    const RaceVerdict verdict = runs.judge(outcome.run(outcome.numbers(), 5));
    ASSERT_EQ(kind_of(verdict), "nothing") << "seed " << seed << ": " << verdict.why;
  }
}

// The judge that calls everything a renaming would pass the test above.
TEST(Normalise, confirms_what_is_no_renaming) {
  for (std::uint64_t seed = 1; seed <= test_rounds(60); ++seed) {
    RandomOutcome outcome(seed);
    const auto numbers = outcome.numbers();
    const PairOfRuns runs{kOrdersAndEntries,
                          "",
                          {outcome.run(numbers, 1), outcome.run(numbers, 2),
                           outcome.run(numbers, 3), outcome.run(numbers, 4)}};
    const RaceVerdict verdict =
        runs.judge(outcome.run(outcome.numbers(), 5, outcome.below(outcome.orders())));
    ASSERT_EQ(kind_of(verdict), "confirmed") << "seed " << seed << ": " << verdict.why;
  }
}

// A judge that does not look at one column is caught by the test above.
TEST(Normalise, is_caught_when_it_does_not_look) {
  RandomOutcome outcome(1);
  const auto numbers = outcome.numbers();
  const PairOfRuns runs{kOrdersAndEntries,
                        "",
                        {outcome.run(numbers, 1), outcome.run(numbers, 2), outcome.run(numbers, 3),
                         outcome.run(numbers, 4)}};
  JudgeSettings blind;
  blind.masked = {"entries.order_id"};
  EXPECT_EQ(kind_of(runs.judge(outcome.run(outcome.numbers(), 5, 0), blind)), "nothing");
}

}  // namespace
}  // namespace heddle
