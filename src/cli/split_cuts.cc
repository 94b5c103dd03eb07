#include "cli/split_cuts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/read_number.h"
#include "base/text.h"
#include "cli/command_bounds.h"
#include "cli/examined_cuts.h"
#include "cli/exit_code.h"
#include "cli/options/combinations.h"
#include "cli/options/shared_options.h"
#include "cli/output/progress.h"
#include "cli/program/coverage_check.h"
#include "cli/program_files.h"
#include "format/cuts_json.h"
#include "heddle/cut_search.h"
#include "report/find/find_reports.h"
#include "report/split/split_reports.h"
#include "report/text/coverage_text.h"

namespace heddle {

namespace {

bool is_cut(const std::string& path) {
  return path.ends_with(".json") || path.ends_with(".yaml") || path.ends_with(".yml");
}

// "a,b,c", once for each time that the option is given.
std::vector<std::vector<std::string>> name_lists(const Arguments& arguments,
                                                 std::string_view option) {
  std::vector<std::vector<std::string>> lists;
  for (const std::string& text : arguments.texts(option)) {
    std::vector<std::string>& names = lists.emplace_back();
    for (const std::string& name : split(text, ',')) {
      if (!trim(name).empty()) names.emplace_back(trim(name));
    }
  }
  return lists;
}

constexpr std::string_view kOneCut = "write --services=FILE without --compare and --search";

constexpr Combination for_one(std::string_view option, std::string_view other,
                              std::string_view what) {
  return {.option = option, .other = other, .what = what, .what_to_do = kOneCut};
}

constexpr std::array kCombinations = {
    Combination{.option = "--compare",
                .other = "--search",
                .what = "--compare is about given cuts, and --search looks for others"},
    Combination{.option = "--compare",
                .other = "--services",
                .what = "--compare takes its cuts among the files, and --services names one",
                .what_to_do = "write heddle split --compare cut1.json cut2.json FILE..."},
    needs_option("--together", "--search", "--together is about cuts that are looked for",
                 "add --search"),
    needs_option("--apart", "--search", "--apart is about cuts that are looked for",
                 "add --search"),
    needs_option("--by", "--search", "--by is about cuts that are looked for", "add --search"),
    Combination{.option = "--by",
                .value = "silhouette",
                .other = "--search",
                .other_value = "exhaustive",
                .what = "--search=exhaustive looks at all cuts, and --by=silhouette at clusters"},
    Combination{.option = "--by",
                .value = "silhouette",
                .other = "--search",
                .other_value = "local",
                .what = "--search=local goes from cut to cut, and --by=silhouette from cluster to "
                        "cluster"},
    needs_option("--save-unconfirmed", "--on", "--save-unconfirmed is about what is executed",
                 "say where to execute it: --on=postgres"),
    needs_option("--least-tables", "--search", "--least-tables is about cuts that are looked for",
                 "add --search"),
    for_one("--show-chopping", "--search", "--show-chopping is about one cut"),
    for_one("--show-chopping", "--compare", "--show-chopping is about one cut"),
    for_one("--chopped", "--search", "--chopped is about one cut"),
    for_one("--chopped", "--compare", "--chopped is about one cut"),
    for_one("--sessions", "--search", "--sessions is about one cut"),
    for_one("--sessions", "--compare", "--sessions is about one cut"),
    for_one("--compensations", "--search", "--compensations is about one cut"),
    for_one("--compensations", "--compare", "--compensations is about one cut"),
    for_one("--only-cores", "--search", "--only-cores is about one cut"),
    for_one("--only-cores", "--compare", "--only-cores is about one cut"),
    for_one("--only", "--search", "--only is about one cut"),
    for_one("--only", "--compare", "--only is about one cut"),
};

Result<ExitCode> exit_code_of_cuts(const std::string& bound, const Coverage& coverage) {
  if (is_signalled()) return ExitCode::interrupted;
  return bound.empty() ? heddle::exit_code_of(coverage) : ExitCode::unknown;
}

// What is wrong with a file of the user's comes alone.
bool is_in_file(const Result<void>& done) { return !done && !done.error().file.empty(); }

}  // namespace

std::vector<std::string> cut_inputs(const Arguments& arguments) {
  std::vector<std::string> cuts = arguments.inputs();
  std::erase_if(cuts, [](const std::string& path) { return !is_cut(path); });
  return cuts;
}

std::vector<std::string> program_inputs(const Arguments& arguments) {
  std::vector<std::string> files = arguments.inputs();
  std::erase_if(files, is_cut);
  return files;
}

Result<Cut> read_cut(const std::string& path) {
  const Result<std::string> text = read_input(path);
  if (!text) return text.error();
  return parse_cut(*text, input_name(path));
}

Result<void> check_cut_options(const Arguments& arguments) {
  if (Result<void> checked = check_combinations(arguments, kCombinations); !checked) return checked;
  const bool compares = arguments.has("--compare");
  const bool searches = arguments.has("--search");
  if (compares && cut_inputs(arguments).empty()) {
    return Diagnostic{.what = "--compare needs cuts",
                      .what_to_do = "name files that end in .json, .yaml or .yml"};
  }
  if (!compares && !cut_inputs(arguments).empty()) {
    return Diagnostic{.what = fmt::format("{} is a cut", cut_inputs(arguments).front()),
                      .what_to_do = "write --services=FILE for one, --compare for several"};
  }
  if (arguments.has("--save") && !searches && !arguments.has("--on")) {
    return Diagnostic{
        .what = "--save is about cuts that are looked for, and about what is executed",
        .what_to_do = "add --search, or say where to execute it: --on=postgres"};
  }
  const std::string format = arguments.text("--format");
  if ((searches || compares) && format != "text" && format != "json") {
    return Diagnostic{.what = fmt::format("--format={} draws one cut", format),
                      .what_to_do = std::string(kOneCut)};
  }
  if (!searches || !arguments.has("--services")) return {};
  const Result<std::uint64_t> services = parse_number(arguments.text("--services"));
  if (services && *services > 0) return {};
  return Diagnostic{
      .what = fmt::format("--services={} is no number of services", arguments.text("--services")),
      .what_to_do = "with --search write --services=3 for at most three"};
}

Result<ExitCode> compare_cuts(const Arguments& arguments, const Program& program,
                              const SplitOptions& options, const CommandDeadline& deadline,
                              Output& output) {
  std::vector<Cut> cuts;
  for (const std::string& path : cut_inputs(arguments)) {
    Result<Cut> cut = read_cut(path);
    if (!cut) return cut.error();
    cuts.push_back(std::move(*cut));
  }
  Result<SavedRuns> runs = SavedRuns::open(arguments);
  if (!runs) return runs.error();
  Result<CutComparison> comparison = heddle::compare_cuts(program, cuts, options);
  if (!comparison) return comparison.error();
  Result<void> examined;
  if (examines_cuts(arguments)) {
    examined = examine_cuts(arguments, program, options, deadline,
                            {comparison->cuts, comparison->bound, *runs});
  }
  if (is_in_file(examined)) return examined.error();
  const std::string text =
      arguments.text("--format") == "json"
          ? to_json(*comparison, program.coverage)
          : render_coverage(program.coverage, text_options(arguments, output)) +
                render_text(*comparison, text_options(arguments, output));
  if (Result<void> written = output.write_whole(text); !written) return written.error();
  runs->say_what_is_missing();
  if (!examined && !is_signalled()) return examined.error();
  return exit_code_of_cuts(comparison->bound, program.coverage);
}

Result<ExitCode> search_cuts(const Arguments& arguments, const Program& program,
                             const SplitOptions& options, const CommandDeadline& deadline,
                             Output& output) {
  CutSearchOptions search{.split = options};
  if (arguments.text("--by") == "silhouette") {
    search.measure = CutMeasure::silhouette;
    search.most_services = program.schema.tables.size();
  }
  if (arguments.has("--services")) search.most_services = arguments.number("--services");
  const std::string method = arguments.text("--search");
  if (method == "local") search.exploration = CutExploration::local;
  if (method == "exhaustive") search.exploration = CutExploration::exhaustive;
  search.rules.together = name_lists(arguments, "--together");
  search.rules.apart = name_lists(arguments, "--apart");
  if (arguments.has("--least-tables")) {
    search.rules.least_tables = arguments.number("--least-tables");
  }
  Result<SavedRuns> runs = SavedRuns::open(arguments);
  if (!runs) return runs.error();
  Progress progress("cuts", progress_is_watched() && !arguments.has("--no-progress"));
  search.progress = [&progress](std::size_t cuts) {
    progress.show(fmt::format("{} looked at", cuts));
  };
  Result<CutSearchReport> report = heddle::search_cuts(program, search);
  if (!report) return report.error();
  SaveDirectory& directory = runs->directory();
  for (std::size_t i = 0; directory.is_open() && i < report->front.size(); ++i) {
    const std::string stem = directory.unused_stem(fmt::format("cut-{}", i + 1));
    if (auto saved = directory.write(stem, ".json", to_json(report->front[i].cut)); !saved) {
      return saved.error();
    }
  }
  Result<void> examined;
  if (examines_cuts(arguments)) {
    examined =
        examine_cuts(arguments, program, options, deadline, {report->front, report->bound, *runs});
  }
  if (is_in_file(examined)) return examined.error();
  const std::string text =
      arguments.text("--format") == "json"
          ? to_json(*report, program.coverage)
          : render_coverage(program.coverage, text_options(arguments, output)) +
                render_text(*report, text_options(arguments, output));
  if (Result<void> written = output.write_whole(text); !written) return written.error();
  runs->say_what_is_missing();
  if (!examined && !is_signalled()) return examined.error();
  return exit_code_of_cuts(report->bound, program.coverage);
}

std::vector<OptionDefinition> cut_options() {
  constexpr std::string_view kGroup = "Several cuts";
  return {
      {.name = "--compare",
       .group = kGroup,
       .meaning = "Hold the cuts among the files against each other: what ends in .json, .yaml or "
                  ".yml is a cut."},
      {.name = "--search",
       .value = "METHOD",
       .kind = ValueKind::choice,
       .group = kGroup,
       .meaning = "Look for cuts into at most as many services as --services says, or three: those "
                  "of which no other has as many services, and neither more cores nor more calls "
                  "between services. All cuts are looked at where there are at most eight tables; "
                  "else it goes from clusters of tables to ever better neighbours.",
       .choices = {"automatic", "local", "exhaustive"},
       .bare = "automatic"},
      {.name = "--by",
       .value = "MEASURE",
       .kind = ValueKind::choice,
       .group = kGroup,
       .meaning = "Which cuts --search prints: by costs those of which no other is better in "
                  "services, cores and calls; by silhouette the one whose tables hang together "
                  "best, of clusters of tables by the functionalities that use them, into as many "
                  "services as --services says, or any number.",
       .fallback = "costs",
       .choices = {"costs", "silhouette"}},
      {.name = "--together",
       .value = "TABLES",
       .kind = ValueKind::text,
       .group = kGroup,
       .meaning = "Tables that stay in one service: a,b,c. May be given several times.",
       .repeatable = true},
      {.name = "--apart",
       .value = "TABLES",
       .kind = ValueKind::text,
       .group = kGroup,
       .meaning = "Tables of which no two are in one service. May be given several times.",
       .repeatable = true},
      {.name = "--least-tables",
       .value = "N",
       .kind = ValueKind::count,
       .group = kGroup,
       .meaning = "A service has at least N tables. Without it one."},
      {.name = "--save",
       .value = "DIR",
       .kind = ValueKind::directory,
       .group = kGroup,
       .meaning = "Write the cuts that were found to DIR/cut-N.json; with --on each confirmed run "
                  "to DIR/KIND-ID.json for heddle replay, and to a spec file beside it. The "
                  "directory is made if need be."},
      save_unconfirmed_option(kGroup),
  };
}

}  // namespace heddle
