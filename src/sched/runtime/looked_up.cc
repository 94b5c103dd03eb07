#include "sched/runtime/looked_up.h"

#include "sched/runtime/instrumented.h"

namespace heddle::sched::runtime {

constinit LookedUp looked_up;

void LookedUp::assign(const LookedUp& other) {
  functions.assign(other.functions);
  callers.assign(other.callers);
}

void LookedUp::clear() {
  functions.clear();
  callers.clear();
}

void look_up_as(const LookedUp& other) {
  for (NextFunction* function : other.functions.all()) function->look_up();
  for (const void* caller : other.callers.all()) learn_caller(caller);
}

}  // namespace heddle::sched::runtime
