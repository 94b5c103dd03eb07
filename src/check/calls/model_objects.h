// The models of heddle's own kinds of objects.
#pragma once

#include <memory>

#include "heddle/linearizability.h"

namespace heddle {

// The model of `history`, which it refers to: the history must outlive it.
// REQUIRES: !find_misfit(history).
std::unique_ptr<CallModel> make_model(const ObjectHistory& history);

// What the client was told; kUnseen where the outcome is unknown, whatever the file says.
inline Value result_of(const ObjectCall& call) {
  return call.outcome == CallOutcome::unknown ? kUnseen : call.result;
}

// The order of the elements of a priority queue: numbers by size, then everything else by text.
bool is_smaller(const ValueTexts& texts, Value a, Value b);

}  // namespace heddle
