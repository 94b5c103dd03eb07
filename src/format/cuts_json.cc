#include "format/cuts_json.h"

#include <string>

#include "format/coverage_json.h"
#include "format/cut_json.h"
#include "format/json/json.h"

namespace heddle {

namespace {

Json write_scored(const ScoredCut& scored) {
  const CutScore& score = scored.score;
  Json json = Json::object();
  if (!scored.cut.file.empty()) json["file"] = text_json(scored.cut.file);
  json["services"] = write_cut(scored.cut);
  json["cores"] = score.cores;
  json["causes"] = score.causes;
  json["kinds"] = Json::object();
  for (const auto& [kind, count] : score.kinds) {
    json["kinds"][std::string(definition(kind).slug)] = count;
  }
  json["calls"] = score.calls;
  json["silhouette"] = score.silhouette;
  if (!scored.levels.empty()) json["levels"] = Json::object();
  for (const auto& [service, level] : scored.levels) {
    json["levels"][service] = definition(level).name;
  }
  if (!score.needs.empty()) json["needs"] = Json::object();
  for (const auto& [level, count] : score.needs) {
    json["needs"][std::string(definition(level).name)] = count;
  }
  if (!score.executed.empty()) json["executed"] = Json::object();
  for (const auto& [status, count] : score.executed) {
    json["executed"][std::string(slug(status))] = count;
  }
  if (score.failures) json["failures"] = *score.failures;
  return json;
}

// Of a comparison or of a search.
template <class Report>
Json write_all(const std::vector<ScoredCut>& cuts, const Report& report) {
  Json document = {{"heddle", "cuts/1"}};
  document["cuts"] = Json::array();
  for (const ScoredCut& scored : cuts) document["cuts"].push_back(write_scored(scored));
  document["max_length"] = report.max_length;
  document["max_instances"] = report.max_instances;
  if (report.max_prefix > 0) document["max_prefix"] = report.max_prefix;
  document["across"] = report.across ? Json(definition(*report.across).name) : Json(nullptr);
  document["bound"] = report.bound;
  return document;
}

}  // namespace

std::string to_json(const Cut& cut) { return print_json_by_line(write_cut(cut)); }

std::string to_json(const CutComparison& comparison, const Coverage& coverage) {
  Json document = write_all(comparison.cuts, comparison);
  document["coverage"] = coverage_json(coverage);
  return print_json_by_line(document);
}

std::string to_json(const CutSearchReport& report, const Coverage& coverage) {
  Json document = write_all(report.front, report);
  if (!report.silhouettes.empty()) document["silhouettes"] = Json::object();
  for (const auto& [services, silhouette] : report.silhouettes) {
    document["silhouettes"][std::to_string(services)] = silhouette;
  }
  document["looked_at"] = report.looked_at;
  document["searches"] = report.searches;
  if (report.possible > 0) document["possible"] = report.possible;
  document["coverage"] = coverage_json(coverage);
  return print_json_by_line(document);
}

}  // namespace heddle
