// A property test: random commands in two threads must answer as a plain int would, to the same
// commands one after the other in some order.
#include "counter.h"

#include <heddle/sched_property.h>

int main() {
  heddle::sched::Property<TESTED, int> property;
  property.command(
      "increment", [](TESTED& counter) { counter.increment(); }, [](int& model) { ++model; });
  property.command(
      "get", [](TESTED& counter) { return counter.get(); }, [](int& model) { return model; });
  return heddle::sched::test(property, {}, {.executions = 5000});
}
