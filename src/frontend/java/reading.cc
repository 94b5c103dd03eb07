// What is behind a count of what was not read.
#include "heddle/reading.h"

namespace heddle {

std::string_view to_string(ReadingReason reason) {
  switch (reason) {
    case ReadingReason::too_long:
      return "is too long to be followed in its places";
    case ReadingReason::recursive:
      return "calls itself";
    case ReadingReason::too_deep:
      return "is called too deeply";
    case ReadingReason::several_ways:
      return "is implemented by several classes";
    case ReadingReason::no_source:
      return "has no source here and is given the database";
    case ReadingReason::ended:
      return "was not read when reading was ended";
    case ReadingReason::generated:
      return "is generated";
    case ReadingReason::test:
      return "has tests";
    case ReadingReason::not_java:
      return "does not parse";
  }
  return "";
}

}  // namespace heddle
