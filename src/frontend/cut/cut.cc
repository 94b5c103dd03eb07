// Cuts as JSON or YAML, which contains JSON: a map from services to lists of tables.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "frontend/yaml/yaml_tree.h"
#include "heddle/split.h"

namespace heddle {

namespace {

constexpr std::string_view kCutForm = R"(write {"SERVICE": ["TABLE", ...], ...})";

bool is_name(const YamlNode& node) { return node.kind == YamlKind::scalar && !node.text.empty(); }

class CutReader {
 public:
  explicit CutReader(const std::string& file) : file_(file) { cut_.file = file; }

  Result<Cut> read(const YamlNode& root) {
    if (root.kind != YamlKind::map) return trouble(root, "this is no map from services to tables");
    for (const auto& [name, tables] : root.entries) {
      if (Result<void> added = add(*name, *tables); !added) return added.error();
    }
    if (cut_.services.empty()) return trouble(root, "there is no service");
    return std::move(cut_);
  }

  Diagnostic trouble(const YamlNode& at, std::string what,
                     std::string what_to_do = std::string(kCutForm)) const {
    return {.what = std::move(what),
            .what_to_do = std::move(what_to_do),
            .file = file_,
            .position = at.position};
  }

 private:
  Result<void> add(const YamlNode& name, const YamlNode& tables) {
    if (!is_name(name)) return trouble(name, "a service has no name");
    const bool is_known =
        std::ranges::find(cut_.services, name.text, &Service::name) != cut_.services.end();
    if (is_known) {
      return trouble(name, fmt::format("the service \"{}\" is there twice", name.text),
                     "put all its tables into one list");
    }
    if (tables.kind != YamlKind::list) {
      return trouble(tables, fmt::format("the service \"{}\" has no list of tables", name.text));
    }
    Service service{.name = name.text, .position = name.position, .tables = {}};
    for (const YamlPart& table : tables.items) {
      if (!is_name(*table)) {
        return trouble(*table, fmt::format("the service \"{}\" has something that is no name of a "
                                           "table",
                                           name.text));
      }
      if (!tables_.insert(table->text).second) {
        return trouble(*table, fmt::format("the table \"{}\" is there twice", table->text),
                       "a table belongs to one service");
      }
      service.tables.push_back({.name = table->text, .position = table->position});
    }
    if (service.tables.empty()) {
      return trouble(name, fmt::format("the service \"{}\" has no tables", name.text),
                     "leave it out");
    }
    cut_.services.push_back(std::move(service));
    return {};
  }

  const std::string& file_;
  Cut cut_;
  std::set<std::string> tables_;
};

}  // namespace

Result<Cut> parse_cut(const std::string& text, const std::string& file) {
  const Result<YamlPart> root = parse_yaml(text, file, kCutForm);
  if (!root) return root.error();
  return CutReader(file).read(**root);
}

}  // namespace heddle
