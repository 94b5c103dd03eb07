#include "store/database_name.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/trouble.h"
#include "throwaway/child_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;

TEST(DatabaseName, is_another_one_each_time_with_the_mark_of_the_run) {
  const std::string run = run_mark().value();
  EXPECT_EQ(run, run_mark().value());
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) names.insert(draw_database_name().value());
  EXPECT_EQ(names.size(), 100);
  for (const std::string& name : names) EXPECT_EQ(run_mark_in(name), run) << name;
}

TEST(DatabaseName, of_a_forked_process_has_a_mark_of_its_own) {
  const std::string run = run_mark().value();
  Child child([](const Child::Say& say) {
    say(run_mark().value());
    return 0;
  });
  EXPECT_NE(child.hear(), run);
}

TEST(DatabaseName, of_others_has_no_mark) {
  const std::string good = "heddle_0123456789abcdef_fedcba9876543210";
  EXPECT_EQ(run_mark_in(good), "0123456789abcdef");
  for (const std::string& name :
       {std::string(), std::string("heddle"), std::string("heddle_1234_1"), good + "0",
        good + "_snapshot", good.substr(1), good.substr(0, good.size() - 1),
        std::string("heddle_0123456789ABCDEF_fedcba9876543210"),
        std::string("heddle_0123456789abcdef-fedcba9876543210"),
        std::string("heddle_0123456789abcdefgfedcba9876543210"),
        std::string("Heddle_0123456789abcdef_fedcba9876543210")}) {
    EXPECT_EQ(run_mark_in(name), "") << name;
  }
}

// What happens to the names "a", "b", ... in the order in which it does.
class Creating {
 public:
  explicit Creating(std::set<std::string> taken) : taken_(std::move(taken)) {}

  Result<std::string> create() {
    NewNames names;
    names.draw = [this]() -> Result<std::string> { return std::string(1, next_++); };
    names.announce = [this](const std::string& name) { events.push_back("announce " + name); };
    names.forget = [this](const std::string& name) { events.push_back("forget " + name); };
    return create_under_new_name(names, [this](const std::string& name) -> Result<Creation> {
      events.push_back("create " + name);
      if (name == failing) return store_trouble("lost the connection to the server");
      return taken_.contains(name) ? Creation::name_is_taken : Creation::made;
    });
  }

  std::vector<std::string> events;
  std::string failing;

 private:
  std::set<std::string> taken_;
  char next_ = 'a';
};

TEST(DatabaseName, that_is_taken_is_forgotten_before_another_is_drawn) {
  Creating creating({"a", "b"});
  EXPECT_EQ(creating.create().value(), "c");
  EXPECT_THAT(creating.events, ElementsAre("announce a", "create a", "forget a", "announce b",
                                           "create b", "forget b", "announce c", "create c"));
}

TEST(DatabaseName, stays_announced_where_nobody_knows_what_the_server_did) {
  Creating creating({});
  creating.failing = "a";
  EXPECT_FALSE(creating.create());
  EXPECT_THAT(creating.events, ElementsAre("announce a", "create a"));
}

TEST(DatabaseName, is_not_drawn_for_ever) {
  std::set<std::string> all;
  for (char name = 'a'; name <= 'z'; ++name) all.insert(std::string(1, name));
  Creating creating(all);
  const auto created = creating.create();
  ASSERT_FALSE(created);
  EXPECT_EQ(to_string(created.error()),
            "the server says of 16 names drawn at random that they are taken");
}

}  // namespace
}  // namespace heddle
