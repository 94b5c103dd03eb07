// What is behind a count of what was not read.
#include "heddle/reading.h"

#include <fmt/format.h>

namespace heddle {

namespace {

struct ReasonWords {
  std::string_view one;
  std::string_view many;
};

ReasonWords words_of(ReadingReason reason) {
  switch (reason) {
    case ReadingReason::too_long:
      return {"functionality is too long to be followed in its places",
              "functionalities are too long to be followed in their places"};
    case ReadingReason::recursive:
      return {"call is of a method that calls itself", "calls are of methods that call themselves"};
    case ReadingReason::too_deep:
      return {"call is too deep to be followed", "calls are too deep to be followed"};
    case ReadingReason::several_ways:
      return {"call is of a method that several classes implement",
              "calls are of methods that several classes implement"};
    case ReadingReason::no_source:
      return {"call gives the database to code without source",
              "calls give the database to code without source"};
    case ReadingReason::ended:
      return {"functionality was not read when reading was ended",
              "functionalities were not read when reading was ended"};
    case ReadingReason::generated:
      return {"generated class may reach a store, and is read for names and tables only",
              "generated classes may reach a store, and are read for names and tables only"};
    case ReadingReason::test:
      return {"class with tests is left out", "classes with tests are left out"};
    case ReadingReason::uncalled:
      return {"method may reach a store, and no functionality was seen to call it",
              "methods may reach a store, and no functionality was seen to call them"};
    case ReadingReason::not_java:
      return {"file does not parse", "files do not parse"};
  }
  return {};
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string place_text(const SourceLocation& place) {
  return place.position.line > 0 ? fmt::format("{}:{}", place.file, place.position.line)
                                 : place.file;
}

// In percent, never rounded up to all.
std::string share_known(const Reading& reading) {
  const std::size_t known = reading.methods - std::min(reading.unread, reading.methods);
  const std::size_t tenths = reading.methods == 0 ? 1000 : known * 1000 / reading.methods;
  return tenths == 1000 ? "all" : fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

}  // namespace

std::vector<std::string> describe(const Reading& reading) {
  if (reading.counts.empty()) return {};
  std::vector<std::string> lines = {fmt::format(
      "Java: {} in {} may reach a store, of which {} are followed or counted here",
      counted(reading.methods, "method"), counted(reading.files, "file"), share_known(reading))};
  for (const ReadingCount& count : reading.counts) {
    const ReasonWords words = words_of(count.reason);
    std::string line =
        fmt::format("Java: {} {}", count.count, count.count == 1 ? words.one : words.many);
    for (std::size_t i = 0; i < count.first.size(); ++i) {
      line += (i == 0 ? ": " : ", ") + place_text(count.first[i]);
    }
    if (count.count > count.first.size()) line += ", ...";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace heddle
