// The document of a checked history: "heddle": "check/1" (docs/formats/check.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/check.h"
#include "heddle/linearizability.h"

namespace heddle {

struct CheckDocument {
  std::string file;
  bool witness = false;  // whether to write the orders behind what is satisfied
  // The sentences for people; none: the document has none.
  std::function<std::vector<std::string>(const Counterexample&)> explain = {};
};

// REQUIRES: the ids of the report are those of the history. `order`: the word for which order calls
// had to keep, "linearizable".
std::string to_json(const CheckReport& report, const TransactionHistory& history,
                    const CheckDocument& document);
std::string to_json(const LinearizabilityAnswer& answer, const ObjectHistory& history,
                    std::string_view order, const CheckDocument& document);

}  // namespace heddle
