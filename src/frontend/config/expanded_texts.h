// Texts of heddle.yaml with variables of the environment in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/config/config.h"
#include "frontend/config/section_reader.h"
#include "frontend/yaml/yaml_tree.h"

namespace heddle {

bool names_variable(std::string_view name);

// Reads texts, each with the values of its variables: ${NAME}, ${NAME:-value}; $$ is one dollar.
class ExpandedTexts {
 public:
  // REQUIRES: both outlive it.
  ExpandedTexts(const SectionReader& reader, const VariableLookup& lookup)
      : reader_(reader), lookup_(lookup) {}

  // A list of texts, which may be empty, or one text.
  Result<void> read_texts(const YamlNode& key, const YamlNode& value,
                          std::vector<Setting>& to) const;
  Result<void> read_text(const YamlNode& key, const YamlNode& value,
                         std::vector<Setting>& to) const;
  // One that may be empty when its variables have their values.
  Result<void> read_any_text(const YamlNode& key, const YamlNode& value,
                             std::vector<Setting>& to) const;

  Diagnostic trouble(const SourcePosition& at, std::string what, std::string what_to_do) const;

 private:
  Result<void> expand(Setting& setting) const;
  Result<std::string> variable(std::string_view inside, const SourcePosition& at) const;

  const SectionReader& reader_;
  const VariableLookup& lookup_;
};

}  // namespace heddle
