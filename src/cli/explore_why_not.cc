#include "cli/explore_why_not.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cli/command_bounds.h"
#include "cli/options/combinations.h"
#include "heddle/why_not.h"
#include "report/explore/explore_reports.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 3> kWhyNotFormats = {"text", "markdown", "json"};
constexpr std::array kWhyNotCombinations = idle_with(
    "--explain", "",
    std::array<std::string_view, 8>{"--preemptions", "--reduce", "--repair", "--all", "--timeout",
                                    "--save", "--suppress", "--write-suppressions"});

std::string render(const WhyNotReport& report, const Scenario& scenario, const Arguments& arguments,
                   const Output& output) {
  const std::string format = arguments.text("--format");
  if (format == "json") return render_json(report, scenario);
  if (format == "markdown") return render_markdown(report, scenario);
  return render_text(report, scenario, text_options(arguments, output));
}

}  // namespace

Result<void> check_why_not(const Arguments& arguments) {
  if (!arguments.has("--explain")) return {};
  const std::string format = arguments.text("--format");
  if (std::ranges::find(kWhyNotFormats, format) == kWhyNotFormats.end()) {
    return Diagnostic{.what = fmt::format("--explain does not go with --format={}", format),
                      .what_to_do = "use text, markdown or json"};
  }
  if (Result<void> checked = check_combinations(arguments, kWhyNotCombinations); !checked) {
    return checked;
  }
  if (arguments.levels("--isolation").size() < 2) return {};
  return Diagnostic{.what = "--explain is for one level",
                    .what_to_do = "give --isolation once; it says itself what happens at others"};
}

Result<ExitCode> print_why_not(const std::vector<Scenario>& scenarios, const Arguments& arguments,
                               const ExploreOptions& options, Output& output) {
  ExitCode code = ExitCode::nothing_found;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Result<WhyNotReport> report = explain_schedules(scenarios[i], options);
    if (!report) {
      const Diagnostic trouble = naming_bound(report.error());
      if (trouble.trouble == Trouble::interrupted) return ExitCode::interrupted;
      print_diagnostic(trouble);
      code = graver(code, exit_code_of(trouble));
      continue;
    }
    const std::string gap = i > 0 && arguments.text("--format") == "text" ? "\n" : "";
    auto written = output.write(gap + render(*report, scenarios[i], arguments, output));
    if (!written) return written.error();
    const bool happens = std::ranges::any_of(report->answers, &ScheduleAnswer::happens);
    if (happens) code = graver(code, ExitCode::found);
    if (is_signalled()) return ExitCode::interrupted;
  }
  if (Result<void> finished = output.finish(); !finished) return finished.error();
  return code;
}

}  // namespace heddle
