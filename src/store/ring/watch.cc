#include "store/ring/watch.h"

#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace {

// By their keys; equal rows of a table without a key are told apart by number.
std::map<std::string, WatchedRow> by_name(const std::vector<WatchedRow>& rows) {
  std::map<std::string, WatchedRow> named;
  for (const WatchedRow& row : rows) {
    std::string name = row.key.empty() ? row.text : "";
    for (const Cell& cell : row.key) name += cell ? fmt::format("{}:{}", cell->size(), *cell) : "-";
    std::string unique = name;
    for (int copy = 2; named.contains(unique); ++copy) unique = fmt::format("{}#{}", name, copy);
    named.emplace(std::move(unique), row);
  }
  return named;
}

}  // namespace

std::vector<WatchedRow> RingWatch::merge(const std::string& table,
                                         const std::array<std::vector<WatchedRow>, kRingSize>& rows,
                                         const std::array<bool, kRingSize>& delivered) {
  const auto [entry, is_new] = tables_.try_emplace(table);
  Table& state = entry->second;
  if (is_new) state.last = by_name(rows[0]);
  for (std::size_t server = 0; server < kRingSize; ++server) {
    const Rows now = by_name(rows[server]);
    const Rows before = std::exchange(state.known[server], now);
    if (is_new || delivered[server]) continue;
    for (const auto& [name, row] : now) {
      const auto known = before.find(name);
      if (known == before.end() || known->second.text != row.text) state.last[name] = row;
    }
    for (const auto& [name, row] : before) {
      if (!now.contains(name)) state.last.erase(name);
    }
  }
  std::vector<WatchedRow> merged;
  for (const auto& [name, row] : state.last) merged.push_back(row);
  return merged;
}

}  // namespace heddle
