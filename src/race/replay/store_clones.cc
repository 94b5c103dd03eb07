#include "race/replay/store_clones.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "record/bypass.h"
#include "store/postgres/clone_check.h"

namespace heddle {

Result<std::unique_ptr<StoreClones>> StoreClones::take(ReplayedSystem& system, StoreStates& states,
                                                       const std::vector<std::string>& stores) {
  std::unique_ptr<StoreClones> taken(new StoreClones(system, states));
  for (const StoreSettings& store : system.config().system.stores) {
    const auto own = own_address(store);
    const bool is_chosen = std::ranges::find(stores, store.name.text) != stores.end();
    if (own && is_chosen) taken->databases_[*own].stores.push_back(store.name.text);
  }
  for (auto& [own, cloned] : taken->databases_) {
    auto clones = PostgresClones::open(own);
    if (!clones) return clones.error();
    cloned.clones = std::move(*clones);
    for (const std::string& store : cloned.stores) taken->use(store, std::nullopt);
    auto model = cloned.clones->copy(cloned.clones->original());
    if (!model) return model.error();
    cloned.model = std::move(*model);
  }
  system.watch_stores_anew();
  return taken;
}

StoreClones::~StoreClones() {
  if (!is_given_back_) static_cast<void>(give_back());
}

void StoreClones::use(const std::string& store, const std::optional<std::string>& database) {
  ended_[store] += system_.use_database(store, database);
}

EndedConnections StoreClones::give_back() {
  is_given_back_ = true;
  for (auto& [own, cloned] : databases_) {
    for (const std::string& store : cloned.stores) {
      use(store, std::nullopt);
      // What cannot be looked at now is told when it is.
      static_cast<void>(states_.look_at(store, std::nullopt));
    }
  }
  return std::exchange(ended_, {});
}

Result<EndedConnections> StoreClones::renew() {
  for (auto& [own, cloned] : databases_) {
    if (auto renewed = renew(cloned); !renewed) return renewed.error();
  }
  return std::exchange(ended_, {});
}

Result<void> StoreClones::renew(Cloned& cloned) {
  auto copy = cloned.clones->copy(cloned.model);
  if (!copy) return copy.error();
  const std::string old = std::exchange(cloned.present, *copy);
  for (const std::string& store : cloned.stores) {
    use(store, *copy);
    if (auto looked = states_.look_at(store, *copy); !looked) return looked;
    if (auto remembered = states_.remember(store); !remembered) return remembered;
  }
  if (old.empty()) return {};
  return cloned.clones->drop(old);
}

Result<void> check_clone_rights(const Config& config) {
  for (const RestoreSettings& restore : config.race.restore) {
    if (restore.way.text != "clone") continue;
    const auto store = std::ranges::find(config.system.stores, restore.part.text,
                                         [](const StoreSettings& each) { return each.name.text; });
    if (store == config.system.stores.end()) continue;
    const auto own = own_address(*store);
    if (!own) continue;  // which restore_plans() says
    auto watch = PostgresWatch::open(*own);
    if (!watch) return watch.error();
    const auto rights = watch->clone_rights();
    if (!rights) return rights.error();
    if (rights->may_create && rights->may_copy) continue;
    return Diagnostic{
        .what = fmt::format("{} cannot be cloned: {}", restore.part.text,
                            rights->may_create
                                ? fmt::format("its database is {}'s, and {} may not copy it",
                                              rights->owner, rights->user)
                                : fmt::format("{} may not create databases", rights->user)),
        .what_to_do = "give heddle's own address a user who may, or say \"rows\"",
        .file = config.file,
        .position = restore.way.position};
  }
  return {};
}

}  // namespace heddle
