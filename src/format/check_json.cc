#include "format/check_json.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/assert.h"
#include "format/json/json.h"

namespace heddle {

namespace {

// Reasons of reasons of reasons are left out.
constexpr std::uint32_t kDeepestBecause = 6;

Json write_value(const ValueTexts& texts, Value value) {
  if (value == kNil) return nullptr;
  if (value == kUnseen) return {{"unseen", true}};
  if (value.is_number()) return value.code;
  return text_json(texts.to_string(value));
}

Json write_values(const ValueTexts& texts, std::span<const Value> list) {
  Json elements = Json::array();
  for (const Value value : list) elements.push_back(write_value(texts, value));
  return elements;
}

Json write_names(const std::vector<IsolationLevel>& levels) {
  Json names = Json::array();
  for (const IsolationLevel level : levels) names.push_back(definition(level).name);
  return names;
}

template <class T>
Json write_optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// A report on transactions.
class CheckWriter {
 public:
  CheckWriter(const CheckReport& report, const TransactionHistory& history,
              const CheckDocument& document)
      : report_(report), history_(history), document_(document) {
    collect_mentioned();
  }

  Json write() const {
    Json levels = Json::array();
    for (const LevelAnswer& answer : report_.answers) levels.push_back(write_answer(answer));
    Json mentioned = Json::array();
    for (const TransactionId id : mentioned_) mentioned.push_back(write_transaction(id));
    return {{"heddle", "check/1"},
            {"file", text_json(document_.file)},
            {"about", "transactions"},
            {"transactions", history_.transactions.size()},
            {"operations", history_.operations.size()},
            {"keys", history_.keys.size()},
            {"strongest_held", write_names(report_.strongest_held)},
            {"weakest_violated", write_names(report_.weakest_violated)},
            {"levels", std::move(levels)},
            {"mentioned", std::move(mentioned)}};
  }

 private:
  void collect_mentioned() {
    for (const LevelAnswer& answer : report_.answers) {
      for (const Counterexample& example : answer.counterexamples) {
        mentioned_.insert(example.transactions.begin(), example.transactions.end());
        collect(example.cycle, 0);
        for (const CounterexampleCase& each : example.cases) collect(each.cycle, 0);
      }
    }
  }

  void collect(const std::vector<RecordedEdge>& edges, std::uint32_t depth) {
    for (const RecordedEdge& edge : edges) {
      if (edge.from) mentioned_.insert(*edge.from);
      mentioned_.insert(edge.to);
      if (depth < kDeepestBecause) collect(edge.because, depth + 1);
    }
  }

  Json write_answer(const LevelAnswer& answer) const {
    Json examples = Json::array();
    for (const Counterexample& example : answer.counterexamples) {
      examples.push_back(write_example(example));
    }
    Json json = {{"level", definition(answer.level).name},
                 {"verdict", to_string(answer.verdict)},
                 {"bound", text_json(answer.bound)},
                 {"counterexamples", std::move(examples)}};
    if (document_.witness && answer.verdict == Verdict::satisfied) write_witness(answer, json);
    return json;
  }

  void write_witness(const LevelAnswer& answer, Json& json) const {
    json["order"] = Json::array();
    for (const TransactionId id : answer.order) json["order"].push_back(id.value);
    json["chosen"] = Json::array();
    for (const ChosenWriter& chosen : answer.chosen) {
      Json writer = chosen.writer ? Json(chosen.writer->value) : Json(nullptr);
      json["chosen"].push_back(
          {{"read", write_place(chosen.operation)}, {"writer", std::move(writer)}});
    }
  }

  Json write_example(const Counterexample& example) const {
    Json sentences = Json::array();
    if (document_.explain) {
      for (const std::string& sentence : document_.explain(example)) {
        sentences.push_back(text_json(sentence));
      }
    }
    Json transactions = Json::array();
    for (const TransactionId id : example.transactions) transactions.push_back(id.value);
    Json cases = Json::array();
    for (const CounterexampleCase& each : example.cases) {
      cases.push_back(
          {{"supposed", write_edges(each.supposed, 0)}, {"cycle", write_edges(each.cycle, 0)}});
    }
    return {{"kind", definition(example.kind).slug},       {"explanation", std::move(sentences)},
            {"cycle", write_edges(example.cycle, 0)},      {"cases", std::move(cases)},
            {"operation", write_place(example.operation)}, {"other", write_place(example.other)},
            {"transactions", std::move(transactions)}};
  }

  Json write_edges(const std::vector<RecordedEdge>& edges, std::uint32_t depth) const {
    Json json = Json::array();
    if (depth > kDeepestBecause) return json;
    for (const RecordedEdge& edge : edges) {
      const bool has_key = edge.kind != DependencyKind::so && edge.kind != DependencyKind::rt;
      json.push_back({{"kind", to_string(edge.kind)},
                      {"from", edge.from ? Json(edge.from->value) : Json(nullptr)},
                      {"to", edge.to.value},
                      {"key", has_key ? write_value(history_.texts, history_.keys.name(edge.key))
                                      : Json(nullptr)},
                      {"from_operation", position(edge.from, edge.from_operation)},
                      {"to_operation", position(edge.to, edge.to_operation)},
                      {"because", write_edges(edge.because, depth + 1)}});
    }
    return json;
  }

  // Within its transaction, from 0.
  Json position(std::optional<TransactionId> id, std::optional<std::uint32_t> operation) const {
    if (!id || !operation) return nullptr;
    return *operation - history_.transactions[id->index()].first;
  }

