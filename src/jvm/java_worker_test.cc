// What is said to a thread of a Java machine, and what its lines mean; without a machine.
#include "jvm/java_worker.h"

#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "stream/memory_stream.h"

namespace heddle {
namespace {

using WordKind = WorkerWord::Kind;

class JavaWorkers : public testing::Test {
 protected:
  JavaWorkers() : JavaWorkers(connected_streams()) {}

  void say(const LineFields& fields) { EXPECT_TRUE(java_.write(fields)); }

  JavaWorker worker_;
  LineChannel java_;

 private:
  explicit JavaWorkers(std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> ends)
      : worker_(LineChannel(std::move(ends.first))), java_(std::move(ends.second)) {}
};

TEST_F(JavaWorkers, are_told_what_to_call) {
  EXPECT_TRUE(worker_.begin({.method = "bank.Bank.pay(Connection, int)", .arguments = {"1\t2", {}}},
                            {.address = "127.0.0.1:7", .user = "token"}));
  EXPECT_EQ(java_.next(), (LineFields{"call", "bank.Bank", "pay", "Connection, int", "127.0.0.1:7",
                                      "token", "1\t2", std::nullopt}));
  EXPECT_TRUE(worker_.ask_place());
  EXPECT_EQ(java_.next(), LineFields{"where"});
}

TEST_F(JavaWorkers, say_how_the_call_goes) {
  EXPECT_FALSE(worker_.next());
  say({"ready"});
  say({"at", "Bank.java:19"});
  say({"returned", "=1.50"});
  say({"returned", "a java.util.ArrayList"});
  say({"returned", std::nullopt});
  say({"threw", "java.lang.Exception", std::nullopt});
  say({"refused", "there is no class Bank"});
  EXPECT_EQ(worker_.next()->kind, WordKind::ready);
  const auto place = worker_.next();
  EXPECT_EQ(place->kind, WordKind::place);
  EXPECT_EQ(place->text, "Bank.java:19");
  EXPECT_EQ(worker_.next()->value, "1.50");
  for (int i = 0; i < 2; ++i) {
    const auto returned = worker_.next();
    EXPECT_EQ(returned->kind, WordKind::returned);
    EXPECT_FALSE(returned->value);
  }
  const auto thrown = worker_.next();
  EXPECT_EQ(thrown->kind, WordKind::threw);
  EXPECT_EQ(thrown->type + ": " + thrown->text, "java.lang.Exception: null");
  const auto refused = worker_.next();
  EXPECT_EQ(refused->kind, WordKind::refused);
  EXPECT_EQ(refused->text, "there is no class Bank");
  EXPECT_FALSE(worker_.has_ended());
  java_.close();
  EXPECT_FALSE(worker_.next());
  EXPECT_TRUE(worker_.has_ended());
  EXPECT_FALSE(worker_.ask_place());
}

}  // namespace
}  // namespace heddle
