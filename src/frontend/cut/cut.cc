// Cuts as JSON or YAML, which contains JSON: a map from services to lists of tables.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <yaml-cpp/yaml.h>

#include <fmt/format.h>

#include "heddle/split.h"

namespace heddle {

namespace {

constexpr std::string_view kForm = R"(write {"SERVICE": ["TABLE", ...], ...})";

SourcePosition position_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {.line = static_cast<std::uint32_t>(mark.line + 1),
          .column = static_cast<std::uint32_t>(mark.column + 1)};
}

class CutReader {
 public:
  explicit CutReader(const std::string& file) : file_(file) { cut_.file = file; }

  Result<Cut> read(const YAML::Node& root) {
    if (!root.IsMap()) return trouble(root, "this is no map from services to tables");
    for (const auto& entry : root) {
      if (Result<void> added = add(entry.first, entry.second); !added) return added.error();
    }
    if (cut_.services.empty()) return trouble(root, "there is no service");
    return std::move(cut_);
  }

  Diagnostic trouble(const YAML::Node& at, std::string what,
                     std::string what_to_do = std::string(kForm)) const {
    return {.what = std::move(what),
            .what_to_do = std::move(what_to_do),
            .file = file_,
            .position = position_of(at.Mark())};
  }

 private:
  Result<void> add(const YAML::Node& name, const YAML::Node& tables) {
    if (!name.IsScalar() || name.Scalar().empty()) return trouble(name, "a service has no name");
    const bool is_known =
        std::ranges::find(cut_.services, name.Scalar(), &Service::name) != cut_.services.end();
    if (is_known) {
      return trouble(name, fmt::format("the service \"{}\" is there twice", name.Scalar()),
                     "put all its tables into one list");
    }
    if (!tables.IsSequence()) {
      return trouble(tables,
                     fmt::format("the service \"{}\" has no list of tables", name.Scalar()));
    }
    Service service{.name = name.Scalar(), .position = position_of(name.Mark()), .tables = {}};
    for (const YAML::Node& table : tables) {
      if (!table.IsScalar() || table.Scalar().empty()) {
        return trouble(table, fmt::format("the service \"{}\" has something that is no name of a "
                                          "table",
                                          name.Scalar()));
      }
      if (!tables_.insert(table.Scalar()).second) {
        return trouble(table, fmt::format("the table \"{}\" is there twice", table.Scalar()),
                       "a table belongs to one service");
      }
      service.tables.push_back({.name = table.Scalar(), .position = position_of(table.Mark())});
    }
    if (service.tables.empty()) {
      return trouble(name, fmt::format("the service \"{}\" has no tables", name.Scalar()),
                     "leave it out");
    }
    cut_.services.push_back(std::move(service));
    return {};
  }

  const std::string& file_;
  Cut cut_;
  std::set<std::string> tables_;
};

// The reader recurses.
bool is_too_deep(const std::string& text) {
  constexpr std::size_t kDeepest = 100;
  std::size_t depth = 0;
  std::size_t indent = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    indent = c == '\n' ? 0 : indent + (c == '-' || c == '?' ? 1 : 0);
    if (depth > kDeepest || indent > kDeepest) return true;
  }
  return false;
}

}  // namespace

Result<Cut> parse_cut(const std::string& text, const std::string& file) {
  if (is_too_deep(text)) {
    return Diagnostic{.what = "this is nested too deeply",
                      .what_to_do = std::string(kForm),
                      .file = file,
                      .position = {}};
  }
  try {
    return CutReader(file).read(YAML::Load(text));
  } catch (const YAML::Exception& exception) {
    return Diagnostic{.what = exception.msg,
                      .what_to_do = std::string(kForm),
                      .file = file,
                      .position = position_of(exception.mark)};
  }
}

}  // namespace heddle
