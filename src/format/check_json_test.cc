// The examples of docs/formats/check.md are what heddle writes.

#include "format/check_json.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/source_tree_testing.h"
#include "format/sample_check_testing.h"

namespace heddle {
namespace {

using sample::CheckScene;

std::string read_page() {
  std::ifstream file(source_tree() / "docs" / "formats" / "check.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> find_examples(const std::string& page) {
  std::vector<std::string> examples;
  const std::string fence = "```json\n";
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    const std::size_t begin = at + fence.size();
    at = page.find("```\n", begin);
    examples.push_back(page.substr(begin, at - begin));
  }
  return examples;
}

// All names of members, wherever they stand.
void collect_names(const nlohmann::json& json, std::vector<std::string>& names) {
  for (const auto& [name, member] : json.items()) {
    if (json.is_object()) names.push_back(name);
    if (member.is_structured()) collect_names(member, names);
  }
}

CheckReport lost_update(CheckScene& scene) {
  const TransactionId t1 = scene.txn(0, "r x 0, w x 1");
  const TransactionId t2 = scene.txn(1, "r x 0, w x 2");
  return scene.report(
      IsolationLevel::snapshot, AnomalyKind::lost_update,
      {scene.edge(DependencyKind::rw, t1, 0, t2, 1), scene.edge(DependencyKind::rw, t2, 0, t1, 1)});
}

std::vector<std::string> argue(const Counterexample& counterexample) {
  EXPECT_EQ(counterexample.kind, AnomalyKind::lost_update);
  return {"Let T1 = r1[x=0] w1[x=1] c1 (s1, line 1).", "Let T2 = r2[x=0] w2[x=2] c2 (s2, line 2).",
          "Then T1 reads x = 0, which T2 then overwrites with 2: T1 comes before T2.",
          "Then T2 reads x = 0, which T1 then overwrites with 1: T2 comes before T1.",
          "However, T1 would come before T2 and T2 before T1: there is no such order."};
}

TEST(CheckJson, the_example_of_transactions_is_what_heddle_writes) {
  const std::vector<std::string> examples = find_examples(read_page());
  ASSERT_EQ(examples.size(), 2U);
  CheckScene scene;
  const CheckReport report = lost_update(scene);
  EXPECT_EQ(to_json(report, scene.history, {"bank.edn", false, argue}), examples[0]);
}

ObjectHistory two_calls() {
  ObjectHistory history;
  const KeyId object = history.objects.of(history.texts.text("x"));
  ObjectCall write;
  write.function = ObjectFunction::write;
  write.object = object;
  write.line = 1;
  write.argument = Value::number(1);
  write.called = 1;
  write.returned = 2;
  ObjectCall read;
  read.process = 1;
  read.object = object;
  read.line = 3;
  read.result = Value::number(2);
  read.called = 3;
  read.returned = 4;
  history.calls = {write, read};
  return history;
}

TEST(CheckJson, the_example_of_calls_is_what_heddle_writes) {
  const std::vector<std::string> examples = find_examples(read_page());
  ASSERT_EQ(examples.size(), 2U);
  LinearizabilityPart part;
  part.object = KeyId(0);
  part.verdict = Verdict::violated;
  part.order = {0};
  part.stuck = 1;
  part.core = {0, 1};
  LinearizabilityAnswer answer;
  answer.verdict = Verdict::violated;
  answer.parts = {part};
  answer.culprit = 0;
  EXPECT_EQ(to_json(answer, two_calls(), "linearizable", {"etcd.log"}), examples[1]);
}

TEST(CheckJson, every_member_is_described) {
  const std::string page = read_page();
  for (const std::string& example : find_examples(page)) {
    std::vector<std::string> names;
    collect_names(nlohmann::json::parse(example), names);
    for (const std::string& name : names) {
      const bool is_notation = name == "action" || name == "value";
      EXPECT_TRUE(is_notation || page.find("`" + name + "`") != std::string::npos ||
                  page.find("\"" + name + "\": ") < page.find("```json"))
          << name;
    }
  }
}

TEST(CheckJson, values_keep_their_kinds_and_bytes) {
  CheckScene scene;
  scene.txn(0, "r x nil, r y ?, w z word, list l 1 2");
  TransactionHistory& history = scene.history;
  history.sessions = {"\xff"};
  const CheckReport report =
      scene.report(IsolationLevel::serializable, AnomalyKind::serialization_cycle, {});
  const auto json = nlohmann::json::parse(to_json(report, history, {"a"}));
  const auto& txn = json["mentioned"][0];
  EXPECT_EQ(txn["session"]["hex"], "ff");
  EXPECT_TRUE(txn["operations"][0]["value"].is_null());
  EXPECT_EQ(txn["operations"][1]["value"]["unseen"], true);
  EXPECT_EQ(txn["operations"][2]["value"], "word");
  EXPECT_EQ(txn["operations"][3]["value"], (std::vector<int>{1, 2}));
}

TEST(CheckJson, witnesses_are_written_when_asked_for) {
  CheckScene scene;
  const TransactionId t1 = scene.txn(0, "r x 0");
  CheckReport report;
  LevelAnswer answer;
  answer.verdict = Verdict::satisfied;
  answer.order = {t1};
  answer.chosen = {{scene.operation(t1, 0), std::nullopt}};
  report.answers = {answer};
  const auto without = nlohmann::json::parse(to_json(report, scene.history, {"a"}));
  EXPECT_FALSE(without["levels"][0].contains("order"));
  const auto with = nlohmann::json::parse(to_json(report, scene.history, {"a", true}));
  EXPECT_EQ(with["levels"][0]["order"], (std::vector<int>{0}));
  EXPECT_EQ(with["levels"][0]["chosen"][0]["read"]["transaction"], 0);
  EXPECT_TRUE(with["levels"][0]["chosen"][0]["writer"].is_null());
}

}  // namespace
}  // namespace heddle
