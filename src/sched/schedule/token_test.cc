#include <array>
#include <cstdlib>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "sched/schedule/schedule.h"

namespace heddle::sched::runtime {

namespace {

Token plain_token(std::size_t preemptions) {
  Token token;
  token.seed = 1;
  token.events = 0x12345678;
  for (std::uint32_t i = 0; i < preemptions; ++i) {
    token.schedule.choices.push_back(
        {.place = {static_cast<TaskId>(1 + i % 2), 20 + 7 * i}, .value = 2 - i % 2});
  }
  return token;
}

Token random_token(std::mt19937_64& random) {
  const auto number = [&random](std::uint64_t count) { return random() % count; };
  // Small ones and large ones, as far as they go.
  const auto any32 = [&] { return static_cast<std::uint32_t>(random() >> 32 >> number(32)); };
  Token token;
  token.seed = random() >> number(64);
  token.events = any32();
  std::array<std::uint32_t, kMostTasks> last{};
  for (std::uint64_t left = number(12); left > 0; --left) {
    const auto task = static_cast<TaskId>(number(2) == 0 ? number(4) : number(kMostTasks));
    last[task] += any32() % (UINT32_MAX - last[task]);
    token.schedule.choices.push_back(
        {.place = {task, last[task]},
         .kind = number(2) == 0 ? Choice::Kind::task : Choice::Kind::data,
         .value = any32()});
  }
  if (number(3) != 0) return token;
  Round& round = token.schedule.round;
  round.choices = static_cast<std::uint32_t>(number(token.schedule.choices.size() + 1));
  round.starving = 1 + number(UINT64_MAX);
  for (std::uint64_t left = 1 + number(5); left > 0; --left) round.operations.push_back(any32());
  return token;
}

void expect_equal(const Token& one, const Token& other) {
  EXPECT_EQ(one.schedule, other.schedule);
  EXPECT_EQ(one.seed, other.seed);
  EXPECT_EQ(one.events, other.events);
  EXPECT_EQ(one.program, other.program);
}

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

TEST(Token, GoesThereAndBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Token token = random_token(random);
    const std::string text = print_token(token);
    EXPECT_EQ(text.find_first_not_of(kLetters), std::string::npos) << "it goes through any shell";
    const std::optional<Token> back = parse_token(text);
    ASSERT_TRUE(back) << text;
    expect_equal(token, *back);
  }
}

TEST(Token, IsShortForAFewPreemptions) {
  EXPECT_LE(print_token(plain_token(0)).size(), 10U);
  EXPECT_LE(print_token(plain_token(3)).size(), 18U);
}

TEST(Token, GrowsByWhatIsNewInALargeProgram) {
  Token token;
  token.seed = 1;
  token.events = 0x87654321;
  std::mt19937_64 random(4);
  constexpr std::uint32_t kChoices = 50;
  for (std::uint32_t i = 1; i <= kChoices; ++i) {
    const auto from = static_cast<TaskId>(1 + i % 20);
    token.schedule.choices.push_back(
        {.place = {from, i * 1000 + static_cast<std::uint32_t>(random() % 1000)},
         .value = 1 + (i + 1) % 20});
  }
  // Of a choice the operation alone, which needs some 15 bits, cannot be known.
  EXPECT_LE(print_token(token).size(), 20 + 4 * kChoices);
  EXPECT_EQ(parse_token(print_token(token))->schedule, token.schedule);
}

TEST(Token, HoldsAProgramInFewLetters) {
  Token token = plain_token(1);
  const std::size_t plain = print_token(token).size();
  for (std::uint64_t i = 0; i < 40; ++i) token.program.push_back(i % 5 == 2 ? 20 + i : i % 3);
  EXPECT_LE(print_token(token).size(), plain + 40);
  EXPECT_EQ(parse_token(print_token(token))->program, token.program);
}

TEST(Token, IsRefusedWhenItWasCut) {
  std::mt19937_64 random(2);
  std::size_t cuts = 0;
  std::size_t accepted = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string text = print_token(random_token(random));
    for (std::size_t length = 0; length < text.size(); ++length) {
      ++cuts;
      if (parse_token(text.substr(0, length))) ++accepted;
    }
  }
  // A check sum of one byte lets one of 256 pass at most.
  EXPECT_LE(accepted * 256, cuts * 2);
}

TEST(Token, IsRefusedWhenALetterIsWrong) {
  const std::string text = print_token(plain_token(3));
  std::size_t tried = 0;
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char letter : kLetters) {
      if (letter == text[i]) continue;
      std::string wrong = text;
      wrong[i] = letter;
      ++tried;
      if (parse_token(wrong)) ++accepted;
    }
  }
  EXPECT_LE(accepted * 100, tried);
  for (const char* other : {"", "t", "b", "hello world", "t!!!!!!!!!!", " ", "tAAAA", "\n"}) {
    EXPECT_FALSE(parse_token(other)) << other;
  }
  EXPECT_FALSE(parse_token(text + "A"));
  EXPECT_FALSE(parse_token(" " + text));
  EXPECT_FALSE(parse_token(text + "\n"));
}

TEST(Token, HasOneSpelling) {
  // What is read of random letters is printed as these letters again, but for longer numbers.
  std::mt19937_64 random(3);
  std::size_t read = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text = "t";
    for (std::size_t left = 8 + random() % 12; left > 0; --left) {
      text += kLetters[random() % kLetters.size()];
    }
    const std::optional<Token> token = parse_token(text);
    if (!token) continue;
    ++read;
    const std::optional<Token> again = parse_token(print_token(*token));
    ASSERT_TRUE(again) << text;
    expect_equal(*token, *again);
  }
  EXPECT_GT(read, 0U);
}

}  // namespace heddle::sched::runtime
