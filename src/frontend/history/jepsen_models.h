// Which kind of object the functions of a Jepsen history belong to.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// A function as tests name it, of one model.
struct ModelFunction {
  ObjectModel model;
  std::string_view name;
  ObjectFunction function;
};

std::optional<ObjectFunction> find_function(ObjectModel model, std::string_view name);

// What the calls of a history look like; where functions belong to several models, values decide.
struct ObservedCalls {
  std::vector<std::string> functions;  // each once
  bool reads_collections = false;      // vectors or sets
  bool reads_maps = false;
  bool writes_collections = false;  // write or compare-and-set
  bool adds_other_values = false;   // an argument of add that is no integer
};

// The wanted model, if the functions belong to it; else the first that all functions and values
// fit. The diagnostic has neither file nor position.
Result<ObjectModel> choose_model(const ObservedCalls& observed, std::optional<ObjectModel> wanted);

}  // namespace heddle
