// Gives the values of calls their places: which is the object, which the argument, which the
// result. jepsen.independent's histories of many objects have [key value] for every value; they are
// known by that every invocation has such a pair where another history has nil (of reads) or
// something else (of compare-and-set a pair of values, hence [key [from to]]).
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "frontend/history/jepsen.h"
#include "frontend/history/jepsen_calls.h"
#include "frontend/history/jepsen_models.h"
#include "vocabulary/spelling.h"

namespace heddle {

namespace {

bool is_nil(const HistoryTerm* term) { return term == nullptr || term->kind == FormKind::nil; }

// The elements of a vector of that many, else null.
template <std::size_t count>
std::optional<std::array<const HistoryTerm*, count>> elements_of(const HistoryTerm* term) {
  std::array<const HistoryTerm*, count> elements{};
  if (term == nullptr || term->kind != FormKind::vector) return std::nullopt;
  std::size_t size = 0;
  for (const HistoryTerm& element : Inside(*term)) {
    if (size == count) return std::nullopt;
    elements[size++] = &element;
  }
  if (size < count) return std::nullopt;
  return elements;
}

class ObjectReader {
 public:
  ObjectReader(JepsenCalls& calls, std::string_view bytes, const std::string& name,
               const ReadHistoryOptions& options)
      : calls_(calls), name_(name), options_(options), values_(bytes, calls.texts) {}

  Result<ObjectHistory> read() {
    is_keyed_ = are_keyed();
    if (options_.memory != nullptr) {
      is_keyed_ = options_.memory->is_keyed.value_or(is_keyed_) && is_keyed_;
      options_.memory->is_keyed = is_keyed_;
    }
    const Result<ObjectModel> model = choose_model(observe(), options_.model);
    if (!model) {
      Diagnostic diagnostic = model.error();
      diagnostic.file = name_;
      return diagnostic;
    }
    history_.model = *model;
    history_.permits = options_.permits.value_or(1);
    if (options_.initial) history_.initial = value_as_written(*options_.initial, calls_.texts);
    for (const std::string& function : calls_.functions) {
      functions_.push_back(*find_function(*model, function));
    }
    history_.calls.reserve(calls_.calls.size());
    for (const JepsenCall& call : calls_.calls) {
      if (!add_call(call)) return *trouble_;
    }
    if (!options_.initial) history_.initial = default_initial();
    history_.texts = std::move(calls_.texts);
    return std::move(history_);
  }

 private:
  struct Operands {
    Value object = kNil;
    const HistoryTerm* argument = nullptr;
    const HistoryTerm* result = nullptr;  // of what returned ok
  };

  bool fail(const JepsenCall& call, std::string_view what, std::string what_to_do) {
    trouble_ = Diagnostic{.what = fmt::format(":{} {}", calls_.functions[call.function], what),
                          .what_to_do = std::move(what_to_do),
                          .file = name_,
                          .position = {call.line, 0}};
    return false;
  }

  bool are_keyed() const {
    return std::ranges::all_of(calls_.calls, [&](const JepsenCall& call) {
      const auto pair = elements_of<2>(calls_.term(call.argument));
      if (call.has_key || !pair || (*pair)[0]->is_container()) return false;
      const auto function =
          find_function(ObjectModel::cas_register, calls_.functions[call.function]);
      if (function == ObjectFunction::compare_and_set && !elements_of<2>((*pair)[1])) return false;
      const HistoryTerm* const result = calls_.term(call.result);
      const auto returned = elements_of<2>(result);
      return is_nil(result) || (returned && (*returned)[0]->value == (*pair)[0]->value);
    });
  }

  Operands operands_of(const JepsenCall& call) const {
    Operands operands{.object = call.key,
                      .argument = calls_.term(call.argument),
                      .result = calls_.term(call.result)};
    if (is_keyed_) {
      const auto pair = elements_of<2>(operands.argument);
      operands.object = (*pair)[0]->value;
      operands.argument = (*pair)[1];
      const auto returned = elements_of<2>(operands.result);
      operands.result = returned ? (*returned)[1] : nullptr;
    }
    // Some tests choose what they write only when they do it.
    if (is_nil(operands.argument) && operands.result != nullptr)
      operands.argument = operands.result;
    return operands;
  }

