// The sections of heddle.yaml that describe a running system.
#pragma once

#include <string>

#include "frontend/config/config.h"
#include "frontend/config/section_reader.h"
#include "frontend/yaml/yaml_tree.h"

namespace heddle {

Result<void> read_system(const SectionReader& reader, const VariableLookup& lookup,
                         const YamlNode& name, const YamlNode& section, SystemSettings& system);
Result<void> read_record(const SectionReader& reader, const VariableLookup& lookup,
                         const YamlNode& name, const YamlNode& section, RecordSettings& record);

}  // namespace heddle
