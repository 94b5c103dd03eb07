#include "race/replay/expectations.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "race/outcome/answers.h"

namespace heddle {
namespace {

constexpr std::string_view kStatusField = "status";

std::optional<double> bound_of(const std::vector<Setting>& setting) {
  if (setting.empty()) return std::nullopt;
  return std::strtod(setting.front().text.c_str(), nullptr);
}

}  // namespace

std::vector<ExpectedField> expected_fields(const Config& config,
                                           const std::vector<RacedRequest>& requests) {
  std::vector<ExpectedField> fields;
  for (const ExpectSettings& expect : config.race.expect) {
    for (const RacedRequest& request : requests) {
      if (!is_of_endpoint(request, {expect.endpoint.front().text})) continue;
      ExpectedField field{.request = request.unit,
                          .path = expect.field.front().text,
                          .is_status = expect.field.front().text == kStatusField,
                          .least = bound_of(expect.least),
                          .most = bound_of(expect.most)};
      for (const Setting& each : expect.one_of) field.values.push_back(each.text);
      fields.push_back(std::move(field));
    }
  }
  return fields;
}

}  // namespace heddle
