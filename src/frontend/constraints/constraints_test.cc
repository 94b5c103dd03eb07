#include "heddle/constraints.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

// The formula in prefix form: "(imply (and (vis 0 1) (write 0)) ...)".
std::string shown_constraints(const OrderFormula& formula) {
  static constexpr const char* kWords[] = {"vis",      "ar",    "so",   "st",   "same_store",
                                           "same_row", "write", "read", "of",   "on",
                                           "not",      "and",   "or",   "imply"};
  std::string text = std::string("(") + kWords[static_cast<std::size_t>(formula.kind)];
  for (const std::size_t each : formula.operations) text += " " + std::to_string(each);
  if (!formula.name.empty()) text += " " + formula.name;
  for (const OrderFormula& part : formula.parts) text += " " + shown_constraints(part);
  return text + ")";
}

std::string axiom(const std::string& text) {
  const Result<Constraints> read = parse_constraints("axiom x { " + text + " }", "c.txt");
  return read ? shown_constraints(read->axioms.at(0).formula) : to_string(read.error());
}

std::string error(const std::string& text) {
  const Result<Constraints> read = parse_constraints(text, "c.txt");
  return read ? "none" : to_string(read.error());
}

TEST(ConstraintsFile, formulas_bind_as_logic_does) {
  EXPECT_EQ(axiom("vis(a,b) and vis(b,c) imply vis(a,c)"),
            "(imply (and (vis 0 1) (vis 1 2)) (vis 0 2))");
  EXPECT_EQ(axiom("write(a) or read(a) and not so(a,b) implies ar(b,a)"),
            "(imply (or (write 0) (and (read 0) (not (so 0 1)))) (ar 1 0))");
  EXPECT_EQ(axiom("(write(a) or read(b)) and ST(a,b)"), "(and (or (write 0) (read 1)) (st 0 1))");
  EXPECT_EQ(axiom("of(x, new_order) and on(y, \"Order\") implies same_store(x,y)"),
            "(imply (and (of 0 new_order) (on 1 Order)) (same_store 0 1))");
  EXPECT_EQ(axiom("same_row(a,b) implies (so(a,b) implies /* that */ vis(a,b))"),
            "(imply (same_row 0 1) (imply (so 0 1) (vis 0 1)))");
}

