// Whatever a function's body is: it is read to its end, and its values have places.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "race/accesses/routine_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const bool is_trigger : {false, true}) {
    const heddle::race::RoutineText text = heddle::race::read_plpgsql(body, is_trigger);
    for (const heddle::race::TriggerValue& value : text.values) {
      HEDDLE_ASSERT(is_trigger && text.read.contains(value.column));
    }
  }
  return 0;
}
