// The words of `heddle check --generate=SHAPE,name=value,...`.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "check/generate/calls.h"
#include "check/generate/generate.h"
#include "heddle/result.h"

namespace heddle {

using GenerateRequest = std::variant<GenerateOptions, GenerateCallsOptions>;

// A shape that has a name, with values for everything.
struct GenerateShape {
  std::string_view name;
  std::string_view meaning;
  GenerateRequest request;
};

// In the order of the help.
const std::vector<GenerateShape>& generate_shapes();

// "general", "oltp,transactions=1000,level=snapshot,plant=lost-update:2". What is returned has no
// flaw.
Result<GenerateRequest> parse_generate_request(std::string_view text);

RecordedHistory generate(const GenerateRequest& request);

}  // namespace heddle
