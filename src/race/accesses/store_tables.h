// The tables of one store by name and number, as the trace's catalogue has them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/trace.h"
#include "race/accesses/routines.h"

namespace heddle::race {

class StoreTables {
 public:
  StoreTables() = default;
  // Keeps a pointer. Null: the store has no catalogue.
  explicit StoreTables(const TraceCatalogue* catalogue);

  bool has_catalogue() const { return catalogue_ != nullptr; }
  const TraceCatalogue* catalogue() const { return catalogue_; }
  // Null: there is none, or several schemas have one and none is named.
  const TraceTable* find(std::string_view schema, std::string_view table) const;
  const TraceTable* find(std::uint32_t number) const;
  // Those of the name, with its schema or without.
  std::vector<const Routine*> routines_named(std::string_view name) const;

 private:
  const TraceCatalogue* catalogue_ = nullptr;
  std::map<std::string, std::vector<const TraceTable*>, std::less<>> by_name_;  // without schema
  std::map<std::uint32_t, const TraceTable*> by_number_;
  std::shared_ptr<const Routines> routines_;
};

// "seats" of "public.seats"; other schemas stay.
std::string shown_table(std::string_view name);
// What follows the schema.
std::string_view bare_table(std::string_view name);
bool has_column(const TraceTable& table, std::string_view column);

}  // namespace heddle::race
