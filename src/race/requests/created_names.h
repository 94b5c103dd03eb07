// Names that clients choose for what they create: users, accounts, keys of idempotency.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "race/requests/row_uses.h"
#include "race/requests/value_links.h"

namespace heddle {

// A value that the client chose and that a request stored as something new.
struct CreatedName {
  std::uint64_t unit = 0;  // the request
  std::string value;

  friend bool operator==(const CreatedName&, const CreatedName&) = default;
};

// The values of inserted rows that nobody would write by chance or that are of a unique key, and
// that stood in a request first and in no row before; and the values of headers like
// Idempotency-Key. `uses`: by the request from outside. By unit, then value.
std::vector<CreatedName> find_created_names(
    const std::map<std::uint64_t, ReadRequest>& requests,
    const std::map<std::uint64_t, std::vector<RowUse>>& uses,
    const std::map<std::pair<std::string, std::string>, TableKeys>& keys);

}  // namespace heddle
