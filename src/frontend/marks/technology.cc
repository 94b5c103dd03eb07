#include "frontend/marks/technology.h"

#include <vector>

namespace heddle::marks {

std::span<const Technology> technologies() {
  static const std::vector<Technology> all = [] {
    const std::span<const Technology> java = java_technologies();
    const std::span<const Technology> other = other_technologies();
    std::vector<Technology> rows(java.begin(), java.end());
    rows.insert(rows.end(), other.begin(), other.end());
    return rows;
  }();
  return all;
}

std::string_view what_to_do(Use use) {
  switch (use) {
    case Use::mapper:
      return "say what it sends to the database as procedures in PL/pgSQL, or as a scenario for "
             "heddle explore";
    case Use::driver:
      return "say its statements as procedures in PL/pgSQL, or as a scenario for heddle explore";
    case Use::store:
      return "say what it does as a scenario for heddle explore, which knows Redis, or leave it "
             "out "
             "by name";
    case Use::calls:
      return "the state is another service's: look at that with its own program, or say the calls "
             "as a scenario for heddle explore";
    case Use::queue:
      break;
  }
  return "who sends and who receives run at different times: say both as sessions of a scenario "
         "for heddle explore";
}

}  // namespace heddle::marks
