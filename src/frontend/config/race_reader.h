// The section of heddle.yaml about requests that overlap.
#pragma once

#include "frontend/config/config.h"
#include "frontend/config/section_reader.h"
#include "frontend/yaml/yaml_tree.h"

namespace heddle {

Result<void> read_race(const SectionReader& reader, const VariableLookup& lookup,
                       const YamlNode& name, const YamlNode& section, RaceSection& race);

// Whether what the section says of stores and services fits to those that there are.
Result<void> check_race(const SectionReader& reader, const Config& config);

}  // namespace heddle
