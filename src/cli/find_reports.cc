#include "cli/find_reports.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/assert.h"
#include "report/find/find_reports.h"

namespace heddle {

namespace {

struct FindFormat {
  std::string_view name;
  bool tells_repairs;
  bool chooses_details;  // the others have all
  std::string (*render)(const FindResults& results, const DetailChoice& choice,
                        const TextOptions& options);
};

constexpr FindFormat kFindFormats[] = {
    {"text", true, true,
     [](const FindResults& results, const DetailChoice& choice, const TextOptions& options) {
       std::string text = render_text(results.report, results.program, options, choice);
       if (results.repairs != nullptr) text += "\n" + render_text(*results.repairs, options);
       return text;
     }},
    {"markdown", true, true,
     [](const FindResults& results, const DetailChoice& choice, const TextOptions&) {
       return render_markdown(results.report, results.program, results.repairs, choice);
     }},
    {"json", true, false,
     [](const FindResults& results, const DetailChoice&, const TextOptions&) {
       return render_json(results.report, results.program, results.repairs);
     }},
    {"html", true, false,
     [](const FindResults& results, const DetailChoice&, const TextOptions&) {
       return render_html(results.report, results.program, results.repairs);
     }},
    {"sarif", false, false,
     [](const FindResults& results, const DetailChoice&, const TextOptions&) {
       return render_sarif(results.report, results.program);
     }},
    {"junit", false, false,
     [](const FindResults& results, const DetailChoice&, const TextOptions&) {
       return render_junit(results.report, results.program);
     }},
};

const FindFormat& format_named(std::string_view name) {
  const auto* const found = std::ranges::find(kFindFormats, name, &FindFormat::name);
  HEDDLE_ASSERT(found != std::end(kFindFormats));
  return *found;
}

}  // namespace

std::string find_report_text(const FindResults& results, std::string_view format,
                             const DetailChoice& choice, const TextOptions& options) {
  return format_named(format).render(results, choice, options);
}

Result<void> check_find_format(const Arguments& arguments) {
  const FindFormat& format = format_named(arguments.text("--format"));
  const bool is_plain = format.name == "text" || format.name == "json";
  if (arguments.has("--repair") && !format.tells_repairs) {
    return Diagnostic{.what = "--repair prints text, markdown, json or html",
                      .what_to_do = fmt::format("leave {} out", format.name)};
  }
  if (arguments.has("--details") && !format.chooses_details) {
    return Diagnostic{.what = fmt::format("--format={} tells everything in full", format.name),
                      .what_to_do = "leave --details out"};
  }
  if (is_plain) return {};
  if (arguments.has("--explain")) {
    return Diagnostic{.what = "--explain prints text or json",
                      .what_to_do = fmt::format("leave {} out", format.name)};
  }
  if (arguments.has("--list-statements") || arguments.has("--print-program")) {
    return Diagnostic{.what = fmt::format("--format={} is for anomalies", format.name),
                      .what_to_do = "use json"};
  }
  return {};
}

}  // namespace heddle