TEST(ConstraintsFile, long_axioms_are_not_deep) {
  EXPECT_EQ(axiom("vis(a,b) and ar(a,b) and (so(a,b) or st(a,b) or write(a))"),
            "(and (vis 0 1) (ar 0 1) (or (so 0 1) (st 0 1) (write 0)))");
  EXPECT_EQ(axiom("vis(a,b) and vis(b,a) and vis(a,b)"), "(and (vis 0 1) (vis 1 0))");
  EXPECT_EQ(axiom("(ar(a,b) or on(a,t)) and (ar(a,b) or on(a,t))"), "(or (ar 0 1) (on 0 t))");
  EXPECT_EQ(axiom("on(a,t) or on(a,s)"), "(or (on 0 t) (on 0 s))");
  std::string text = "vis(a,b)";
  for (int i = 0; i < 100'000; ++i) text += i % 2 == 0 ? " and on(a,t)" : " and not ar(a,b)";
  EXPECT_EQ(axiom(text), "(and (vis 0 1) (on 0 t) (not (ar 0 1)))");
}

TEST(ConstraintsFile, items_have_names_and_places) {
  const Result<Constraints> read = parse_constraints(
      "# what we know\n"
      "store orders { orders, order_line }\n"
      "axiom \"in order\" { so(a,b)\n  implies vis(a,b) }\n"
      "initially \"no debt\" { SELECT balance >= 0 FROM account; }\n",
      "c.txt");
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_EQ(read->stores.size(), 1U);
  EXPECT_EQ(read->stores[0].tables, (std::vector<std::string>{"orders", "order_line"}));
  EXPECT_EQ(read->stores[0].positions[1], (SourcePosition{2, 24}));
  ASSERT_EQ(read->axioms.size(), 1U);
  EXPECT_EQ(read->axioms[0].name, "in order");
  EXPECT_EQ(read->axioms[0].operations, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read->axioms[0].formula.parts[1].position, (SourcePosition{4, 11}));
  ASSERT_EQ(read->facts.size(), 1U);
  EXPECT_EQ(read->facts[0].name, "no debt");
  EXPECT_FALSE(read->empty());
  EXPECT_TRUE(parse_constraints("# nothing\n", "c.txt")->empty());
}

// "deposit(account, 10) look"
std::string session_shown(const std::string& text) {
  const Result<Constraints> read = parse_constraints("session s " + text, "c.txt");
  if (!read) return to_string(read.error());
  std::string shown;
  for (const SessionCall& call : read->sessions.at(0).calls) {
    shown += (shown.empty() ? "" : " ") + call.functionality;
    if (!call.arguments) continue;
    std::string arguments;
    for (const Expression& argument : *call.arguments) {
      arguments += (arguments.empty() ? "" : ", ") + argument.text;
      if (argument.kind == ExpressionKind::variable) arguments += "?";
    }
    shown += "(" + arguments + ")";
  }
  return shown;
}

TEST(ConstraintsFile, sessions_are_calls_in_an_order) {
  EXPECT_EQ(session_shown("{ deposit(account, -10.5); look }"), "deposit(account?, -10.5) look");
  EXPECT_EQ(session_shown("{ Bank.pay('a;b', NULL, true);\n \"Odd name\"(); last(Who) ; }"),
            "Bank.pay('a;b', null, true) Odd name() last(who?)");
  EXPECT_EQ(session_shown("{ look(1) }"),
            "c.txt:1:9: the session \"s\" has one call, a single call needs no session");
  EXPECT_EQ(session_shown("{ look(1;) }"),
            "c.txt:1:19: \";\" stands where a call is expected to go on, write the calls in their "
            "order: { deposit(account, 10); balance(account) }");
  EXPECT_EQ(session_shown("{ look(1); look( }"),
            "c.txt:1:13: the session \"s\" ends in the middle of a call, write the calls in their "
            "order: { deposit(account, 10); balance(account) }");
}

TEST(ConstraintsFile, requirements_are_conditions_on_parameters) {
  const Result<Constraints> read = parse_constraints(
      "requires pay { Payer <> payee AND \"Odd\" > 0 }\nrequires pay {\n  payer > 1 }", "c.txt");
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_EQ(read->requirements.size(), 2U);
  const CallRequirement& first = read->requirements[0];
  EXPECT_EQ(first.functionality, "pay");
  EXPECT_EQ(first.condition.text, "and");
  EXPECT_EQ(first.position, (SourcePosition{1, 10}));
  ASSERT_EQ(first.parameters.size(), 3U);
  EXPECT_EQ(first.parameters[0].name, "payer");
  EXPECT_EQ(first.parameters[2].name, "Odd");
  EXPECT_EQ(first.parameters[2].position, (SourcePosition{1, 35}));
  EXPECT_EQ(read->requirements[1].parameters[0].position, (SourcePosition{3, 3}));
}

TEST(ConstraintsFile, errors_say_where_and_what_to_do) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"rule x { }",
       "c.txt:1:1: \"rule\" begins no constraint, use one of: store, axiom, initially, session, "
       "requires"},
      {"requires pay a > b",
       "c.txt:1:14: the requires \"pay\" has no block, an item looks like: initially \"no debt\" { "
       "SELECT balance >= 0 FROM account }"},
      {"requires pay { a > }",
       "c.txt:1:19: syntax error at end of input, say it of parameters: requires pay { payer <> "
       "payee }"},
      {"requires pay {\n  a > b.c }",
       "c.txt:2:7: there is no variable \"b.c\", say it of parameters: requires pay { payer <> "
       "payee "
       "}"},
      {"requires pay { EXISTS (SELECT 1) }",
       "c.txt:1:16: what \"pay\" requires is no condition on its arguments, say it of parameters: "
       "requires pay { payer <> payee }"},
      {"axiom { vis(a,b) }",
       "c.txt:1:7: the axiom has no name, an item looks like: initially \"no debt\" { SELECT "
       "balance >= 0 FROM account }"},
      {"axiom x vis(a,b)",
       "c.txt:1:9: the axiom \"x\" has no block, an item looks like: initially \"no debt\" { "
       "SELECT balance >= 0 FROM account }"},
      {"axiom x { vis(a,b) }\naxiom x { ar(a,b) }",
       "c.txt:2:7: a second axiom \"x\", rename one of the two"},
      {"axiom x { viz(a,b) }",
       "c.txt:1:11: \"viz\" stands where a predicate is expected, did you mean \"vis\"?"},
      {"axiom x { vis(a) }",
       "c.txt:1:16: \")\" stands where \",\" is expected, predicates look like: vis(a, b)"},
      {"axiom x { vis(a,and) }",
       "c.txt:1:17: \"and\" stands where an operation is expected, name operations by words such "
       "as a and b"},
      {"axiom x { vis(a,b) implies ar(a,b) implies so(a,b) }",
       "c.txt:1:36: an implication of an implication, put one of them in parentheses"},
      {"axiom x { vis(a,b) ar(a,b) }",
       "c.txt:1:20: \"ar\" stands behind the axiom, join formulas by: and, or, implies"},
      {"axiom x { (vis(a,b) }",
       "c.txt:1:20: the end stands where \")\" is expected, predicates look like: vis(a, b)"},
      {"axiom x { on(a, 1) }",
       "c.txt:1:17: \"1\" stands where a name is expected, write the name of a table: on(a, "
       "account)"},
      {"axiom x { vis(a,b) and vis(c,d) and vis(d,e) }",
       "c.txt:1:43: an axiom of more than 4 operations, say it with fewer"},
      {"store s { a b }",
       "c.txt:1:13: \"b\" stands where a comma is expected, write the tables of the store: { "
       "account, transfer }"},
      {"initially x { SELEC 1 }",
       "c.txt:1:15: syntax error at or near \"SELEC\", check the statement's syntax"},
      {"initially x {\n  UPDATE t SET a = 1 }",
       "c.txt:2:3: \"x\" is not one query, an item looks like: initially \"no debt\" { SELECT "
       "balance >= 0 FROM account }"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(error(text), expected) << text;
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "(";
  EXPECT_NE(error("axiom x { " + deep + "vis(a,b) }").find("this deep"), std::string::npos);
}

}  // namespace
}  // namespace heddle
