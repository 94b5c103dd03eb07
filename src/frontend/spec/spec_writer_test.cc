#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "frontend/spec/scenario_dump_testing.h"
#include "heddle/scenario.h"

namespace heddle {
namespace {

TEST(SpecWriter, writes_one_item_a_line) {
  const Result<Scenario> scenario = parse_scenario(
      "setup{A}session one setup{\n  B\n}step \"a b\"{C}step store{} teardown{D}"
      "session \"step\" step x{E}permutation \"a b\"(*,x,x notices 2)x store\n"
      "isolation READ COMMITTED\nstore ledger postgres invariant \"ok\"{F}",
      "f.spec");
  ASSERT_TRUE(scenario) << to_string(scenario.error());
  EXPECT_EQ(to_spec(*scenario),
            "store ledger postgres\n"
            "isolation read-committed\n"
            "invariant ok { F }\n"
            "setup { A }\n"
            "\n"
            "session one\n"
            "setup {\n  B\n}\n"
            "step \"a b\" { C }\n"
            "step store {  }\n"
            "teardown { D }\n"
            "\n"
            "session \"step\"\n"
            "step x { E }\n"
            "\n"
            "permutation \"a b\"(*, x, x notices 2) x store\n");
}

// Scenarios that the parser could have returned, as odd as it would accept them.
class RandomScenario {
 public:
  explicit RandomScenario(std::uint32_t seed) : random_(seed) {}

  Scenario make() {
    repeat(2, [this] { add_store(); });
    repeat(2, [this] { add_service(); });
    repeat(2, [this] { scenario_.setups.push_back(block()); });
    if (one_in(2)) scenario_.teardown = block();
    if (one_in(2)) {
      scenario_.isolation = level();
    }
    repeat(2, [this] { scenario_.invariants.push_back({fresh_name(), block()}); });
    add_session();
    repeat(2, [this] { add_session(); });
    repeat(3, [this] { add_permutation(); });
    return std::move(scenario_);
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool one_in(std::size_t n) { return below(n) == 0; }

  template <class Action>
  void repeat(std::size_t most, Action action) {
    for (std::size_t count = below(most + 1); count > 0; --count) action();
  }

  std::string text_of(std::initializer_list<std::string_view> pieces) {
    std::string text;
    repeat(4,
           [&] { text += *(pieces.begin() + static_cast<std::ptrdiff_t>(below(pieces.size()))); });
    return text;
  }

  // A number keeps names apart, oddities of all kinds come before it or behind it.
  std::string fresh_name() {
    const std::string number = std::to_string(++names_);
    const std::string odd = text_of({"a", "\"", " ", "$", "#", "{", "}", "\xc3\xa9", "*", "step"});
    return one_in(2) ? odd + number : "n" + number;
  }

  std::string word() {
    static constexpr std::string_view kWords[] = {"store",   "isolation", "invariant", "setup",
                                                  "notices", "",          "_",         "ordinary"};
    return std::string(kWords[below(std::size(kWords))]);
  }

  void add_service() {
    ServiceDeclaration service;
    service.name = fresh_name();
    if (one_in(3)) service.isolation = level();
    service.tables.push_back(text_of({"a", "B", "\"", " ", ",", "order", "\xc3\xa9"}) +
                             std::to_string(++names_));
    repeat(2, [&] { service.tables.push_back("t" + std::to_string(++names_)); });
    scenario_.services.push_back(std::move(service));
  }

  SqlBlock block() {
    std::string text =
        text_of({"x", "'", " ", "\n", "\t", "{", "#", "--", ":a", "\"", "E'\\'", "$$", "/*"});
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    text = text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
    return {text, {}, store()};
  }

  std::size_t store() { return scenario_.stores.empty() ? 0 : below(scenario_.stores.size()); }

  SqlBlock step_block() {
    if (!one_in(3)) return block();
    return {"\n\\if :{?a}\n SELECT 1 \\gset\n\\endif\n", {}, store()};
  }

  IsolationLevel level() { return isolation_levels()[below(isolation_levels().size())].level; }

  void add_store() { scenario_.stores.push_back(StoreDeclaration{fresh_name(), word(), {}}); }

  void add_session() {
    const SessionId id(scenario_.sessions.size());
    Session& session = scenario_.sessions.emplace_back();
    session.name = one_in(2) ? word() : fresh_name();
    if (one_in(4)) session.isolation = level();
    if (one_in(2)) session.setup = block();
    if (one_in(2)) session.teardown = block();
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) add_step(session, id);
  }

  void add_step(Session& session, SessionId id) {
    Step step;
    step.name = fresh_name();
    if (!extension_used_ && one_in(6)) {
      step.name = "store";
      extension_used_ = true;
    }
    step.sql = step_block();
    step.session = id;
    session.steps.emplace_back(scenario_.steps.size());
    scenario_.steps.push_back(std::move(step));
  }

  void add_permutation() {
    Permutation permutation;
    const std::size_t count = 1 + below(5);
    for (std::size_t i = 0; i < count; ++i) {
      permutation.steps.push_back({StepId(below(scenario_.steps.size())), {}});
    }
    for (PlacedStep& placed : permutation.steps) add_blockers(permutation, placed);
    scenario_.permutations.push_back(std::move(permutation));
  }

  void add_blockers(const Permutation& permutation, PlacedStep& placed) {
    repeat(2, [&] {
      const StepId other = permutation.steps[below(permutation.steps.size())].step;
      const bool foreign =
          scenario_.steps[other.index()].session != scenario_.steps[placed.step.index()].session;
      if (!foreign || one_in(3)) {
        placed.blockers.push_back({});
      } else if (one_in(2)) {
        placed.blockers.push_back({Blocker::Kind::other_step, other, 0});
      } else {
        const auto notices = static_cast<std::uint32_t>(below(5));
        placed.blockers.push_back({Blocker::Kind::notices, other, notices});
      }
    });
  }

  std::mt19937 random_;
  std::size_t names_ = 0;
  bool extension_used_ = false;
  Scenario scenario_;
};

// Instructions follow from the text of a step, so that only what was generated is compared.
std::string without_instructions(Scenario scenario) {
  for (Step& step : scenario.steps) {
    Instruction whole;
    whole.text = step.sql.text;
    step.instructions = {whole};
  }
  return dump_scenario(scenario);
}

TEST(SpecWriter, reading_what_was_written_gives_the_same_scenario) {
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    const Scenario scenario = RandomScenario(seed).make();
    const std::string text = to_spec(scenario);
    const Result<Scenario> again = parse_scenario(text, "f.spec");
    ASSERT_TRUE(again) << "seed " << seed << ": " << to_string(again.error()) << "\n" << text;
    ASSERT_EQ(without_instructions(*again), without_instructions(scenario))
        << "seed " << seed << "\n"
        << text;
    ASSERT_EQ(to_spec(*again), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace heddle
