// The isolation levels that the products have.
#pragma once

#include <span>
#include <string_view>

#include "heddle/isolation.h"
#include "heddle/statement.h"

namespace heddle {

// Weakest first; empty where there is nothing to choose from.
std::span<const IsolationLevel> product_levels(Dialect dialect);

// "serializable" of "postgres:serializable"; what PostgreSQL calls repeatable read is snapshot.
std::string_view plain_level(IsolationLevel level);

}  // namespace heddle
