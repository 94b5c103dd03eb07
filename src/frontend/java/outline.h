// Outlines: each method read alone, with its calls cut, and functionalities put together from that.
//
// A functionality that would grow without end where all its calls are followed in their places
// gets, for each call that was cut, what the called method does on its own: with any arguments, and
// with the outlines of what that calls in their places, if that is little and nothing calls itself.
// Else all methods that can be reached stand once in a loop that runs any of them, in any order and
// any number of times. That allows more than the code does, and leaves nothing out; its size is the
// sum of the methods, not the number of ways through them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

// What a method does by itself.
struct Outline {
  Functionality functionality;
  std::vector<CutCall> calls;
  std::vector<Diagnostic> notes;
  std::size_t actions = 0;
  bool reached_store = false;
};

// How a functionality was put together.
struct PutTogether {
  bool reached_store = false;
  bool is_whole = true;     // else some methods are taken to read and write anything
  std::size_t methods = 0;  // that stand in it by their outlines
};

// All outlines of a program, each made when it is first asked for. Thread-safe.
class Outlines {
 public:
  Outlines(const Classes& classes, const Schema& schema, ReadLimits limits)
      : classes_(classes), schema_(schema), limits_(limits) {}

  const Outline& of(const Method& method);
  // The methods whose bodies stand in outlines. Not while others are made.
  const std::unordered_set<const Method*>& followed() const { return followed_; }

  // Puts outlines in place of the calls that were cut. Notes of what these do not know are added.
  // No more than about `most_actions` stand in the functionality afterwards.
  PutTogether complete(Functionality& functionality, const std::vector<CutCall>& calls,
                       std::size_t most_actions, std::vector<Diagnostic>& notes);
  // The functionality of a method that is too long to be read with its calls at all.
  PutTogether from_outlines(const Method& method, Functionality& functionality,
                            std::size_t most_actions, std::vector<Diagnostic>& notes);

 private:
  struct Place {
    std::once_flag once;
    Outline outline;
  };
  const Classes& classes_;
  const Schema& schema_;
  ReadLimits limits_;
  std::mutex mutex_;
  std::map<const Method*, std::unique_ptr<Place>> places_;
  std::unordered_set<const Method*> followed_;
};

// How many actions there are, those in blocks included.
std::size_t count_actions(const Block& block);

}  // namespace heddle::java
