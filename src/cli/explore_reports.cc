#include "cli/explore_reports.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "heddle/anomaly.h"
#include "heddle/finding.h"

namespace heddle {

namespace {

// A format in which everything that was found is one text.
struct ExploreFormat {
  std::string_view name;
  bool separated;  // by an empty line from the report before it
  std::string (*render)(const ExploreReport& report, const Scenario& scenario,
                        const TextOptions& text, bool several_files);
};

constexpr ExploreFormat kReportFormats[] = {
    {"text", true,
     [](const ExploreReport& report, const Scenario& scenario, const TextOptions& text, bool) {
       return render_text(report, scenario, text);
     }},
    {"markdown", true,
     [](const ExploreReport& report, const Scenario& scenario, const TextOptions&, bool) {
       return render_markdown(report, scenario);
     }},
    {"json", false,
     [](const ExploreReport& report, const Scenario& scenario, const TextOptions&, bool several) {
       const std::string json = render_json(report, scenario);
       return several ? one_line_json(json) : json;
     }},
};

// A format in which all files together are one document.
struct DocumentFormat {
  std::string_view name;
  std::string (*render)(std::span<const ExploredScenario> explored);
};

constexpr DocumentFormat kDocumentFormats[] = {
    {"mermaid", render_mermaid}, {"svg", render_svg},     {"html", render_html},
    {"sarif", render_sarif},     {"junit", render_junit},
};

// A format in which --save keeps a finding.
struct SavedFormat {
  std::string_view format;  // of --format; empty: whatever it is
  std::string_view suffix;
  std::string (*render)(const Finding& finding);
};

constexpr SavedFormat kSavedFormats[] = {
    {"", ".json", to_json},
    {"spec", ".spec", render_spec},
    {"mermaid", ".mmd", render_mermaid},
    {"svg", ".svg", render_svg},
};

const DocumentFormat* document_format(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kDocumentFormats), std::end(kDocumentFormats),
                   [&](const DocumentFormat& format) { return format.name == name; });
  return found == std::end(kDocumentFormats) ? nullptr : found;
}

const ExploreFormat& report_format(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kReportFormats), std::end(kReportFormats),
                   [&](const ExploreFormat& format) { return format.name == name; });
  HEDDLE_ASSERT(found != std::end(kReportFormats));
  return *found;
}

const Finding* first_finding(const ExploreReport& report) {
  for (const LevelReport& level : report.levels) {
    if (!level.findings.empty()) return &level.findings.front();
  }
  return nullptr;
}

std::size_t count_findings(const ExploreReport& report) {
  std::size_t count = 0;
  for (const LevelReport& level : report.levels) count += level.findings.size();
  return count;
}

}  // namespace

std::string scenario_stem(std::string_view file) {
  if (file == "<stdin>") return "stdin";
  std::string stem = std::filesystem::path(file).stem().string();
  for (char& c : stem) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return stem.empty() ? "scenario" : stem;
}

ExploreReports::ExploreReports(const Arguments& arguments, std::size_t files, Output output)
    : format_(arguments.text("--format")),
      text_(text_options(arguments, output)),
      several_files_(files > 1),
      output_(std::move(output)) {}

Result<ExploreReports> ExploreReports::open(const Arguments& arguments, std::size_t files,
                                            Output output) {
  ExploreReports reports(arguments, files, std::move(output));
  Result<SaveDirectory> directory = SaveDirectory::open(arguments.text("--save"));
  if (!directory) return directory.error();
  reports.directory_ = std::move(*directory);
  return reports;
}

Result<void> ExploreReports::add(const ExploreReport& report, const Scenario& scenario) {
  if (Result<void> written = write_report(report, scenario); !written) return written;
  ++reported_;
  return directory_.is_open() ? save_findings(report, scenario) : Result<void>{};
}

Result<void> ExploreReports::write_report(const ExploreReport& report, const Scenario& scenario) {
  if (format_ == "spec") return write_spec(report);
  if (document_format(format_) != nullptr) {
    explored_.push_back({scenario, report, std::nullopt});
    return {};
  }
  const ExploreFormat& format = report_format(format_);
  const std::string text = format.render(report, scenario, text_, several_files_);
  return output_.write(format.separated && reported_ != 0 ? "\n" + text : text);
}

// One spec file holds one scenario, so only the first finding is printed; the others are counted
// for `finish`, or saved.
Result<void> ExploreReports::write_spec(const ExploreReport& report) {
  const Finding* const finding = first_finding(report);
  if (finding == nullptr) return {};
  const bool first = specs_ == 0;
  specs_ += count_findings(report);
  return first ? output_.write(render_spec(*finding)) : Result<void>{};
}

void ExploreReports::add_trouble(const Diagnostic& trouble, const Scenario& scenario) {
  explored_.push_back({scenario, {}, trouble});
}

Result<void> ExploreReports::write_document() {
  const DocumentFormat* const format = document_format(format_);
  return format == nullptr ? Result<void>{} : output_.write(format->render(explored_));
}

Result<void> ExploreReports::save_findings(const ExploreReport& report, const Scenario& scenario) {
  for (const LevelReport& level : report.levels) {
    for (const Finding& finding : level.findings) {
      const std::string stem = directory_.unused_stem(fmt::format(
          "{}-{}-{}", scenario_stem(scenario.file), definition(finding.kind).slug, finding.id));
      for (const SavedFormat& saved : kSavedFormats) {
        if (!saved.format.empty() && saved.format != format_) continue;
        Result<void> written =
            directory_.write(stem, std::string(saved.suffix), saved.render(finding));
        if (!written) return written;
      }
    }
    if (Result<void> written = save_repair(level, scenario); !written) return written;
  }
  return {};
}

Result<void> ExploreReports::save_repair(const LevelReport& level, const Scenario& scenario) {
  if (!level.repair || level.repair->repairs.empty()) return {};
  const Repair& repair = level.repair->repairs.front();
  std::string text;
  for (const RepairChange& change : repair.changes) text += fmt::format("# {}\n", change.sentence);
  Scenario changed = repair.scenario;
  if (level.isolation) changed.isolation = level.isolation;
  const std::string stem = directory_.unused_stem(scenario_stem(scenario.file) + "-repaired");
  return directory_.write(stem, ".spec", text + "\n" + to_spec(changed));
}

Result<void> ExploreReports::finish() {
  if (format_ == "spec" && specs_ == 0) {
    print_message("heddle: no anomaly was found, so there is no spec file to write\n");
    return {};
  }
  if (format_ == "spec" && specs_ > 1 && !directory_.is_open()) {
    print_message(fmt::format(
        "heddle: this is the first of {} findings, use --save=DIR to keep them all\n", specs_));
  }
  if (Result<void> written = write_document(); !written) return written;
  return output_.finish();
}

}  // namespace heddle
