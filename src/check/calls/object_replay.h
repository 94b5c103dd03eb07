// Objects that take one call after the other, as a witness says. Written apart from the models that
// the search uses, with the containers that anyone would use.
#pragma once

#include <memory>

#include "heddle/linearizability.h"

namespace heddle {

class ObjectReplay {
 public:
  virtual ~ObjectReplay() = default;
  // False: the call cannot happen now with what it returned.
  virtual bool take(const ObjectCall& call) = 0;
};

// An object of one of heddle's own models, in its first state. The history must outlive it.
// REQUIRES: !find_misfit(history).
std::unique_ptr<ObjectReplay> make_replay(const ObjectHistory& history);

// An object of any model, which must outlive it.
std::unique_ptr<ObjectReplay> make_replay(const CallModel& model);

}  // namespace heddle
