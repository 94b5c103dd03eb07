// heddle.yaml: what a team says once of its program, instead of on each command line.
//
//   program:
//     files: [schema.sql, src/main/java]
//     schema: postgres://me@localhost/shop
//     dialect: mysql
//     levels: {all: read-committed, Accounts.pay: serializable}
//     entries: ["*Controller.*"]
//     exclude: [src/legacy, "*.gen.java"]
//   system:                    # of services and stores that run: docs/formats/heddle-yaml.md
//     services: {shop: {address: 127.0.0.1:8080}}
//
// Here is what the file says, each word with its place; what it means decides who uses it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle {

// A text and where it stands.
struct Setting {
  std::string text;
  SourcePosition position;
};

// A level, and of which functionality.
struct LevelSetting {
  std::string functionality;  // empty: all
  Setting level;
};

// Of `schema` and `dialect` at most one; as lists, so that all keys are alike.
struct ProgramSettings {
  std::vector<Setting> files = {};
  std::vector<Setting> schema = {};
  std::vector<Setting> dialect = {};
  std::vector<LevelSetting> levels = {};
  std::vector<Setting> entries = {};
  std::vector<Setting> exclude = {};
};

// A service of a running system. As above, lists have one element or none where the file has one
// text.
struct ServiceSettings {
  Setting name;
  std::vector<Setting> address = {};
  std::vector<Setting> start = {};  // words of a command
  std::vector<Setting> health = {};
  std::vector<Setting> logs = {};
};

struct StoreSettings {
  Setting name;
  std::vector<Setting> kind = {};
  std::vector<Setting> address = {};
  std::vector<Setting> aliases = {};
  std::vector<Setting> own = {};  // the variable with heddle's own address of it
};

// A variable of the environment, and its value with {address}, {host} and {port} in it.
struct VariableSetting {
  Setting name;
  Setting value;
};

struct EdgeSettings {
  SourcePosition position;
  std::vector<Setting> caller = {};
  std::vector<Setting> callee = {};
  std::vector<Setting> listen = {};
  std::vector<Setting> database = {};
  std::vector<VariableSetting> environment = {};
  bool is_outer = false;
};

struct SystemSettings {
  SourcePosition position;  // line 0: there is no such section
  std::vector<Setting> start = {};
  std::vector<Setting> stop = {};
  std::vector<Setting> reset = {};
  std::vector<Setting> health = {};
  std::vector<Setting> rest = {};
  std::vector<ServiceSettings> services = {};
  std::vector<StoreSettings> stores = {};
  std::vector<EdgeSettings> edges = {};
};

// Fields whose values are written as placeholders, and requests whose end nobody waits for.
struct RecordSettings {
  std::vector<Setting> redact = {};
  std::vector<Setting> mask = {};
  std::vector<Setting> exempt = {};
};

struct Config {
  std::string file;
  ProgramSettings program;
  SystemSettings system = {};
  RecordSettings record = {};
};

// The value of a variable of the environment; none: it is not set.
using VariableLookup = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> environment_variable(const std::string& name);

// What it says of a program. Errors: bad_input with its place, for what is no YAML, an unknown or
// repeated key, and a value of the wrong kind. What sections of other commands hold is not looked
// at.
Result<Config> parse_config(const std::string& text, const std::string& file);

// What it says of a running system, in the same way; also a name that is not declared and a
// variable that is not set are errors: ${NAME} and ${NAME:-value} stand for variables in all texts.
Result<Config> parse_system_config(const std::string& text, const std::string& file,
                                   const VariableLookup& lookup = environment_variable);

}  // namespace heddle
