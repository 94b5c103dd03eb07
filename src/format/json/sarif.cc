#include "format/json/sarif.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/utf8.h"
#include "format/json/json.h"

namespace heddle {

namespace {

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

Json message_of(const std::string& text) { return {{"text", text}}; }

bool stays_in_uri(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

std::string uri_of(const std::string& file) {
  std::string uri;
  for (const char c : file) {
    uri +=
        stays_in_uri(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

// A relative path is one below the root of the sources, wherever that is.
Json artifact_of(const std::string& file) {
  if (file.starts_with('/')) return {{"uri", "file://" + uri_of(file)}};
  return {{"uri", uri_of(file)}, {"uriBaseId", "%SRCROOT%"}};
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    at += std::max<std::size_t>(utf8_length(text, at), 1);
  }
  return count;
}

Json region_of(const SarifPlace& place) {
  Json region = {{"startLine", place.position.line}};
  if (place.position.column == 0) return region;
  region["startColumn"] = place.position.column;
  if (place.text.empty()) return region;
  const auto lines = std::count(place.text.begin(), place.text.end(), '\n');
  const std::size_t last = lines == 0 ? 0 : place.text.rfind('\n') + 1;
  const std::size_t before = lines == 0 ? place.position.column : 1;
  region["endLine"] = static_cast<std::int64_t>(place.position.line) + lines;
  region["endColumn"] = before + count_characters(std::string_view(place.text).substr(last));
  region["snippet"] = {{"text", place.text}};
  return region;
}

Json physical_of(const SarifPlace& place) {
  Json physical = {{"artifactLocation", artifact_of(place.file)}};
  if (place.position.line != 0) physical["region"] = region_of(place);
  return {{"physicalLocation", std::move(physical)}};
}

Json located(const SarifStep& step) {
  Json location = physical_of(step.place);
  location["message"] = message_of(step.message);
  return location;
}

Json flow_of(const SarifFlow& flow) {
  Json locations = Json::array();
  for (const SarifStep& step : flow.steps) {
    locations.push_back({{"location", located(step)}, {"executionOrder", step.order}});
  }
  return {{"id", flow.session},
          {"message", message_of(flow.word + " " + flow.session)},
          {"locations", std::move(locations)}};
}

Json suppressions_of(const SarifResult& result) {
  Json suppressions = Json::array();
  if (result.suppressed) {
    suppressions.push_back({{"kind", "external"}, {"justification", *result.suppressed}});
  }
  return suppressions;
}

Json related_of(const SarifResult& result) {
  Json related = Json::array();
  for (const SarifStep& step : result.related) {
    Json location = located(step);
    location["id"] = related.size() + 1;
    related.push_back(std::move(location));
  }
  return related;
}

std::string rule_id(const SarifResult& result) {
  return result.rule ? result.rule->id : std::string(definition(result.kind).slug);
}

Json result_of(const SarifResult& result, std::size_t rule) {
  Json flows = Json::array();
  for (const SarifFlow& flow : result.flows) flows.push_back(flow_of(flow));
  Json properties = Json::object();
  for (const auto& [name, value] : result.properties) properties[name] = value;
  Json written = {{"ruleId", rule_id(result)},
                  {"ruleIndex", rule},
                  {"kind", result.is_for_review ? "review" : "fail"},
                  {"level", result.is_for_review ? "none"
                            : result.grave       ? "error"
                                                 : "warning"},
                  {"message", message_of(result.message)},
                  {"locations", Json::array({physical_of(result.place)})},
                  {"relatedLocations", related_of(result)}};
  if (!flows.empty()) {
    const std::string& word = result.flows.front().word;
    Json flow = {{"message", message_of(fmt::format("the schedule, {0} by {0}", word))},
                 {"threadFlows", std::move(flows)}};
    written["codeFlows"] = Json::array({std::move(flow)});
  }
  written["partialFingerprints"] = {{"heddleFinding/v1", result.fingerprint}};
  written["suppressions"] = suppressions_of(result);
  written["properties"] = std::move(properties);
  return written;
}

// "LostUpdate"
std::string pascal_case(std::string_view slug) {
  std::string name;
  bool begins = true;
  for (const char c : slug) {
    if (c != '-') name += begins ? static_cast<char>(std::toupper(c)) : c;
    begins = c == '-';
  }
  return name;
}

Json rule_of(const SarifRule& rule) {
  return {{"id", rule.id},
          {"name", pascal_case(rule.id)},
          {"shortDescription", message_of(rule.name)},
          {"fullDescription", message_of(rule.meaning)},
          {"help", message_of(rule.meaning)},
          {"defaultConfiguration", {{"level", "error"}}}};
}

Json rule_of(AnomalyKind kind) {
  const AnomalyDefinition& known = definition(kind);
  std::string names(known.name);
  if (!known.adya.empty()) names += fmt::format(", Adya: {}", known.adya);
  if (!known.berenson.empty()) names += fmt::format(", Berenson: {}", known.berenson);
  return {{"id", known.slug},
          {"name", pascal_case(known.slug)},
          {"shortDescription", message_of(std::string(known.name))},
          {"fullDescription", message_of(std::string(known.meaning))},
          {"help", message_of(fmt::format("{} ({})", known.meaning, names))},
          {"defaultConfiguration", {{"level", "error"}}}};
}

Json notification_of(const SarifNotification& notification) {
  Json written = {{"level", notification.grave ? "error" : "warning"},
                  {"message", message_of(notification.message)}};
  if (!notification.place.file.empty()) {
    written["locations"] = Json::array({physical_of(notification.place)});
  }
  return written;
}

// The rules of all results, each once: first those of kinds, in their order. `places`: of each id.
Json rules_of(const SarifLog& log, std::map<std::string, std::size_t>& places) {
  std::set<AnomalyKind> kinds;
  std::map<std::string, SarifRule> others;
  for (const SarifResult& result : log.results) {
    if (result.rule) {
      others.emplace(result.rule->id, *result.rule);
    } else {
      kinds.insert(result.kind);
    }
  }
  Json rules = Json::array();
  for (const AnomalyKind kind : kinds) rules.push_back(rule_of(kind));
  for (const auto& [id, rule] : others) rules.push_back(rule_of(rule));
  for (std::size_t i = 0; i < rules.size(); ++i) places[rules[i]["id"]] = i;
  return rules;
}

}  // namespace

std::string to_sarif(const SarifLog& log) {
  std::map<std::string, std::size_t> places;
  Json rules = rules_of(log, places);
  Json results = Json::array();
  for (const SarifResult& result : log.results) {
    results.push_back(result_of(result, places.at(rule_id(result))));
  }
  Json notifications = Json::array();
  bool successful = true;
  for (const SarifNotification& notification : log.notifications) {
    notifications.push_back(notification_of(notification));
    successful = successful && !notification.grave;
  }
  Json invocation = {{"executionSuccessful", successful},
                     {"toolExecutionNotifications", std::move(notifications)}};
  Json run = {{"tool", {{"driver", {{"name", "heddle"}, {"rules", std::move(rules)}}}}},
              {"invocations", Json::array({std::move(invocation)})},
              {"columnKind", "unicodeCodePoints"},
              {"results", std::move(results)}};
  return print_json(
      {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}});
}

}  // namespace heddle
