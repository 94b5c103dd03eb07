#include "cli/program/invariant_file.h"

#include <utility>

#include "cli/output/output.h"
#include "frontend/spec/asked_names.h"
#include "frontend/spec/block_positions.h"
#include "frontend/spec/text/asked_relations.h"
#include "store/open/store_profiles.h"

namespace heddle {

namespace {

Result<void> check_relations(const std::vector<Invariant>& invariants, const std::string& file,
                             const Program& program, const InvariantUse& use) {
  std::vector<std::string> tables;
  for (const Table& table : program.schema.tables) {
    tables.push_back(table.schema.empty() ? table.name : table.schema + "." + table.name);
  }
  std::vector<std::string> functionalities;
  for (const Functionality& known : program.functionalities) functionalities.push_back(known.name);
  for (const Invariant& invariant : invariants) {
    for (const AskedRelation& relation : asked_relations(invariant.sql.text, use.dialect)) {
      const bool is_initial = relation.kind == AskedRelation::Kind::initial;
      if (!is_initial && !use.has_calls) {
        return Diagnostic{.what = "what a failure stops half-way is no call that was made",
                          .what_to_do = "ask about tables and initial.TABLE here",
                          .file = file,
                          .position = BlockPositions(invariant.sql).at(relation.begin),
                          .trouble = Trouble::bad_input};
      }
      auto known =
          check_asked_name(invariant.sql, relation, file, is_initial ? tables : functionalities);
      if (!known) return known.error();
    }
  }
  return {};
}

}  // namespace

Dialect dialect_of_store(const std::string& on) {
  const StoreProfile* const profile = find_store_profile(on);
  return profile == nullptr ? Dialect::postgres : profile->dialect;
}

Result<std::vector<Invariant>> read_invariants(const std::string& path, const Program& program,
                                               const InvariantUse& use) {
  const Result<std::string> text = read_input(path);
  if (!text) return text.error();
  // A spec file has a session.
  Result<Scenario> read =
      parse_scenario(*text + "\nsession s\nstep s { SELECT 1; }\n", input_name(path));
  if (!read) return read.error();
  if (!read->setups.empty() || read->sessions.size() > 1 || read->invariants.empty()) {
    return Diagnostic{.what = "this is no file of invariants",
                      .what_to_do = "write items like: invariant \"name\" { SELECT a >= 0 FROM t }",
                      .file = input_name(path),
                      .trouble = Trouble::bad_input};
  }
  auto known = check_relations(read->invariants, input_name(path), program, use);
  if (!known) return known.error();
  return std::move(read->invariants);
}

}  // namespace heddle
