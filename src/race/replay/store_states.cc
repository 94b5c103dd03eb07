#include "race/replay/store_states.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "record/bypass.h"
#include "store/postgres/address.h"

namespace heddle {
namespace {

bool is_true(const Cell& cell) { return cell && (*cell == "t" || *cell == "true"); }

}  // namespace

Result<StoreStates> StoreStates::open(const Config& config) {
  StoreStates states(config);
  for (const StoreSettings& store : config.system.stores) {
    const auto own = own_address(store);
    if (!own) {
      states.unseen_.push_back(store.name.text);
      continue;
    }
    auto state = PostgresState::open(*own);
    if (!state) {
      Diagnostic trouble = state.error();
      trouble.what = store.name.text + ": " + trouble.what;
      return trouble;
    }
    states.stores_.push_back({.name = store.name.text, .own = *own, .state = std::move(*state)});
  }
  return states;
}

Result<std::vector<ObservedStore>> StoreStates::read() {
  std::vector<ObservedStore> stores;
  for (Store& store : stores_) {
    auto contents = store.state.read();
    if (!contents) return contents.error();
    stores.push_back({.name = store.name, .tables = std::move(contents->tables)});
  }
  return stores;
}

std::vector<std::string> StoreStates::seen() const {
  std::vector<std::string> names;
  for (const Store& store : stores_) names.push_back(store.name);
  return names;
}

StoreStates::Store* StoreStates::find(const std::string& name) {
  const auto found = std::ranges::find(stores_, name, &Store::name);
  return found == stores_.end() ? nullptr : &*found;
}

Result<void> StoreStates::open(Store& store) {
  std::string address = store.own;
  if (store.database) {
    auto parameters = parse_postgres_address(store.own);
    if (!parameters) return parameters.error();
    (*parameters)["dbname"] = *store.database;
    address = to_conninfo(*parameters);
  }
  auto state = PostgresState::open(address);
  if (!state) {
    Diagnostic trouble = state.error();
    trouble.what = store.name + ": " + trouble.what;
    return trouble;
  }
  store.state = std::move(*state);
  store.is_remembered = false;
  return {};
}

Result<void> StoreStates::look_at(const std::string& store,
                                  const std::optional<std::string>& database) {
  Store* const found = find(store);
  if (found == nullptr) return {};
  found->database = database;
  return open(*found);
}

Result<void> StoreStates::look_again() {
  for (Store& store : stores_) {
    if (store.state.read()) continue;
    if (auto opened = open(store); !opened) return opened;
  }
  return {};
}

Result<void> StoreStates::remember() {
  for (Store& store : stores_) {
    if (auto remembered = remember(store.name); !remembered) return remembered;
  }
  return {};
}

Result<void> StoreStates::remember(const std::string& store) {
  Store* const found = find(store);
  if (found == nullptr) return {};
  auto remembered = found->state.remember();
  found->is_remembered = remembered.has_value();
  return remembered;
}

Result<bool> StoreStates::put_back(const std::vector<std::string>& stores) {
  bool is_whole = true;
  for (Store& store : stores_) {
    if (std::ranges::find(stores, store.name) == stores.end()) continue;
    if (!store.is_remembered) {
      return Diagnostic{.what = store.name + " was started again, and its rows are not known",
                        .trouble = Trouble::environment};
    }
    auto back = store.state.put_back();
    if (!back) {
      Diagnostic trouble = back.error();
      trouble.what = store.name + ": " + trouble.what;
      return trouble;
    }
    is_whole = is_whole && *back;
  }
  return is_whole;
}

Result<std::vector<BrokenInvariant>> StoreStates::broken_invariants() {
  std::vector<BrokenInvariant> broken;
  for (const InvariantSettings& invariant : config_->race.invariants) {
    const auto store = std::ranges::find(stores_, invariant.store.front().text, &Store::name);
    if (store == stores_.end()) continue;
    auto found = store->state.ask(invariant.sql.front().text);
    if (!found) {
      return Diagnostic{.what = fmt::format("the invariant \"{}\" cannot be asked: {}",
                                            invariant.name.front().text, found.error().what),
                        .what_to_do = "mend its query",
                        .file = config_->file,
                        .position = invariant.sql.front().position};
    }
    BrokenInvariant violated{.name = invariant.name.front().text};
    for (const Column& column : found->columns) violated.columns.push_back(column.name);
    for (Row& row : found->rows) {
      if (!std::ranges::all_of(row, is_true)) violated.rows.push_back(std::move(row));
    }
    if (!violated.rows.empty()) broken.push_back(std::move(violated));
  }
  return broken;
}

}  // namespace heddle
