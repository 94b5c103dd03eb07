#include "race/outcome/answers.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/path_pattern.h"
#include "base/text.h"
#include "format/json/json.h"
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

// What stands at the place; a way without numbers of elements may lead to several.
std::vector<std::string> texts_at(const ObservedResponse& response, const ExpectedField& expected) {
  if (expected.is_status) return {std::to_string(response.status)};
  if (!expected.path.starts_with('/')) {
    std::vector<std::string> texts;
    for (const JsonField& field :
         list_json_fields(response.body).value_or(std::vector<JsonField>())) {
      if (is_at(field, expected.path)) texts.push_back(field.text);
    }
    return texts;
  }
  const Json document = Json::parse(response.body, nullptr, false);
  if (document.is_discarded()) return {};
  const Json flat = document.is_structured() ? document.flatten() : Json::object();
  const auto found = flat.find(expected.path);
  if (found == flat.end()) return {};
  return {found->is_string() ? found->get<std::string>() : found->dump()};
}

std::optional<double> decimal_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return number;
}

bool fits(const std::string& text, const ExpectedField& expected) {
  if (!expected.values.empty()) {
    return std::ranges::find(expected.values, text) != expected.values.end();
  }
  const auto number = decimal_of(text);
  return number && (!expected.least || *number >= *expected.least) &&
         (!expected.most || *number <= *expected.most);
}

std::string expectation_words(const ExpectedField& expected) {
  if (!expected.values.empty()) return join(expected.values, " or ");
  std::string words;
  if (expected.least) words = fmt::format("at least {}", *expected.least);
  if (!expected.most) return words;
  return fmt::format("{}{}at most {}", words, words.empty() ? "" : " and ", *expected.most);
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

bool is_of_endpoint(const RacedRequest& request, const std::vector<std::string>& patterns) {
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
    if (response == nullptr || response->status == 0) continue;
    if (!expected.is_status && response->status >= 400) continue;
    const std::vector<std::string> found = texts_at(*response, expected);
    const bool is_right =
        !found.empty() &&
        std::ranges::all_of(found, [&](const std::string& text) { return fits(text, expected); });
    if (is_right) continue;
    broken.push_back(fmt::format("{} of {} is {}", expected.is_status ? "status" : expected.path,
                                 request_name(expected.request, requests),
                                 expectation_words(expected)));
  }
  return broken;
}

}  // namespace heddle
