#include "frontend/spec/asked_names.h"

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/block_positions.h"

namespace heddle {

Result<void> check_asked_name(const SqlBlock& block, const AskedRelation& relation,
                              const std::string& file, const std::vector<std::string>& names) {
  const std::vector<std::size_t> meant = meant_by(relation.name, names);
  if (meant.size() == 1) return {};
  const bool is_initial = relation.kind == AskedRelation::Kind::initial;
  Diagnostic trouble{
      .what = is_initial
                  ? fmt::format("there is no table \"{}\" at the beginning", relation.name)
                  : fmt::format("there is no functionality \"{}\" to be called", relation.name),
      .what_to_do =
          advise_names(relation.name, names,
                       is_initial ? "name one of the tables" : "name one of the program's"),
      .file = file,
      .position = BlockPositions(block).at(relation.begin),
      .trouble = Trouble::bad_input};
  if (names.empty()) {
    trouble.what_to_do = is_initial ? "make it in a setup block" : "a program is what has some";
  }
  if (meant.size() > 1) {
    trouble.what =
        fmt::format("\"{}\" may be {} or {}", relation.name, names[meant[0]], names[meant[1]]);
    trouble.what_to_do = fmt::format("write the whole name in quotes: {}.\"{}\"",
                                     is_initial ? "initial" : "calls", names[meant[0]]);
  }
  return trouble;
}

}  // namespace heddle
