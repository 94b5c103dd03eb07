// heddle.yaml: what a team says once of its program, instead of on each command line.
//
//   program:
//     files: [schema.sql, src/main/java]
//     schema: postgres://me@localhost/shop
//     dialect: mysql
//     levels: {all: read-committed, Accounts.pay: serializable}
//     entries: ["*Controller.*"]
//     exclude: [src/legacy, "*.gen.java"]
//
// Here is what the file says, each word with its place; what it means decides who uses it.
#pragma once

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

struct Config {
  std::string file;
  ProgramSettings program;
};

// Errors: bad_input with its place, for what is no YAML, an unknown or repeated key, and a value of
// the wrong kind. What sections of other commands hold is not looked at.
Result<Config> parse_config(const std::string& text, const std::string& file);

}  // namespace heddle
