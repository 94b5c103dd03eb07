// Which functions each kind of object has, and what their arguments and results must be.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "heddle/linearizability.h"

namespace heddle {

namespace {

using enum ObjectFunction;

struct ModelRow {
  ObjectModel model;
  std::vector<ObjectFunction> functions;
  bool numbers;  // whether amounts, or what is counted, must be numbers
  bool lists;    // whether `read` returns a list
};

const std::vector<ModelRow>& model_rows() {
  static const std::vector<ModelRow> kRows = {
      {ObjectModel::cas_register, {read, write, compare_and_set}, false, false},
      {ObjectModel::key_value, {get, put, append}, false, false},
      {ObjectModel::counter, {add, read}, true, false},
      {ObjectModel::set, {add, remove, contains, read}, false, true},
      {ObjectModel::queue, {enqueue, dequeue}, false, false},
      {ObjectModel::stack, {push, pop}, false, false},
      {ObjectModel::priority_queue, {insert, remove_minimum}, false, false},
      {ObjectModel::mutex, {acquire, release}, false, false},
      {ObjectModel::semaphore, {acquire, release}, false, false},
      {ObjectModel::bank, {transfer, read}, true, true},
  };
  return kRows;
}

std::optional<std::string> number_misfit(const ObjectCall& call, const ObjectHistory& history) {
  if (call.function == add && !call.argument.is_number()) return "adds what is no number";
  if (call.function == transfer && !call.result.is_number()) return "moves what is no number";
  if (call.function == read && call.result != kUnseen && !call.result_is_list &&
      !call.result.is_number() && history.model == ObjectModel::counter) {
    return "reads what is no number";
  }
  return std::nullopt;
}

std::optional<std::string> list_misfit(const ObjectCall& call, const ObjectHistory& history,
                                       bool lists) {
  const bool must_be_list = lists && call.function == read && call.result != kUnseen;
  if (must_be_list && !call.result_is_list) return "reads what is no list";
  if (!must_be_list && call.result_is_list) return "returns a list";
  if (!must_be_list || history.model != ObjectModel::bank) return std::nullopt;
  const std::span<const Value> told = history.lists[ListId(call.result.code)];
  if (told.size() % 2 != 0) return "reads an account without a balance";
  for (std::size_t i = 1; i < told.size(); i += 2) {
    if (!told[i].is_number()) return "reads a balance that is no number";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_misfit(const ObjectHistory& history) {
  const auto row = std::ranges::find(model_rows(), history.model, &ModelRow::model);
  for (std::size_t i = 0; i < history.calls.size(); ++i) {
    const ObjectCall& call = history.calls[i];
    if (call.outcome == CallOutcome::failed) continue;
    if (std::ranges::find(row->functions, call.function) == row->functions.end()) {
      return fmt::format("call {}: a {} has no function {}", i, to_string(history.model),
                         to_string(call.function));
    }
    auto wrong = row->numbers ? number_misfit(call, history) : std::nullopt;
    if (!wrong && (row->lists || call.result_is_list)) {
      wrong = list_misfit(call, history, row->lists);
    }
    if (wrong) return fmt::format("call {}: it {}", i, *wrong);
  }
  return std::nullopt;
}

}  // namespace heddle
