#include "cli/program/invariant_file.h"

#include <utility>

#include "cli/output/output.h"

namespace heddle {

Result<std::vector<Invariant>> read_invariants(const std::string& path) {
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
  return std::move(read->invariants);
}

}  // namespace heddle
