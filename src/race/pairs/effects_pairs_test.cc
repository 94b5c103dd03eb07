// Pairs of requests that meet in rows which no statement names: those of triggers, of foreign keys
// and of functions.
#include <string>

#include <gtest/gtest.h>

#include "race/pairs/candidates_testing.h"

namespace heddle::race {
namespace {

const std::string kStore =
    "table db carts(id, total) key(id)\n"
    "table db lines(id, cart_id, amount) key(id) refers(cart_id) to(carts.id) delete(cascade)\n"
    "function db add_line v plpgsql DECLARE sum int; BEGIN SELECT total INTO sum FROM carts WHERE "
    "id = NEW.cart_id; UPDATE carts SET total = sum + NEW.amount WHERE id = NEW.cart_id; RETURN "
    "NEW; END\n"
    "trigger db lines insert add_line\n";

std::string line_in(const std::string& cart) {
  return "POST shop/lines\n  db: INSERT INTO lines (cart_id, amount) VALUES ($1, 5) [" + cart +
         "]\n";
}

TEST(PairsByEffects, OfATriggerThatReadsAndWrites) {
  EXPECT_EQ(shown(kStore + line_in("7") + line_in("7")),
            "lost update: POST shop/lines and POST shop/lines\n"
            "  carts(id=7) total rw\n  carts(id=7) total wr\n  carts(id=7) total ww\n");
}

TEST(PairsByEffects, AreNoneOnOtherRows) {
  EXPECT_EQ(shown(kStore + line_in("7") + line_in("8")), "");
}

TEST(PairsByEffects, SayWhatDoesIt) {
  const RaceCandidates found = found_in(kStore + line_in("7") + line_in("7"));
  ASSERT_EQ(found.candidates.size(), 1U);
  EXPECT_EQ(found.candidates[0].pairs[0].conflicts[0].first_through, "trigger add_line");
}

TEST(PairsByEffects, OfRowsThatGoWithOthers) {
  EXPECT_EQ(shown(kStore + "DELETE shop/carts/7\n"
                           "  db: SELECT total FROM carts WHERE id = 7\n"
                           "  db: DELETE FROM carts WHERE id = 7\n"
                           "PUT shop/lines/3\n"
                           "  db: SELECT amount FROM lines WHERE id = 3\n"
                           "  db: UPDATE lines SET amount = 6 WHERE id = 3\n"),
            "check-then-act: DELETE shop/carts/* and PUT shop/lines/*\n"
            "  lines * wr coarse\n  lines * ww coarse\n");
}

TEST(PairsByEffects, LookSeveralTimes) {
  // One statement of each; but the function looks twice, and may see what came in between.
  const std::string tables =
      "table db a(id, n) key(id)\n"
      "function db twice v plpgsql BEGIN PERFORM n FROM a WHERE id = 1; RETURN (SELECT n FROM a "
      "WHERE id = 1); END\n";
  EXPECT_NE(shown(tables + "GET shop/a\n  db: SELECT twice()\n"
                           "POST shop/a\n  db: UPDATE a SET n = 2 WHERE id = 1\n"),
            "");
  EXPECT_EQ(shown("table db a(id, n) key(id)\n"
                  "GET shop/a\n  db: SELECT n FROM a WHERE id = 1\n"
                  "POST shop/a\n  db: UPDATE a SET n = 2 WHERE id = 1\n"),
            "");
}

}  // namespace
}  // namespace heddle::race