  ObservedCalls observe() const {
    ObservedCalls observed{.functions = calls_.functions};
    std::vector<ObjectFunction> functions;
    std::vector<bool> are_adds;
    for (const std::string& name : calls_.functions) {
      const auto function = find_function(ObjectModel::cas_register, name);
      functions.push_back(function.value_or(ObjectFunction::transfer));
      are_adds.push_back(find_function(ObjectModel::counter, name) == ObjectFunction::add);
    }
    for (const JepsenCall& call : calls_.calls) {
      const Operands operands = operands_of(call);
      const ObjectFunction function = functions[call.function];
      if (function == ObjectFunction::read && operands.result != nullptr) {
        const FormKind kind = operands.result->kind;
        observed.reads_maps = observed.reads_maps || kind == FormKind::map;
        observed.reads_collections =
            observed.reads_collections || kind == FormKind::vector || kind == FormKind::set;
      }
      if (is_nil(operands.argument)) continue;
      if (function == ObjectFunction::write && operands.argument->is_container()) {
        observed.writes_collections = true;
      }
      if (are_adds[call.function] && operands.argument->kind != FormKind::number) {
        observed.adds_other_values = true;
      }
    }
    return observed;
  }

  bool add_call(const JepsenCall& call) {
    const Operands operands = operands_of(call);
    ObjectCall added{.process = calls_.processes[call.session],
                     .function = functions_[call.function],
                     .outcome = call.outcome,
                     .object = history_.objects.of(operands.object),
                     .line = call.line,
                     .called = call.called,
                     .returned = call.returned};
    if (same_spelling(calls_.functions[call.function]) == "drain") {
      return add_drain(call, operands, added);
    }
    if (!set_values(call, operands, added)) return false;
    history_.calls.push_back(added);
    return true;
  }

  // Takes everything out, one after another: a dequeue for each, at any time while it ran.
  bool add_drain(const JepsenCall& call, const Operands& operands, ObjectCall added) {
    if (call.outcome == CallOutcome::failed) return true;
    const bool is_known = call.outcome == CallOutcome::ok && operands.result != nullptr &&
                          operands.result->kind == FormKind::vector;
    if (!is_known) {
      return fail(call, "did not return what it took out of the queue",
                  "leave it out, or record it as one dequeue after another");
    }
    for (const HistoryTerm& element : Inside(*operands.result)) {
      added.result = values_.of(element);
      history_.calls.push_back(added);
    }
    return true;
  }

  bool set_values(const JepsenCall& call, const Operands& operands, ObjectCall& added) {
    switch (added.function) {
      case ObjectFunction::read:
        return set_read(call, operands, added);
      case ObjectFunction::compare_and_set:
        return set_exchange(call, operands, added);
      case ObjectFunction::transfer:
        return set_transfer(call, operands, added);
      case ObjectFunction::contains:
        return set_contains(call, operands, added);
      case ObjectFunction::add:
        return set_add(call, operands, added);
      case ObjectFunction::acquire:
      case ObjectFunction::release:
        return true;
      case ObjectFunction::get:
      case ObjectFunction::dequeue:
      case ObjectFunction::pop:
      case ObjectFunction::remove_minimum:
        if (operands.result != nullptr) added.result = values_.of(*operands.result);
        gets_nil_ = gets_nil_ || added.result == kNil;
        return true;
      case ObjectFunction::write:
      case ObjectFunction::put:
      case ObjectFunction::append:
      case ObjectFunction::remove:
      case ObjectFunction::enqueue:
      case ObjectFunction::push:
      case ObjectFunction::insert:
        if (operands.argument != nullptr) added.argument = values_.of(*operands.argument);
        return true;
    }
    return true;
  }

  bool set_read(const JepsenCall& call, const Operands& operands, ObjectCall& added) {
    const HistoryTerm* const result = operands.result;
    if (result == nullptr) return true;
    if (history_.model == ObjectModel::cas_register) {
      // As knossos does it: what never holds nil and returns it returns nothing.
      const bool is_told = history_.initial == kNil || !is_nil(result);
      if (is_told) added.result = values_.of(*result);
      return true;
    }
    if (is_nil(result)) return true;
    if (history_.model == ObjectModel::bank) return set_balances(call, *result, added);
    if (history_.model == ObjectModel::set) {
      if (result->kind != FormKind::vector && result->kind != FormKind::set) {
        return fail(call, "of a set returned no collection", "return a vector or a set");
      }
      elements_.clear();
      for (const HistoryTerm& element : Inside(*result)) elements_.push_back(values_.of(element));
      set_list(added);
      return true;
    }
    if (result->kind != FormKind::number) {
      return fail(call, "of a counter returned no integer", "return an integer of 64 bits");
    }
    added.result = result->value;
    return true;
  }

  void set_list(ObjectCall& added) {
    added.result = Value::number(static_cast<std::int64_t>(history_.lists.add(elements_).index()));
    added.result_is_list = true;
  }

