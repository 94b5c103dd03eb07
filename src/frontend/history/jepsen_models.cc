#include "frontend/history/jepsen_models.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "vocabulary/spelling.h"

namespace heddle {

namespace {

using enum ObjectModel;

constexpr ModelFunction kFunctions[] = {
    {cas_register, "read", ObjectFunction::read},
    {cas_register, "r", ObjectFunction::read},
    {cas_register, "write", ObjectFunction::write},
    {cas_register, "w", ObjectFunction::write},
    {cas_register, "cas", ObjectFunction::compare_and_set},
    {cas_register, "compare-and-set", ObjectFunction::compare_and_set},
    {cas_register, "compare-and-swap", ObjectFunction::compare_and_set},
    {key_value, "get", ObjectFunction::get},
    {key_value, "put", ObjectFunction::put},
    {key_value, "append", ObjectFunction::append},
    {bank, "read", ObjectFunction::read},
    {bank, "transfer", ObjectFunction::transfer},
    {set, "add", ObjectFunction::add},
    {set, "remove", ObjectFunction::remove},
    {set, "contains", ObjectFunction::contains},
    {set, "contains?", ObjectFunction::contains},
    {set, "read", ObjectFunction::read},
    {set, "write", ObjectFunction::add},  // rows inserted under their number, all of which are read
    {counter, "add", ObjectFunction::add},
    {counter, "inc", ObjectFunction::add},
    {counter, "increment", ObjectFunction::add},
    {counter, "read", ObjectFunction::read},
    {queue, "enqueue", ObjectFunction::enqueue},
    {queue, "dequeue", ObjectFunction::dequeue},
    {queue, "drain", ObjectFunction::dequeue},
    {stack, "push", ObjectFunction::push},
    {stack, "pop", ObjectFunction::pop},
    {priority_queue, "insert", ObjectFunction::insert},
    {priority_queue, "add", ObjectFunction::insert},
    {priority_queue, "enqueue", ObjectFunction::insert},
    {priority_queue, "push", ObjectFunction::insert},
    {priority_queue, "remove-minimum", ObjectFunction::remove_minimum},
    {priority_queue, "remove-min", ObjectFunction::remove_minimum},
    {priority_queue, "delete-min", ObjectFunction::remove_minimum},
    {priority_queue, "extract-min", ObjectFunction::remove_minimum},
    {priority_queue, "poll", ObjectFunction::remove_minimum},
    {priority_queue, "dequeue", ObjectFunction::remove_minimum},
    {priority_queue, "pop", ObjectFunction::remove_minimum},
    {mutex, "acquire", ObjectFunction::acquire},
    {mutex, "lock", ObjectFunction::acquire},
    {mutex, "release", ObjectFunction::release},
    {mutex, "unlock", ObjectFunction::release},
    {semaphore, "acquire", ObjectFunction::acquire},
    {semaphore, "release", ObjectFunction::release},
};

// In the order in which they are tried.
constexpr std::array kModels = {cas_register, key_value, bank,           set,   counter,
                                queue,        stack,     priority_queue, mutex, semaphore};

bool has(const ObservedCalls& observed, ObjectFunction function, ObjectModel model) {
  return std::ranges::any_of(observed.functions, [&](const std::string& name) {
    return find_function(model, name) == function;
  });
}

bool values_fit(const ObservedCalls& observed, ObjectModel model) {
  const bool reads_containers = observed.reads_collections || observed.reads_maps;
  switch (model) {
    case cas_register:
      return !reads_containers || observed.writes_collections;
    case bank:
      return observed.reads_maps || has(observed, ObjectFunction::transfer, bank);
    case set:
      return observed.reads_collections || observed.adds_other_values ||
             has(observed, ObjectFunction::remove, set) ||
             has(observed, ObjectFunction::contains, set);
    case counter:
      return !reads_containers && !observed.adds_other_values;
    default:
      return true;
  }
}

// The first function that does not belong to the model.
const std::string* find_stranger(const ObservedCalls& observed, ObjectModel model) {
  const auto found = std::ranges::find_if(
      observed.functions, [&](const std::string& name) { return !find_function(model, name); });
  return found == observed.functions.end() ? nullptr : &*found;
}

std::string names_of(ObjectModel model) {
  std::vector<std::string> names;
  for (const ModelFunction& row : kFunctions) {
    if (row.model == model) names.emplace_back(row.name);
  }
  return join(names, ", ");
}

Diagnostic no_model(const ObservedCalls& observed) {
  constexpr std::size_t kMostNames = 8;
  std::vector<std::string> functions;
  for (const std::string& name : observed.functions) {
    if (functions.size() == kMostNames) break;
    functions.push_back(name.empty() ? "operations without :f" : ":" + name);
  }
  if (observed.functions.size() > kMostNames) functions.emplace_back("...");
  std::vector<std::string> models;
  for (const ObjectModel model : kModels) {
    models.push_back(fmt::format("{} ({})", to_string(model), names_of(model)));
  }
  return {.what = "no kind of object has the functions and values of this history: " +
                  join(functions, ", "),
          .what_to_do = "the kinds are " + join(models, "; ")};
}

}  // namespace

std::optional<ObjectFunction> find_function(ObjectModel model, std::string_view name) {
  const std::string spelling = same_spelling(name);
  for (const ModelFunction& row : kFunctions) {
    if (row.model == model && row.name == spelling) return row.function;
  }
  return std::nullopt;
}

Result<ObjectModel> choose_model(const ObservedCalls& observed, std::optional<ObjectModel> wanted) {
  if (wanted) {
    const std::string* const stranger = find_stranger(observed, *wanted);
    if (stranger == nullptr) return *wanted;
    return Diagnostic{
        .what = fmt::format("a {} has no function :{}", to_string(*wanted), *stranger),
        .what_to_do = "its functions are " + names_of(*wanted)};
  }
  for (const ObjectModel model : kModels) {
    if (find_stranger(observed, model) == nullptr && values_fit(observed, model)) return model;
  }
  return no_model(observed);
}

}  // namespace heddle
