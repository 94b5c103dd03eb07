#include "store/replicated/command.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::replicated {
namespace {

struct Describe {
  std::string operator()(const MoveCommand& move) const {
    return fmt::format("move [{}] {}", move.session, move.replica);
  }
  std::string operator()(const DeliverCommand& deliver) const {
    return fmt::format("deliver {}[{}] {} {}", deliver.all ? "all " : "", deliver.session,
                       deliver.statement, deliver.replica);
  }
  std::string operator()(const DeliveryCommand& delivery) const {
    return delivery.is_automatic ? "automatic" : "manual";
  }
  std::string operator()(const PartitionCommand& partition) const {
    std::string text = "partition";
    for (const auto& side : partition.sides) {
      text += " |";
      for (const std::size_t replica : side) text += fmt::format(" {}", replica);
    }
    return text;
  }
  std::string operator()(const HealCommand& /*heal*/) const { return "heal"; }
};

std::string read(const std::string& text) {
  const auto command = read_command(read_tokens(text));
  if (!command) return to_string(command.error());
  return *command ? std::visit(Describe(), **command) : "none";
}

TEST(Command, is_read_in_any_case) {
  EXPECT_EQ(read("MOVE TO r2"), "move [] 2");
  EXPECT_EQ(read("move session \"Odd one\" to R12"), "move [Odd one] 12");
  EXPECT_EQ(read("DELIVER s1.3 TO r2"), "deliver [s1] 3 2");
  EXPECT_EQ(read("Deliver s1 to r1"), "deliver [s1] 0 1");
  EXPECT_EQ(read("DELIVER ALL"), "deliver all [] 0 0");
  EXPECT_EQ(read("DELIVER ALL TO r3"), "deliver all [] 0 3");
  EXPECT_EQ(read("DELIVER \"all\".1 TO r3"), "deliver [all] 1 3");
  EXPECT_EQ(read("DELIVERY MANUAL"), "manual");
  EXPECT_EQ(read("delivery automatic"), "automatic");
  EXPECT_EQ(read("PARTITION r1, r2 FROM r3"), "partition | 1 2 | 3");
  EXPECT_EQ(read("PARTITION r1 FROM r2 AND r3 FROM r4"), "partition | 1 | 2 3 | 4");
  EXPECT_EQ(read("HEAL"), "heal");
  EXPECT_EQ(read("SELECT 1"), "none");
}

TEST(Command, says_its_form_when_malformed) {
  EXPECT_EQ(
      read("DELIVER s1.0 TO r2"),
      "cannot read \"DELIVER s1.0 TO r2\", write DELIVER name.k TO r2, DELIVER name TO r2, or "
      "DELIVER ALL [TO r2]");
  EXPECT_EQ(read("PARTITION r1"), "cannot read \"PARTITION r1\", write PARTITION r1, r2 FROM r3");
  EXPECT_EQ(read("HEAL r1"), "cannot read \"HEAL r1\", write HEAL");
  EXPECT_EQ(read("DELIVERY"),
            "cannot read \"DELIVERY\", write DELIVERY MANUAL or DELIVERY AUTOMATIC");
  EXPECT_EQ(read("MOVE TO r0"),
            "cannot read \"MOVE TO r0\": \"r0\" is no replica, which are called r1 to r200, write "
            "MOVE [SESSION name] TO r2");
}

}  // namespace
}  // namespace heddle::replicated
