#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/spec/scenario_dump_testing.h"
#include "heddle/scenario.h"

namespace heddle {
namespace {

using testing::HasSubstr;

// What the text says, or the error.
std::string read_spec(std::string_view text) {
  const Result<Scenario> scenario = parse_scenario(text, "f.spec");
  return scenario ? dump_scenario(*scenario) : to_string(scenario.error());
}

constexpr std::string_view kTwoSessions =
    "session s1 step r1 { SELECT 1 } step w1 { SELECT 2 }\n"
    "session s2 step r2 { SELECT 3 }\n";

std::string read_after_sessions(std::string_view text) {
  return read_spec(std::string(kTwoSessions) + std::string(text));
}

TEST(SpecParser, reads_every_part) {
  EXPECT_EQ(read_spec("# a comment\n"
                      "setup { CREATE TABLE t (x int); }\n"
                      "setup { VACUUM t; }\n"
                      "teardown { DROP TABLE t; }\n"
                      "session alice\n"
                      "setup { BEGIN; }\n"
                      "step a1 { SELECT 1; }\n"
                      "step \"a 2\" { COMMIT; }\n"
                      "teardown { SELECT 2; }\n"
                      "session \"b\"\"ob\"\n"
                      "step b1 { SELECT 3; }\n"
                      "permutation a1 b1\n"
                      "  \"a 2\"\n"
                      "permutation a1(*) \"a 2\"(b1, *) b1(a1 notices 2)\n"),
            "setup [CREATE TABLE t (x int);]\n"
            "setup [VACUUM t;]\n"
            "teardown [DROP TABLE t;]\n"
            "session [alice]\n"
            "  setup [BEGIN;]\n"
            "  step [a1] [SELECT 1;]\n"
            "  step [a 2] [COMMIT;]\n"
            "  teardown [SELECT 2;]\n"
            "session [b\"ob]\n"
            "  step [b1] [SELECT 3;]\n"
            "permutation [a1] [b1] [a 2]\n"
            "permutation [a1](*) [a 2]([b1])(*) [b1]([a1] 2)\n");
}

TEST(SpecParser, trims_blanks_but_not_newlines_from_blocks) {
  EXPECT_EQ(read_spec("session s step a { \t\r x \f} step b {\n\ty;\n } step c {} step d { \n }"),
            "session [s]\n  step [a] [x]\n  step [b] [\n\ty;\n]\n  step [c] []\n  step [d] [\n]\n");
}

TEST(SpecParser, accepts_windows_line_ends_and_a_byte_order_mark) {
  EXPECT_EQ(read_spec("\xef\xbb\xbfsession s # comment\r\nstep a { x\r\ny }\r\npermutation a\r\n"),
            "session [s]\n  step [a] [x\r\ny]\npermutation [a]\n");
}

TEST(SpecParser, keywords_are_names_only_in_quotes) {
  EXPECT_EQ(read_spec("session \"setup\" step \"step\" {} permutation \"step\""),
            "session [setup]\n  step [step] []\npermutation [step]\n");
  EXPECT_EQ(read_spec("session s step notices {}"),
            "f.spec:1:16: the keyword \"notices\" stands where a step has its name, put it in "
            "double quotes to use it as a name");
}

TEST(SpecParser, knows_where_everything_stands) {
  const Result<Scenario> scenario = parse_scenario(
      "setup {\n  SELECT 1;\n}\nsession s\nstep a { \t SELECT 2 }\n  permutation a", "f.spec");
  ASSERT_TRUE(scenario);
  EXPECT_EQ(scenario->setups[0].position, (SourcePosition{1, 8}));
  EXPECT_EQ(scenario->sessions[0].position, (SourcePosition{4, 9}));
  EXPECT_EQ(scenario->steps[0].position, (SourcePosition{5, 6}));
  EXPECT_EQ(scenario->steps[0].sql.position, (SourcePosition{5, 12}));
  EXPECT_EQ(scenario->steps[0].session, SessionId(0));
  EXPECT_EQ(scenario->permutations[0].position, (SourcePosition{6, 3}));
  EXPECT_EQ(scenario->file, "f.spec");
}

TEST(SpecParser, reads_heddles_own_items_between_any_others) {
  EXPECT_EQ(read_spec("isolation read committed # for all\n"
                      "setup {}\n"
                      "store ledger postgres\n"
                      "teardown {}\n"
                      "session s step a {}\n"
                      "invariant \"no debt\" { SELECT balance >= 0 FROM account }\n"
                      "session t step b {}\n"
                      "permutation a b\n"
                      "store cache redis\n"
                      "permutation b a invariant two { SELECT true }"),
            "store [ledger] [postgres]\n"
            "store [cache] [redis]\n"
            "isolation read-committed\n"
            "invariant [no debt] [SELECT balance >= 0 FROM account]\n"
            "invariant [two] [SELECT true]\n"
            "setup []\nteardown []\n"
            "session [s]\n  step [a] []\n"
            "session [t]\n  step [b] []\n"
            "permutation [a] [b]\npermutation [b] [a]\n");
}

TEST(SpecParser, reads_services) {
  EXPECT_EQ(read_spec("service M1 { Account, \"Order, Lines\" }\n"
                      "service \"M 2\" isolation read committed\n{wallet}\n"
                      "session service step service {}\n"),
            "service [M1] [account] [Order, Lines]\n"
            "service [M 2] at read-committed [wallet]\n"
            "session [service]\n  step [service] []\n");
}

TEST(SpecParser, reads_the_store_of_a_block) {
  EXPECT_EQ(read_spec("store db mariadb store on redis\n"
                      "setup {A} setup on on {B} teardown on on {C}\n"
                      "session s setup on db {D}\n"
                      "step on {E} step x on on {F} teardown on on {G}\n"
                      "invariant i on on {H}"),
            "store [db] [mariadb]\n"
            "store [on] [redis]\n"
            "invariant [i] on 1 [H]\n"
            "setup [A]\nsetup on 1 [B]\nteardown on 1 [C]\n"
            "session [s]\n  setup [D]\n"
            "  step [on] [E]\n  step [x] on 1 [F]\n  teardown on 1 [G]\n");
}

TEST(SpecParser, reads_the_level_of_a_session) {
  EXPECT_EQ(read_spec("isolation read committed\nsession one isolation serializable # stricter\n"
                      "step a {A}\n"
                      "session two\nisolation repeatable read\nsetup {B} step b {C}"),
            "isolation read-committed\n"
            "session [one]\n  isolation serializable\n  step [a] [A]\n"
            "session [two]\n  isolation repeatable-read\n  setup [B]\n  step [b] [C]\n");
}

TEST(SpecParser, reads_which_sessions_are_first) {
  const std::string text =
      "session one first isolation serializable\nstep a {A}\n"
      "session first step b {B}\nsession two\nfirst\nsetup {C} step c {D}\n";
  EXPECT_EQ(read_spec(text + "permutation a c b"),
            "session [one] first\n  isolation serializable\n  step [a] [A]\n"
            "session [first]\n  step [b] [B]\n"
            "session [two] first\n  setup [C]\n  step [c] [D]\n"
            "permutation [a] [c] [b]\n");
  EXPECT_EQ(
      read_spec(text + "permutation a b c"),
      "f.spec:7:17: \"c\" is of the session \"two\", which comes first, and stands behind \"b\", "
      "put the steps of sessions that are first before all others");
}

TEST(SpecParser, reads_isolation_levels_in_each_spelling) {
  for (const std::string_view level :
       {"read committed", "read-committed", "\"read committed\"", "READ COMMITTED\t"}) {
    EXPECT_THAT(read_spec(fmt::format("isolation {}\n{}", level, kTwoSessions)),
                HasSubstr("isolation read-committed\n"));
  }
  EXPECT_THAT(read_after_sessions("isolation postgres:read-committed"),
              HasSubstr("isolation postgres:read-committed\n"));
}

TEST(SpecParser, heddles_words_remain_names) {
  EXPECT_EQ(read_spec("session store\n"
                      "step isolation {}\n"
                      "step store {}\n"
                      "session invariant step x {}\n"
                      "permutation x store\n"
                      "isolation x\n"
                      "permutation store isolation(x) \"x\"\n"),
            "session [store]\n  step [isolation] []\n  step [store] []\n"
            "session [invariant]\n  step [x] []\n"
            "permutation [x] [store] [isolation] [x]\n"
            "permutation [store] [isolation]([x]) [x]\n");
}

TEST(SpecParser, splits_steps_at_backslash_commands) {
  EXPECT_EQ(read_spec("session s step a {\n"
                      "  SELECT balance AS b FROM account \\gset\n"
                      "  \\if :{?b}\n"
                      "    UPDATE account SET balance = :b - 10;\n"
                      "  \\endif\n"
                      "}"),
            "session [s]\n"
            "  step [a] [\n"
            "  SELECT balance AS b FROM account \\gset\n"
            "  \\if :{?b}\n"
            "    UPDATE account SET balance = :b - 10;\n"
            "  \\endif\n"
            "]\n"
            "    query [SELECT balance AS b FROM account] gset []\n"
            "    if [:{?b}]\n"
            "    query [UPDATE account SET balance = :b - 10;]\n"
            "    endif []\n");
}

TEST(SpecParser, a_brace_ends_a_block_except_in_a_condition) {
  EXPECT_EQ(read_spec("session s step a { SELECT :{?x} step b {}"),
            "session [s]\n  step [a] [SELECT :{?x]\n  step [b] []\n");
}

TEST(SpecParser, warns_of_unused_steps_sorted_by_bytes) {
  const Result<Scenario> scenario =
      parse_scenario("session s step b {} step a {} step Z {} step u {} permutation u", "f.spec");
  ASSERT_TRUE(scenario);
  ASSERT_EQ(scenario->warnings.size(), 3U);
  EXPECT_EQ(scenario->warnings[0].what, "unused step name: Z");
  EXPECT_EQ(scenario->warnings[1].what, "unused step name: a");
  EXPECT_EQ(scenario->warnings[2].what, "unused step name: b");
  EXPECT_EQ(scenario->warnings[1].position, (SourcePosition{1, 26}));
  EXPECT_TRUE(parse_scenario(kTwoSessions, "f.spec")->warnings.empty());
}

struct Mistake {
  std::string_view text;
  std::string_view message;
};

TEST(SpecParser, explains_mistakes_of_structure) {
  const Mistake mistakes[] = {
      {"", "1:1: the file has no session, add one: session NAME step NAME { SQL }"},
      {"setup {} sesion s step a {}", R"(1:10: unexpected "sesion", did you mean "session"?)"},
      {"{}",
       "1:1: unexpected block, write one of: setup, teardown, session, permutation, store, "
       "service, isolation, invariant, program, refusal"},
      {"setup\nsession s", "2:1: unexpected \"session\", write the SQL of setup between { and }"},
      {"teardown {} setup {} session s step a {}",
       "1:13: setup stands too late, keep the order: setup, teardown, sessions (each: setup, "
       "steps, teardown), permutations"},
      {"teardown {} teardown {}",
       "1:13: a second teardown of the scenario, put all its SQL into the first one"},
      {"session s setup {}",
       "1:19: unexpected end of the file, write a step of the session: step NAME { SQL }"},
      {"session s step a {} store x y step b {}",
       "1:31: a step stands outside of a session, put it next to the other steps of its session"},
      {"session s step a {} step a {}",
       "1:26: duplicate step name \"a\", rename it: line 1 has that name already"},
      {"permutation a",
       "1:1: a permutation stands before the first session, put it after the "
       "sessions"},
      {"session {}", "1:9: unexpected block, write the name of a session"},
      {"session s step a SELECT",
       "1:18: unexpected \"SELECT\", write the SQL of the step between { and }"},
      {"setup { \\if 1 }",
       "1:9: \\if stands in setup, move it into a step: only steps may have backslash commands"},
      {"session s step a { x \\bad }",
       "1:22: \\bad is not a command of scenario files, use \\gset, \\if, \\elif, \\else or "
       "\\endif"},
  };
  for (const Mistake& row : mistakes)
    EXPECT_EQ(read_spec(row.text), fmt::format("f.spec:{}", row.message));
}

TEST(SpecParser, explains_mistakes_of_tokens) {
  const Mistake mistakes[] = {
      {"session \"s", "1:9: this name has no closing quote, add a \""},
      {"session \"s\n\"", "1:9: this name has no closing quote, add a \""},
      {"session s\nstep a { x", "2:8: this block has no end, add a }"},
      {"session s step a {};",
       "1:20: unexpected character \";\", put SQL between { and }; nothing "
       "ends in a semicolon outside"},
      {"setup {} -- x",
       "1:10: unexpected character \"-\", begin comments outside of blocks with #"},
      {"setup { '{1}' }",
       "1:13: unexpected character \"'\", put names in double quotes; if this was SQL: a block "
       "ends at its first }, write chr(125)"},
      {"\x01", "1:1: unexpected character of code 1, remove it"},
      {std::string_view("setup { \0 }", 11), "1:9: this block has a zero byte, remove it"},
      {std::string_view("session \"\0\"", 11), "1:9: this name has a zero byte, remove it"},
  };
  for (const Mistake& row : mistakes)
    EXPECT_EQ(read_spec(row.text), fmt::format("f.spec:{}", row.message));
}

TEST(SpecParser, explains_mistakes_in_permutations) {
  const Mistake mistakes[] = {
      {"permutation r1 r3", R"(3:16: unknown step "r3" in a permutation, did you mean "r1"?)"},
      {"permutation r1 commit",
       "3:16: unknown step \"commit\" in a permutation, use one of: r1, w1, r2"},
      {"permutation r1 invarient x {}",
       R"(3:16: unknown step "invarient" in a permutation, did you mean "invariant"?)"},
      {"permutation store",
       "3:13: unknown step \"store\" in a permutation, use one of: r1, w1, r2"},
      {"permutation\nsession x", "4:1: unexpected \"session\", write the name of a step"},
      {"permutation r1(r2) w1",
       "3:16: the marker names the step \"r2\", which this permutation does not have, did you mean "
       "\"r1\"?"},
      {"permutation r1(w1) w1",
       "3:16: step \"r1\" cannot wait for \"w1\" of its own session, name a step of another "
       "session"},
      {"permutation r1()", "3:16: unexpected \")\", write a marker: *, STEP, or STEP notices N"},
      {"permutation r1(* r2)", "3:18: unexpected \"r2\", write \",\" or \")\" after a marker"},
      {"permutation r1(r2 notices x) r2", "3:27: unexpected \"x\", write a number of notices"},
      {"permutation r1(r2 notices 99999999999) r2",
       "3:27: 99999999999 notices are too many, use a smaller number"},
      {"permutation r1 session x step y {}",
       "3:16: session stands too late, keep the order: setup, teardown, sessions (each: setup, "
       "steps, teardown), permutations"},
  };
  for (const Mistake& row : mistakes) {
    EXPECT_EQ(read_after_sessions(row.text), fmt::format("f.spec:{}", row.message));
  }
}

TEST(SpecParser, explains_mistakes_in_heddles_own_items) {
  const Mistake mistakes[] = {
      {"store ledger\npermutation r1",
       "3:1: a store needs a name and a kind on one line, write for example: store ledger "
       "postgres"},
      {"service a b",
       "3:11: unexpected \"b\", write the tables of the service between { and }: { account, wallet "
       "}"},
      {"service a {x} service a {y}",
       "3:23: duplicate service name \"a\", put all its tables where line 3 names it"},
      {"service a {x, y} service b {z, Y}",
       "3:29: table y is one of service a, too, take it out of one of the two"},
      {"service a { x, (y) }",
       "3:13: \"(y)\" is no name of a table of service a, write for example: service billing { "
       "invoice, payment }"},
      {"service a {}",
       "3:12: \"\" is no name of a table of service a, write for example: service billing { "
       "invoice, payment }"},
      {"store a b store a c",
       "3:11: duplicate store name \"a\", rename it: line 3 has that name "
       "already"},
      {"session s step a on cache {}",
       "3:21: no store \"cache\" is declared above, declare it at the top of the file, for "
       "example: "
       "store cache redis"},
      {"session s step a on {}", "3:21: unexpected block, write the name of a store"},
      {"isolation # none",
       "3:1: isolation has no level, write for example: isolation read "
       "committed"},
      {"isolation serialisable",
       R"(3:11: unknown isolation level "serialisable", did you mean "serializable"?)"},
      {"isolation snapshot\nisolation snapshot",
       "4:1: a second isolation level, keep one, or give several with --isolation"},
      {"invariant { SELECT 1 }", "3:11: unexpected block, write the name of an invariant"},
      {"invariant \"x\" permutation r1",
       "3:15: unexpected \"permutation\", write the SQL of an invariant between { and }"},
      {"invariant x {} invariant x {}",
       "3:26: duplicate invariant name \"x\", rename one of the two"},
      {"invariant x { SELECT 1 \\gset }",
       "3:24: \\gset stands in an invariant, move it into a step: only steps may have backslash "
       "commands"},
  };
  for (const Mistake& row : mistakes) {
    EXPECT_EQ(read_after_sessions(row.text), fmt::format("f.spec:{}", row.message));
  }
}

}  // namespace
}  // namespace heddle
