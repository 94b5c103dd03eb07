// Bodies, headers and targets of any bytes: each request can be made with the recorded answers, and
// is then the recorded one.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "race/requests/replayed_request.h"

namespace heddle {
namespace {

// What stands up to the next zero byte, which is taken away.
std::string take_text(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  std::string text(bytes.substr(0, end));
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return text;
}

TraceRequest next_request(std::string_view& bytes, std::uint64_t unit) {
  TraceRequest request;
  request.unit = request.flow.number = unit;
  request.arrived = 10 * unit;
  request.answered = request.arrived + 5;
  request.method = "POST";
  request.target = take_text(bytes);
  request.headers = {{"Content-Type", take_text(bytes)}, {"X-Value", take_text(bytes)}};
  request.body.bytes = take_text(bytes);
  request.status = 200;
  request.response_headers = {{"Content-Type", take_text(bytes)}, {"Set-Cookie", take_text(bytes)}};
  request.response_body.bytes = take_text(bytes);
  return request;
}

void check_replay(std::string_view bytes) {
  Trace trace;
  trace.head.edges = {{.caller = "client", .callee = "shop", .is_outer = true}};
  PairPlan plan;
  constexpr std::uint64_t kMost = 6;
  for (std::uint64_t unit = 1; unit <= kMost; ++unit) {
    trace.requests.push_back(next_request(bytes, unit));
    plan.before.push_back(unit);
  }
  plan.first = plan.second = kMost;
  const RequestDependencies dependencies = find_dependencies(trace, {});
  ReplayBindings bindings(trace, dependencies, plan, [](const SecretQuestion&) {
    return Result<std::optional<std::string>>(std::optional<std::string>("a secret"));
  });
  for (const TraceRequest& each : trace.requests) {
    const Result<HttpToSend> made = bindings.make(each.unit);
    HEDDLE_ASSERT(made.has_value());
    const bool is_hidden =
        (each.target + each.headers[1].second + each.body.bytes).find("<") != std::string::npos;
    if (!is_hidden) {
      HEDDLE_ASSERT(made->body == each.body.bytes);
      HEDDLE_ASSERT(made->headers[1] == each.headers[1]);
    }
    bindings.take(
        each.unit,
        {.status = 200, .headers = each.response_headers, .body = each.response_body.bytes});
  }
}

}  // namespace
}  // namespace heddle

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::check_replay({reinterpret_cast<const char*>(data), size});
  return 0;
}
