// For tests: small random scenarios, the same for the same seed.
//
// Two sessions share two rows; of three, every two share one, so that no row has three writers:
// which of two that wait for one row gets it first is decided by the server, not by the schedule.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace heddle {

class RandomScenario {
 public:
  explicit RandomScenario(std::uint64_t seed) : random_(seed) {}

  // A spec file with 2 sessions of up to 3 steps, or 3 of up to 2.
  std::string text() {
    const int sessions = below(3) == 0 ? 3 : 2;
    three_ = sessions == 3;
    std::string text =
        "setup { CREATE TABLE account (id int PRIMARY KEY, balance int);\n"
        "        INSERT INTO account VALUES (1, 100), (2, 100), (3, 100); }\n"
        "teardown { DROP TABLE account; }\n";
    for (int session = 0; session < sessions; ++session) {
      text += session_text(session, sessions == 3 ? 2 : 3);
    }
    return text;
  }

 private:
  // Not by a distribution: those differ between libraries.
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

  std::string session_text(int session, int most_steps) {
    const int steps = most_steps - (below(3) == 0 ? 1 : 0);
    const bool transaction = below(4) != 0;
    const bool at_once = steps == 1 || below(4) != 0;  // or a transaction that ends a step early
    std::string text = fmt::format("session s{}\n", session + 1);
    for (int step = 0; step < steps; ++step) {
      std::string sql = statement(session) + ";";
      if (transaction && step == 0) sql = "BEGIN; " + sql;
      if (transaction && step == (at_once ? steps - 1 : steps - 2)) sql += " COMMIT;";
      text += fmt::format("step t{}{} {{ {} }}\n", session + 1, static_cast<char>('a' + step), sql);
    }
    return text;
  }

  std::string statement(int session) {
    const int row = three_ ? 1 + (session + below(2)) % 3 : 1 + below(2);
    switch (below(6)) {
      case 0:
        return fmt::format("SELECT balance FROM account WHERE id = {}", row);
      case 1:
        return "SELECT sum(balance) FROM account";
      case 2:
        return fmt::format("UPDATE account SET balance = {} WHERE id = {}", 10 + below(3), row);
      case 3:
        return fmt::format(
            "UPDATE account SET balance = (SELECT sum(balance) FROM account) WHERE id = {}", row);
      default:
        return fmt::format("UPDATE account SET balance = balance * 2 + {} WHERE id = {}", below(3),
                           row);
    }
  }

  std::mt19937_64 random_;
  bool three_ = false;
};

}  // namespace heddle
