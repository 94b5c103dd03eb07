// Recorded histories with reports on them made up by hand, for the tests of what shows these.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "heddle/check.h"

namespace heddle::sample {

// Writes down transactions and what is wrong with them:
//
//   CheckScene scene;
//   const TransactionId t1 = scene.txn(0, "r x 0, w x 1");
//   const TransactionId t2 = scene.txn(1, "r x 0, w x 2");
//   scene.cycle({scene.edge(DependencyKind::rw, t1, 0, t2, 1), ...});
class CheckScene {
 public:
  CheckScene() { history.initial = Value::number(0); }

  // Operations "r x 0", "w x 1", "append x 1", "list x 1 2".
  TransactionId txn(std::uint32_t session, std::string_view operations,
                    TransactionOutcome outcome = TransactionOutcome::committed, Moment began = 0,
                    Moment ended = kNever) {
    TransactionBuilder builder(history, session,
                               static_cast<std::uint32_t>(history.transactions.size() + 1));
    for (const std::string& text : split(operations, ',')) add(builder, std::string(trim(text)));
    history.has_times = history.has_times || ended != kNever;
    return builder.end(outcome, began, ended);
  }

  std::uint32_t operation(TransactionId id, std::uint32_t position) const {
    HEDDLE_ASSERT(position < history.transactions[id.index()].count);
    return history.transactions[id.index()].first + position;
  }

  // Between operations, by their positions in their transactions.
  RecordedEdge edge(DependencyKind kind, TransactionId from, std::uint32_t from_position,
                    TransactionId to, std::uint32_t to_position,
                    std::vector<RecordedEdge> because = {}) const {
    RecordedEdge edge;
    edge.kind = kind;
    edge.from = from;
    edge.to = to;
    edge.from_operation = operation(from, from_position);
    edge.to_operation = operation(to, to_position);
    edge.key = history.operations[*edge.from_operation].key;
    edge.because = std::move(because);
    return edge;
  }

  static RecordedEdge edge(DependencyKind kind, TransactionId from, TransactionId to) {
    RecordedEdge edge;
    edge.kind = kind;
    edge.from = from;
    edge.to = to;
    return edge;
  }

  // A report of one level that is violated.
  CheckReport report(IsolationLevel level, AnomalyKind kind,
                     std::vector<RecordedEdge> cycle) const {
    Counterexample example;
    example.kind = kind;
    example.cycle = std::move(cycle);
    return report(level, std::move(example));
  }

  CheckReport report(IsolationLevel level, Counterexample example) const {
    if (example.transactions.empty()) {
      for (std::size_t i = 0; i < history.transactions.size(); ++i) {
        example.transactions.emplace_back(i);
      }
    }
    CheckReport report;
    LevelAnswer answer;
    answer.level = level;
    answer.verdict = Verdict::violated;
    answer.counterexamples.push_back(std::move(example));
    report.answers.push_back(std::move(answer));
    report.weakest_violated = {level};
    return report;
  }

  TransactionHistory history;

 private:
  void add(TransactionBuilder& builder, const std::string& text) {
    std::vector<std::string> words = split(text, ' ');
    HEDDLE_ASSERT(words.size() >= 2);
    const KeyId key = history.keys.of(history.texts.text(words[1]));
    std::vector<Value> values;
    for (std::size_t i = 2; i < words.size(); ++i) values.push_back(value_of(words[i]));
    if (words[0] == "list") {
      builder.read_list(key, values);
    } else if (words[0] == "append") {
      builder.append(key, values[0]);
    } else {
      words[0] == "r" ? builder.read(key, values[0]) : builder.write(key, values[0]);
    }
  }

  Value value_of(const std::string& word) {
    if (word == "nil") return kNil;
    if (word == "?") return kUnseen;
    if (word.find_first_not_of("0123456789") != std::string::npos) return history.texts.text(word);
    return Value::number(std::stoll(word));
  }
};

}  // namespace heddle::sample
