// What checking a recorded history gave, as text for people and as a JSON document.
#pragma once

#include <string>

#include "heddle/check.h"
#include "heddle/linearizability.h"
#include "report/text/layout.h"

namespace heddle {

// What else than the answer a report tells.
struct CheckSubject {
  std::string file;      // as the user named it
  bool witness = false;  // whether to print the order behind a yes
  // For calls: which order they had to keep.
  CallOrder order = CallOrder::linearizable;
};

// The verdicts; for the weakest levels that fail the counterexample in sentences and drawn.
std::string render_text(const CheckReport& report, const TransactionHistory& history,
                        const CheckSubject& subject, const TextOptions& options);
std::string render_text(const LinearizabilityAnswer& answer, const ObjectHistory& history,
                        const CheckSubject& subject, const TextOptions& options);

// "heddle": "check/1" (docs/formats/check.md).
std::string render_json(const CheckReport& report, const TransactionHistory& history,
                        const CheckSubject& subject);
std::string render_json(const LinearizabilityAnswer& answer, const ObjectHistory& history,
                        const CheckSubject& subject);

}  // namespace heddle
