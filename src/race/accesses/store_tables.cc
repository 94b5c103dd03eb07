#include "race/accesses/store_tables.h"

#include <algorithm>

namespace heddle::race {

namespace {

constexpr std::string_view kUsualSchema = "public.";

}  // namespace

StoreTables::StoreTables(const TraceCatalogue* catalogue) : catalogue_(catalogue) {
  if (catalogue == nullptr) return;
  routines_ = std::make_shared<const Routines>(*catalogue);
  for (const TraceTable& table : catalogue->tables) {
    by_name_[std::string(bare_table(table.name))].push_back(&table);
    by_number_[table.number] = &table;
  }
}

const TraceTable* StoreTables::find(std::string_view schema, std::string_view table) const {
  const auto found = by_name_.find(table);
  if (found == by_name_.end()) return nullptr;
  const std::string prefix = schema.empty() ? std::string(kUsualSchema) : std::string(schema) + ".";
  const auto named = std::ranges::find_if(
      found->second, [&](const TraceTable* each) { return each->name.starts_with(prefix); });
  if (named != found->second.end()) return *named;
  return schema.empty() && found->second.size() == 1 ? found->second.front() : nullptr;
}

const TraceTable* StoreTables::find(std::uint32_t number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : found->second;
}

std::vector<const Routine*> StoreTables::routines_named(std::string_view name) const {
  return routines_ ? routines_->named(name) : std::vector<const Routine*>{};
}

std::string shown_table(std::string_view name) {
  if (name.starts_with(kUsualSchema)) name.remove_prefix(kUsualSchema.size());
  return std::string(name);
}

std::string_view bare_table(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == name.npos ? name : name.substr(dot + 1);
}

bool has_column(const TraceTable& table, std::string_view column) {
  return std::ranges::any_of(table.columns,
                             [&](const auto& each) { return each.second == column; });
}

}  // namespace heddle::race