  Json write_place(std::optional<std::uint32_t> operation) const {
    if (!operation) return nullptr;
    for (std::uint32_t txn = 0; txn < history_.transactions.size(); ++txn) {
      const RecordedTransaction& recorded = history_.transactions[txn];
      if (*operation < recorded.first || *operation - recorded.first >= recorded.count) continue;
      return {{"transaction", txn}, {"position", *operation - recorded.first}};
    }
    HEDDLE_ASSERT(false);
  }

  Json write_session(std::uint32_t session) const {
    const bool named = session < history_.sessions.size() && !history_.sessions[session].empty();
    return named ? text_json(history_.sessions[session])
                 : Json("s" + std::to_string(std::uint64_t{session} + 1));
  }

  Json write_transaction(TransactionId id) const {
    const RecordedTransaction& txn = history_.transactions[id.index()];
    Json operations = Json::array();
    for (const KeyOperation& operation : history_.operations_of(id)) {
      const bool list = operation.action == KeyAction::read_list && operation.value != kUnseen;
      operations.push_back(
          {{"action", to_string(operation.action)},
           {"key", write_value(history_.texts, history_.keys.name(operation.key))},
           {"value", list ? write_values(history_.texts, history_.lists[operation.list()])
                          : write_value(history_.texts, operation.value)}});
    }
    Json json = {{"transaction", id.value},
                 {"session", write_session(txn.session)},
                 {"line", txn.line},
                 {"outcome", to_string(txn.outcome)},
                 {"operations", std::move(operations)}};
    if (history_.has_times) {
      json["began"] = txn.began;
      json["ended"] = txn.ended == kNever ? Json(nullptr) : Json(txn.ended);
    }
    return json;
  }

  const CheckReport& report_;
  const TransactionHistory& history_;
  const CheckDocument& document_;
  std::set<TransactionId> mentioned_;
};

// A report on calls.
class CallsWriter {
 public:
  CallsWriter(const LinearizabilityAnswer& answer, const ObjectHistory& history,
              std::string_view order, const CheckDocument& document)
      : answer_(answer), history_(history), order_(order), document_(document) {}

  Json write() {
    Json parts = Json::array();
    std::size_t satisfied = 0;
    for (const LinearizabilityPart& part : answer_.parts) {
      satisfied += part.verdict == Verdict::satisfied ? 1 : 0;
      if (part.verdict != Verdict::satisfied || document_.witness)
        parts.push_back(write_part(part));
    }
    Json mentioned = Json::array();
    for (const std::uint32_t call : mentioned_) mentioned.push_back(write_call(call));
    return {{"heddle", "check/1"},
            {"file", text_json(document_.file)},
            {"about", "calls"},
            {"model", to_string(history_.model)},
            {"order", order_},
            {"calls", history_.calls.size()},
            {"objects", history_.objects.size()},
            {"verdict", to_string(answer_.verdict)},
            {"bound", text_json(answer_.bound)},
            {"satisfied", satisfied},
            {"invariant", write_invariant()},
            {"parts", std::move(parts)},
            {"mentioned", std::move(mentioned)}};
  }

 private:
  Json write_invariant() const {
    if (!answer_.invariant) return nullptr;
    return {{"verdict", to_string(answer_.invariant->verdict)},
            {"message", text_json(answer_.invariant->message)}};
  }

  Json write_part(const LinearizabilityPart& part) {
    mentioned_.insert(part.core.begin(), part.core.end());
    mentioned_.insert(part.core_optional.begin(), part.core_optional.end());
    if (part.stuck) mentioned_.insert(*part.stuck);
    Json written = {
        {"object", part.object ? write_value(history_.texts, history_.objects.name(*part.object))
                               : Json(nullptr)},
        {"verdict", to_string(part.verdict)},
        {"bound", text_json(part.bound)},
        {"order", part.order},
        {"stuck", write_optional(part.stuck)},
        {"core", part.core},
        {"core_optional", part.core_optional}};
    if (!part.core_begins_with.empty()) {
      written["core_begins_with"] = text_json(part.core_begins_with);
    }
    return written;
  }

  Json write_result(const ObjectCall& call) const {
    if (!call.result_is_list) return write_value(history_.texts, call.result);
    const ListId list(static_cast<std::size_t>(call.result.code));
    return write_values(history_.texts, history_.lists[list]);
  }

  Json write_call(std::uint32_t index) const {
    const ObjectCall& call = history_.calls[index];
    return {{"call", index},
            {"process", call.process},
            {"line", call.line},
            {"function", to_string(call.function)},
            {"object", write_value(history_.texts, history_.objects.name(call.object))},
            {"outcome", call.outcome == CallOutcome::ok       ? "ok"
                        : call.outcome == CallOutcome::failed ? "failed"
                                                              : "unknown"},
            {"argument", write_value(history_.texts, call.argument)},
            {"second", write_value(history_.texts, call.second)},
            {"result", write_result(call)},
            {"called", call.called},
            {"returned", call.returned == kNever ? Json(nullptr) : Json(call.returned)}};
  }

  const LinearizabilityAnswer& answer_;
  const ObjectHistory& history_;
  std::string_view order_;
  const CheckDocument& document_;
  std::set<std::uint32_t> mentioned_;
};

}  // namespace

std::string to_json(const CheckReport& report, const TransactionHistory& history,
                    const CheckDocument& document) {
  return print_json(CheckWriter(report, history, document).write());
}

std::string to_json(const LinearizabilityAnswer& answer, const ObjectHistory& history,
                    std::string_view order, const CheckDocument& document) {
  return print_json(CallsWriter(answer, history, order, document).write());
}

}  // namespace heddle
