// What MAD (Romão, Soares, Rodrigues, Manquinho, "Automatic Design-Time Detection of Anomalies in
// Migrating Monolithic Applications to Microservices", 2025) calls the anomalies that a cut adds:
// one table, which docs/split.md shows.
#pragma once

#include <span>
#include <string_view>

#include "heddle/anomaly.h"

namespace heddle {

struct MadName {
  AnomalyKind kind;
  std::string_view name;  // empty: none is known to mean the same
};

// A row for each kind that a cycle through sub-transactions can have, the gravest first.
std::span<const MadName> mad_names();

}  // namespace heddle