  // {account balance, ...}, or a vector of balances whose accounts are 0, 1, 2, ...
  bool set_balances(const JepsenCall& call, const HistoryTerm& result, ObjectCall& added) {
    std::vector<std::pair<Value, Value>> balances;
    if (result.kind == FormKind::map) {
      const HistoryTerm* account = nullptr;
      for (const HistoryTerm& term : Inside(result)) {
        if (account != nullptr) balances.emplace_back(values_.of(*account), values_.of(term));
        account = account == nullptr ? &term : nullptr;
      }
    } else if (result.kind == FormKind::vector) {
      for (const HistoryTerm& balance : Inside(result)) {
        const auto account = static_cast<std::int64_t>(balances.size());
        balances.emplace_back(Value::number(account), values_.of(balance));
      }
    } else {
      return fail(call, "of a bank returned no balances", "return a map from account to balance");
    }
    std::ranges::stable_sort(balances, {}, &std::pair<Value, Value>::first);
    elements_.clear();
    for (const auto& [account, balance] : balances) {
      elements_.push_back(account);
      elements_.push_back(balance);
    }
    set_list(added);
    return true;
  }

  bool set_exchange(const JepsenCall& call, const Operands& operands, ObjectCall& added) {
    const auto pair = elements_of<2>(operands.argument);
    if (!pair && added.outcome == CallOutcome::failed) return true;
    if (!pair) return fail(call, "without the values to compare and to set", "write [from to]");
    added.argument = values_.of(*(*pair)[0]);
    added.second = values_.of(*(*pair)[1]);
    return true;
  }

  bool set_transfer(const JepsenCall& call, const Operands& operands, ObjectCall& added) {
    std::array<const HistoryTerm*, 3> parts{};
    if (operands.argument != nullptr && operands.argument->kind == FormKind::map) {
      constexpr std::array<std::string_view, 3> kNames = {"from", "to", "amount"};
      const HistoryTerm* key = nullptr;
      for (const HistoryTerm& term : Inside(*operands.argument)) {
        if (key == nullptr) {
          key = &term;
          continue;
        }
        const std::string text = values_.to_string(*key);
        const std::string_view name = std::string_view(text).substr(text.starts_with(':') ? 1 : 0);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          if (kNames[i] == name) parts[i] = &term;
        }
        key = nullptr;
      }
    } else if (const auto elements = elements_of<3>(operands.argument)) {
      parts = *elements;
    }
    if (std::ranges::any_of(parts, is_nil)) {
      if (added.outcome == CallOutcome::failed) return true;
      return fail(call, "without accounts and amount", "write {:from 1, :to 2, :amount 3}");
    }
    added.argument = values_.of(*parts[0]);
    added.second = values_.of(*parts[1]);
    added.result = values_.of(*parts[2]);
    return true;
  }

  // The completion has true or false, alone or in a pair with the element.
  bool set_contains(const JepsenCall& call, const Operands& operands, ObjectCall& added) {
    if (operands.argument != nullptr) added.argument = values_.of(*operands.argument);
    const HistoryTerm* result = operands.result;
    if (const auto pair = elements_of<2>(result)) result = (*pair)[1];
    if (is_nil(result)) return true;
    const std::string text = values_.to_string(*result);
    const bool is_in = text == "true" || text == "1";
    if (!is_in && text != "false" && text != "0") {
      return fail(call, "returned neither true nor false", "return true or false");
    }
    added.result = Value::number(is_in ? 1 : 0);
    return true;
  }

  bool set_add(const JepsenCall& call, const Operands& operands, ObjectCall& added) {
    if (history_.model == ObjectModel::set) {
      if (operands.argument != nullptr) added.argument = values_.of(*operands.argument);
      return true;
    }
    const bool is_step = is_nil(operands.argument) && calls_.functions[call.function] != "add";
    if (!is_step && (is_nil(operands.argument) || operands.argument->kind != FormKind::number)) {
      if (added.outcome == CallOutcome::failed) return true;
      return fail(call, "of a counter without an integer", "add an integer of 64 bits");
    }
    added.argument = is_step ? Value::number(1) : operands.argument->value;
    return true;
  }

  Value default_initial() {
    if (history_.model == ObjectModel::counter) return Value::number(0);
    if (history_.model == ObjectModel::key_value && !gets_nil_) return calls_.texts.text("");
    return kNil;
  }

  JepsenCalls& calls_;
  const std::string& name_;
  const ReadHistoryOptions& options_;
  FormValues values_;
  ObjectHistory history_;
  std::vector<ObjectFunction> functions_;  // by JepsenCall::function
  std::vector<Value> elements_;
  std::optional<Diagnostic> trouble_;
  bool is_keyed_ = false;
  bool gets_nil_ = false;
};

}  // namespace

Result<ObjectHistory> to_object_history(JepsenCalls calls, std::string_view bytes,
                                        const std::string& name,
                                        const ReadHistoryOptions& options) {
  return ObjectReader(calls, bytes, name, options).read();
}

}  // namespace heddle
