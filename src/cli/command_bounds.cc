#include "cli/command_bounds.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bounds.h"
#include "base/interrupt.h"
#include "cli/check/check_one.h"

namespace heddle {

namespace {

bool knows(const Arguments& arguments, std::string_view option) {
  const std::vector<OptionDefinition>& options = arguments.command().options;
  return std::ranges::find(options, option, &OptionDefinition::name) != options.end();
}

}  // namespace

Result<void> begin_bounds(const Arguments& arguments) {
  install_interrupt_handler();
  if (knows(arguments, "--timeout") && arguments.has("--timeout")) {
    bound_time(arguments.duration_ms("--timeout"), "--timeout");
  }
  if (!knows(arguments, "--memory")) return {};
  if (!arguments.has("--memory")) {
    const std::uint64_t most = memory_of_machine() / 4 * 3;
    bound_memory(most, fmt::format("--memory={}M (three quarters of what there is)", most >> 20U));
    return {};
  }
  const std::string text = arguments.text("--memory");
  const Result<std::size_t> bytes = parse_memory(text);
  if (!bytes) return bytes.error();
  bound_memory(*bytes, "--memory=" + text);
  return {};
}

OptionDefinition memory_option() {
  return {.name = "--memory",
          .value = "SIZE",
          .kind = ValueKind::text,
          .group = "Limits",
          .meaning =
              "Stop when heddle takes more memory than this, such as 500M or 2G, and say "
              "what was found until then. Servers that it starts do not count. Without it, "
              "three quarters of what the machine or the control group has."};
}

bool is_signalled() { return interrupt_signal() != 0; }

Diagnostic naming_bound(Diagnostic trouble) {
  const std::string reason = stop_reason();
  if (trouble.trouble != Trouble::interrupted || is_signalled() || reason.empty()) return trouble;
  constexpr std::string_view kInterrupted = "interrupted";
  std::string when = " before there was anything to report";
  if (trouble.what.size() > kInterrupted.size() && trouble.what.starts_with(kInterrupted)) {
    when = trouble.what.substr(kInterrupted.size());
  }
  return {.what = reason + " was hit" + when,
          .what_to_do = "give more, or less to do",
          .file = std::move(trouble.file),
          .position = {},
          .trouble = Trouble::bound};
}

}  // namespace heddle
