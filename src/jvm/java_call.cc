#include "jvm/java_call.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

std::optional<MethodName> read_method_name(const std::string& text) {
  const std::size_t open = text.find('(');
  const std::size_t dot = text.rfind('.', open);
  if (open == text.npos || dot == text.npos || dot == 0 || !text.ends_with(')')) {
    return std::nullopt;
  }
  MethodName name{
      .type = text.substr(0, dot), .name = text.substr(dot + 1, open - dot - 1), .parameters = {}};
  const std::string inner(trim(text.substr(open + 1, text.size() - open - 2)));
  if (inner.empty()) return name;
  for (const std::string& type : split(inner, ',')) name.parameters.emplace_back(trim(type));
  return name;
}

std::string why_not_callable_in_java(const ProgramCall& call) {
  if (call.method.empty()) return "nobody knows which method of the program this is read from";
  const auto name = read_method_name(call.method);
  if (!name) return fmt::format("\"{}\" is no method with its parameters", call.method);
  // What it draws is among the arguments, but the program draws it itself.
  const bool draws = std::ranges::any_of(
      name->parameters, [](const std::string& type) { return type.ends_with("Random"); });
  if (draws) return fmt::format("{} draws values of its own", call.method);
  const auto given = std::ranges::count_if(name->parameters, [](const std::string& type) {
    return type != "Connection" && type != "DataSource";
  });
  if (static_cast<std::size_t>(given) == call.arguments.size()) return "";
  return fmt::format(
      "{} takes objects that are more than one value, or uses what is not among its "
      "parameters",
      call.method);
}

}  // namespace heddle
