#include "report/text/coverage_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kShownPlaces = 5;

// "9 exactly, 3 approximately, 1 not at all".
std::string ways(const ReadCounts& counts) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, std::string_view how) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, how));
  };
  add(counts.exactly, "exactly");
  add(counts.approximately, "approximately");
  add(counts.not_at_all, "not at all");
  return join(parts, ", ");
}

std::size_t total(const ReadCounts& counts) {
  return counts.exactly + counts.approximately + counts.not_at_all;
}

std::string read_text(const Coverage& coverage) {
  const std::size_t functionalities = total(coverage.functionalities);
  if (functionalities == 0) return "no functionality";
  const std::string all =
      fmt::format("{} with {}", counted(functionalities, "functionality", "functionalities"),
                  counted(total(coverage.statements), "statement", "statements"));
  const auto is_exact = [](const ReadCounts& counts) {
    return counts.approximately + counts.not_at_all == 0;
  };
  if (!is_exact(coverage.statements)) return all + ": " + ways(coverage.statements);
  if (is_exact(coverage.functionalities)) return all + ", exactly";
  return fmt::format("{}; each statement exactly, functionalities {}", all,
                     ways(coverage.functionalities));
}

std::string head(const Coverage& coverage) {
  const std::size_t unread = count_unread(coverage);
  const std::string read = read_text(coverage);
  if (unread == 0) return "read: " + read;
  return fmt::format("not all of it was read: {} that {} a store {} not; read: {}",
                     counted(unread, "place", "places"), unread == 1 ? "uses" : "use",
                     unread == 1 ? "was" : "were", read);
}

std::string line_of_place(const UnreadPlace& place) {
  const std::string where =
      place.position.line > 0 ? fmt::format("{}:{}", place.file, place.position.line) : place.file;
  return printable(where + "  " + place.what);
}

void add_use(const UnreadUse& use, std::vector<CoverageLine>& lines) {
  if (!use.places.empty()) {
    lines.push_back({2, printable(fmt::format("{}: {}", use.technology,
                                              counted(use.places.size(), "place", "places")))});
  }
  const std::size_t shown = std::min(use.places.size(), kShownPlaces);
  for (std::size_t i = 0; i < shown; ++i) lines.push_back({4, line_of_place(use.places[i]), true});
  if (use.places.size() > shown) {
    lines.push_back(
        {4, fmt::format("and {} more, which --format=json lists", use.places.size() - shown)});
  }
  if (!use.places.empty() && !use.what_to_do.empty()) {
    lines.push_back({4, printable("instead: " + use.what_to_do)});
  }
  if (!use.excluded.empty()) {
    lines.push_back({2, printable(fmt::format("{}: {} excluded by name", use.technology,
                                              counted(use.excluded.size(), "place", "places")))});
  }
}

}  // namespace

std::vector<CoverageLine> coverage_lines(const Coverage& coverage) {
  if (!coverage.is_measured) return {};
  // The first line is whole, however long it is.
  std::vector<CoverageLine> lines = {{0, head(coverage), true}};
  for (const UnreadUse& use : coverage.unread) add_use(use, lines);
  for (const std::string& remark : coverage.remarks) lines.push_back({2, printable(remark)});
  return lines;
}

std::string render_coverage(const Coverage& coverage, const TextOptions& options) {
  std::string text;
  for (const CoverageLine& line : coverage_lines(coverage)) {
    const std::string indent(line.indent, ' ');
    if (line.is_whole) {
      text += indent + line.text + "\n";
      continue;
    }
    for (const std::string& part : wrap(line.text, options.width - line.indent, 2)) {
      text += indent + part + "\n";
    }
  }
  return text;
}

std::string nothing_found_text(const Coverage& coverage) {
  return is_complete(coverage) ? "nothing found" : "nothing found in what was read,";
}

}  // namespace heddle
