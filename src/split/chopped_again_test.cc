// Choppings that are read back: as they were printed they add what the cut adds, and where they
// were edited by hand what the edited one adds.
#include <string>

#include <gtest/gtest.h>

#include "split/split_testing.h"

namespace heddle {
namespace {

using split_testing::cut_of;
using split_testing::kBank;
using split_testing::kOne;
using split_testing::kTwo;
using split_testing::parse;
using split_testing::routine;

SplitReport split_text(const std::string& text, const std::string& cut, bool is_chopped) {
  SplitOptions options;
  options.is_chopped = is_chopped;
  Result<SplitReport> report = split_program(parse(text), cut_of(cut), options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  return report ? std::move(*report) : SplitReport{};
}

std::size_t number_of_causes(const std::string& text, const std::string& cut, bool is_chopped) {
  return split_text(text, cut, is_chopped).causes.size();
}

TEST(ChoppedAgain, adds_what_the_cut_adds) {
  const SplitReport first = split_text(kBank, kTwo, false);
  const std::string printed = print_program(first.chopped.program);
  EXPECT_EQ(first.causes.size(), 2U);
  const SplitReport again = split_text(printed, kTwo, true);
  ASSERT_EQ(again.causes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again.causes[i].kind, first.causes[i].kind);
    EXPECT_EQ(again.causes[i].parts, first.causes[i].parts);
  }
  EXPECT_EQ(print_program(again.chopped.program), printed);
  // A canary: taken for a program it allows all that by itself.
  EXPECT_EQ(number_of_causes(printed, kTwo, false), 0U);
}

const std::string kBoth = "UPDATE account SET balance = amount WHERE id = cid;\n";
const std::string kOther = "UPDATE wallet SET balance = amount WHERE id = cid;\n";

// A service that ends its transaction on the way loses what one transaction holds together.
TEST(ChoppedAgain, counts_a_border_that_was_put_in_by_hand) {
  const auto bank = [](const std::string& border) {
    return std::string(split_testing::kTables) +
           routine("store(cid int, amount int)", "BEGIN\n" + kBoth + border + kOther + "END");
  };
  EXPECT_EQ(number_of_causes(bank(""), kOne, true), 0U);
  EXPECT_EQ(number_of_causes(bank("COMMIT;\n"), kOne, true), 1U);
  EXPECT_EQ(number_of_causes(bank("COMMIT;\n"), kOne, false), 0U);
  // One that was taken out comes back: two services share no transaction.
  EXPECT_EQ(number_of_causes(bank(""), kTwo, true), 1U);
}

// The parts as they stand: a border that is there twice is there twice, and one that is not there
// comes back only where services are named, which is said.
TEST(ChoppedAgain, takes_the_parts_as_they_stand_where_no_services_are_named) {
  const auto split = [](const std::string& border, bool has_services) {
    const Program program =
        parse(std::string(split_testing::kTables) +
              routine("store(cid int, amount int)", "BEGIN\n" + kBoth + border + kOther + "END"));
    SplitOptions options;
    options.is_chopped = true;
    Result<SplitReport> report = split_program(
        program, has_services ? cut_of(kTwo) : undivided_cut(program.schema), options);
    EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
    return report ? std::move(*report) : SplitReport{};
  };
  const SplitReport joined = split("", false);
  EXPECT_EQ(joined.chopped.sub_transactions[0].size(), 1U);
  EXPECT_TRUE(joined.causes.empty());
  EXPECT_TRUE(joined.chopped.notes.empty());
  const SplitReport parted = split("COMMIT;\n", false);
  EXPECT_EQ(parted.chopped.sub_transactions[0].size(), 2U);
  EXPECT_EQ(parted.causes.size(), 1U);
  EXPECT_TRUE(parted.chopped.notes.empty());
  const SplitReport services = split("", true);
  EXPECT_EQ(services.causes.size(), 1U);
  ASSERT_EQ(services.chopped.notes.size(), 1U);
  EXPECT_NE(
      services.chopped.notes[0].what.find("store has no COMMIT here, where M1 hands over to M2"),
      std::string::npos)
      << services.chopped.notes[0].what;
  EXPECT_TRUE(split("COMMIT;\n", true).chopped.notes.empty());
}

// In one order the first service runs its part as one transaction, in the other it does not.
TEST(ChoppedAgain, counts_statements_in_the_order_of_the_edited_text) {
  const std::string read = "SELECT balance INTO v FROM account WHERE id = cid;\n";
  const auto bank = [&](const std::string& body) {
    return std::string(split_testing::kTables) +
           routine("f(cid int, amount int)", "DECLARE v int;\nBEGIN\n" + body + "END");
  };
  EXPECT_EQ(number_of_causes(bank(read + kBoth + "COMMIT;\n" + kOther), kTwo, true), 1U);
  EXPECT_GT(number_of_causes(bank(read + "COMMIT;\n" + kOther + "COMMIT;\n" + kBoth), kTwo, true),
            1U);
}

TEST(ChoppedAgain, the_uncut_program_has_no_borders) {
  const Program program =
      parse(std::string(split_testing::kTables) +
            routine("f(cid int, amount int)",
                    "BEGIN\n" + kBoth + "IF amount > 0 THEN\n" + kOther + "COMMIT;\nEND IF;\nEND"));
  EXPECT_TRUE(program.functionalities[0].states_boundaries);
  const Program whole = unchopped(program);
  EXPECT_FALSE(whole.functionalities[0].states_boundaries);
  EXPECT_EQ(list_statements(whole.functionalities[0]).size(), 2U);
}

}  // namespace
}  // namespace heddle
