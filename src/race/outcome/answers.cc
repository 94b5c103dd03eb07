#include "race/outcome/answers.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/path_pattern.h"
#include "base/text.h"
#include "format/json/json_fields.h"

namespace heddle {

namespace {

// "$.success" is false, "$.error" has something in it.
bool says_error(const JsonField& field) {
  const bool is_false = field.kind == JsonFieldKind::boolean && field.text == "false";
  if (field.path == "$.success" || field.path == "$.ok") return is_false;
  const bool is_of_error = field.path == "$.error" || field.path.starts_with("$.error.") ||
                           field.path == "$.errors" || field.path.starts_with("$.errors[");
  const bool is_nothing = field.kind == JsonFieldKind::null || is_false ||
                          field.kind == JsonFieldKind::empty_list ||
                          field.kind == JsonFieldKind::empty_object ||
                          (field.kind == JsonFieldKind::number && field.text == "0") ||
                          (field.kind == JsonFieldKind::text && field.text.empty());
  return is_of_error && !is_nothing;
}

bool matches_path(std::string_view pattern, std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  const std::vector<std::string> wanted = split(pattern, '/');
  const std::vector<std::string> parts = split(path, '/');
  return std::ranges::equal(wanted, parts, [](const std::string& one, const std::string& part) {
    return matches_glob(one, part);
  });
}

// "lines[0].state" and "$.lines[].state" are ways from the root of a body.
bool is_at(const JsonField& field, const std::string& path) {
  const std::string whole = path.starts_with("$") ? path : "$." + path;
  return field.path == whole || field.place == whole;
}

std::string request_name(std::uint64_t unit, const std::vector<RacedRequest>& requests) {
  const auto found = std::ranges::find(requests, unit, &RacedRequest::unit);
  return found == requests.end() ? fmt::format("request {}", unit) : found->name;
}

}  // namespace

bool is_failure(const ObservedResponse& response) {
  return response.status == 0 || response.status >= 500;
}

bool is_error(const ObservedResponse& response) {
  if (response.status == 0 || response.status >= 400) return true;
  const auto fields = list_json_fields(response.body);
  return fields && std::ranges::any_of(*fields, says_error);
}

const ObservedResponse* find_response(const RacedRun& run, std::uint64_t request) {
  const auto found = std::ranges::find(run.responses, request, &ObservedResponse::request);
  return found == run.responses.end() ? nullptr : &*found;
}

bool is_benign(const RacedRequest& request, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    const std::size_t blank = pattern.find(' ');
    const bool has_method = blank != std::string::npos;
    const std::string method = has_method ? pattern.substr(0, blank) : "*";
    const std::string_view path = trim(std::string_view(pattern).substr(has_method ? blank : 0));
    if (!matches_glob(to_lower(method), to_lower(request.method))) return false;
    return matches_path(path,
                        path.starts_with('/') ? request.target : request.service + request.target);
  });
}

std::vector<std::string> broken_fields(const RacedRun& run, const JudgeSettings& settings,
                                       const std::vector<RacedRequest>& requests) {
  std::vector<std::string> broken;
  for (const ExpectedField& expected : settings.expected) {
    const ObservedResponse* response = find_response(run, expected.request);
    if (response == nullptr || response->status == 0 || response->status >= 400) continue;
    bool is_there = false;
    bool is_right = true;
    for (const JsonField& field :
         list_json_fields(response->body).value_or(std::vector<JsonField>())) {
      if (!is_at(field, expected.path)) continue;
      is_there = true;
      is_right =
          is_right && std::ranges::find(expected.values, field.text) != expected.values.end();
    }
    if (is_there && is_right) continue;
    broken.push_back(fmt::format("{} of {} is {}", expected.path,
                                 request_name(expected.request, requests),
                                 join(expected.values, " or ")));
  }
  return broken;
}

}  // namespace heddle
