#include "race/accesses/routines.h"

#include <algorithm>
#include <set>

namespace heddle::race {
namespace {

Routine read_routine(const TraceFunction& function, bool is_trigger) {
  Routine routine{.function = &function};
  if (function.language == "plpgsql") {
    routine.text = read_plpgsql(function.body, is_trigger);
  } else if (function.language == "sql") {
    routine.text.statements = {function.body};
  }
  routine.is_whole = !function.body.empty() && routine.text.is_whole;
  for (const std::string& statement : routine.text.statements) {
    routine.parsed.push_back(parse_text(statement));
  }
  return routine;
}

}  // namespace

Routines::Routines(const TraceCatalogue& catalogue) {
  std::set<std::string_view> of_triggers;
  for (const TraceTable& table : catalogue.tables) {
    for (const TraceTrigger& each : table.triggers) of_triggers.insert(each.function);
  }
  all_.reserve(catalogue.functions.size());
  for (const TraceFunction& each : catalogue.functions) {
    all_.push_back(read_routine(each, of_triggers.contains(each.name)));
    const std::string_view name = each.name;
    by_name_[each.name].push_back(&all_.back());
    const std::size_t dot = name.find('.');
    if (dot != name.npos) by_name_[std::string(name.substr(dot + 1))].push_back(&all_.back());
  }
}

std::vector<const Routine*> Routines::named(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::vector<const Routine*>{} : found->second;
}

}  // namespace heddle::race
