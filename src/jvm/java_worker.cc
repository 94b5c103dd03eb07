#include "jvm/java_worker.h"

#include <cstddef>
#include <string>

#include "base/text.h"
#include "jvm/java_call.h"

namespace heddle {
namespace {

using WordKind = WorkerWord::Kind;

WorkerWord read_word(const LineFields& line) {
  const auto field = [&](std::size_t i) {
    return i < line.size() ? line[i].value_or("null") : std::string();
  };
  const std::string what = line.front().value_or("");
  if (what == "ready") return {.kind = WordKind::ready};
  if (what == "at")
    return {.kind = WordKind::place, .text = line.size() > 1 ? line[1].value_or("") : ""};
  if (what == "threw") return {.kind = WordKind::threw, .text = field(2), .type = field(1)};
  if (what != "returned") return {.kind = WordKind::refused, .text = field(1)};
  WorkerWord word{.kind = WordKind::returned};
  // "=" stands before plain values.
  if (const std::string value = field(1); value.starts_with('=')) word.value = value.substr(1);
  return word;
}

}  // namespace

bool JavaWorker::begin(const ProgramCall& call, const DriverPlace& driver) {
  const auto name = read_method_name(call.method);
  if (!name) return false;
  LineFields line = {"call",         name->type, name->name, join(name->parameters, ", "),
                     driver.address, driver.user};
  line.insert(line.end(), call.arguments.begin(), call.arguments.end());
  return lines_.write(line);
}

std::optional<WorkerWord> JavaWorker::next() {
  const auto line = lines_.next();
  return line ? std::optional(read_word(*line)) : std::nullopt;
}

}  // namespace heddle
