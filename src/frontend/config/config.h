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
//   race:                      # what is known of requests that overlap
//     benign: [GET /news]
//
// Here is what the file says, each word with its place; what it means decides who uses it.
#pragma once

#include <cstdint>
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
  std::vector<Setting> refusals = {};
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

// What holds whatever requests overlap: all values that the query returns are true.
struct InvariantSettings {
  SourcePosition position;
  std::vector<Setting> name = {};
  std::vector<Setting> store = {};
  std::vector<Setting> sql = {};
};

// Statements that take a lock of the team's own and give it back, as patterns.
struct LockSettings {
  SourcePosition position;
  std::vector<Setting> acquire = {};
  std::vector<Setting> release = {};
};

// How a store or a service gets back to where it was.
struct RestoreSettings {
  Setting part;
  Setting way;  // clone, rows, restart, fresh
};

// Where a value that no trace has comes from: exactly one of these.
struct SecretSettings {
  Setting field;
  std::vector<Setting> value = {};
  std::vector<Setting> environment = {};  // the name of a variable
  std::vector<Setting> file = {};
  std::vector<Setting> command = {};  // its words
};

// What a field of an answer has to be: one of these, or within the bounds.
struct ExpectSettings {
  SourcePosition position;
  std::vector<Setting> endpoint = {};
  std::vector<Setting> field = {};  // a JSON pointer, or "status"
  std::vector<Setting> one_of = {};
  std::vector<Setting> least = {};
  std::vector<Setting> most = {};
};

struct RaceSection {
  SourcePosition position;  // line 0: there is no such section
  std::vector<Setting> benign = {};
  std::vector<InvariantSettings> invariants = {};
  std::vector<LockSettings> locks = {};
  std::vector<Setting> async = {};
  std::vector<Setting> identities = {};
  std::vector<RestoreSettings> restore = {};
  std::vector<SecretSettings> token = {};  // what stands behind the scheme of Authorization
  std::vector<SecretSettings> secrets = {};
  std::vector<ExpectSettings> expect = {};
  bool is_replay_allowed = false;             // also where a part is not at loopback
  std::optional<std::uint32_t> hold_ms = {};  // a statement is held no longer
  std::optional<std::uint64_t> budget = {};   // runs per candidate
};

struct Config {
  std::string file;
  ProgramSettings program;
  SystemSettings system = {};
  RecordSettings record = {};
  RaceSection race = {};
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

// What it says of a running system and of its races, in the same way.
Result<Config> parse_race_config(const std::string& text, const std::string& file,
                                 const VariableLookup& lookup = environment_variable);

}  // namespace heddle
