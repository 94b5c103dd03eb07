// Whatever services answer and log, and stores hold: nothing of a text is lost, a run is equal to
// itself, and no verdict crashes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "race/outcome/error_entries.h"
#include "race/outcome/explain.h"
#include "race/outcome/text_tokens.h"
#include "race/outcome/verdict.h"

namespace {

using namespace heddle;

RacedRun run_with(const std::string& text, const std::string& row) {
  RacedRun run;
  run.responses = {{.request = 1, .status = 200, .headers = {{"location", row}}, .body = text},
                   {.request = 2, .status = 201, .headers = {}, .body = row}};
  const Column number{.name = "id", .table = "t", .source = "id", .generated = true, .domain = "t"};
  const Column other{.name = "text", .table = "t", .source = "text"};
  run.stores = {{"shop", {{"t", {number, other}, {{row, text}, {text, std::nullopt}}}}}};
  run.logs = {{"shop", text}};
  return run;
}

void check_tokens(std::string_view text) {
  std::string joined;
  for (const TextToken& token : split_tokens(text)) {
    HEDDLE_ASSERT(!token.text.empty());
    joined += token.text;
    (void)time_us_of(token);
  }
  HEDDLE_ASSERT(joined == text);
}

}  // namespace

// The parts of the input are separated by zeros: what all serial runs have, and what others have.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\0');
  const std::string one(input.substr(0, end));
  const std::string other(end == std::string_view::npos ? "" : input.substr(end + 1));
  check_tokens(input);
  (void)list_error_entries(input);
  SerialRaceRuns serial;
  serial.requests = {{1, "A"}, {2, "B"}};
  serial.first_then_second = {run_with(one, "1"), run_with(one, "1")};
  serial.second_then_first = {run_with(one, "2"), run_with(one, "2")};
  serial.first_alone = run_with(other, "1");
  serial.second_alone = run_with(other, "2");
  const auto baseline = learn_baseline(serial, {});
  const RaceVerdict same = judge_run(*baseline, run_with(one, "1"));
  HEDDLE_ASSERT(same.kind == RaceVerdictKind::nothing);
  (void)explain_verdict(judge_run(*baseline, run_with(other, "3")), {});
  // What differs between equal runs is masked, or said.
  serial.first_then_second.back() = run_with(other, "1");
  const auto noisy = learn_baseline(serial, {});
  const RaceVerdictKind kind = judge_run(*noisy, serial.first_then_second.front()).kind;
  HEDDLE_ASSERT(kind == RaceVerdictKind::nothing || kind == RaceVerdictKind::inconclusive);
  return 0;
}
