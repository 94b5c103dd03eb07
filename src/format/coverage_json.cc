#include "format/coverage_json.h"

#include <string>
#include <vector>

namespace heddle {

namespace {

Json write_counts(const ReadCounts& counts) {
  return {{"exactly", counts.exactly},
          {"approximately", counts.approximately},
          {"not_at_all", counts.not_at_all}};
}

Json write_counts(const std::vector<UnreadPlace>& places) {
  Json list = Json::array();
  for (const UnreadPlace& place : places) {
    list.push_back({{"file", text_json(place.file)},
                    {"line", place.position.line},
                    {"column", place.position.column},
                    {"text", text_json(place.what)}});
  }
  return list;
}

}  // namespace

Json coverage_json(const Coverage& coverage) {
  if (!coverage.is_measured) return nullptr;
  Json json = {{"complete", is_complete(coverage)},
               {"functionalities", write_counts(coverage.functionalities)},
               {"statements", write_counts(coverage.statements)},
               {"unread", Json::array()},
               {"remarks", Json::array()}};
  for (const UnreadUse& use : coverage.unread) {
    json["unread"].push_back({{"technology", text_json(use.technology)},
                              {"what_to_do", use.what_to_do},
                              {"places", write_counts(use.places)},
                              {"excluded", write_counts(use.excluded)}});
  }
  for (const std::string& remark : coverage.remarks) json["remarks"].push_back(text_json(remark));
  return json;
}

}  // namespace heddle
