#include "record/check/store_check.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "record/bypass.h"

namespace heddle {
namespace {

void count_bypass(StoreCheck& check, const PostgresClient& client) {
  for (BypassCheck& each : check.bypasses) {
    if (each.user == client.user && each.application == client.application &&
        each.address == client.address) {
      ++each.connections;
      return;
    }
  }
  check.bypasses.push_back({.user = client.user,
                            .application = client.application,
                            .address = client.address,
                            .connections = 1});
}

// Nobody may be connected meanwhile, so a system that runs is left alone.
void measure_clone(const std::string& own, bool is_stopped, CloneCheck& clone) {
  if (!is_stopped) {
    clone.why_not_measured = "heddle has not started the system, and does not stop it for that";
    return;
  }
  auto watch = PostgresWatch::open(own);
  if (!watch) {
    clone.why_not_measured = "its server has ended with the system";
    return;
  }
  const auto clients = watch->clients();
  if (clients && !clients->empty()) {
    clone.why_not_measured = fmt::format("{} connection{} open", clients->size(),
                                         clients->size() == 1 ? " is" : "s are");
    return;
  }
  if (auto took = measure_postgres_clone(own)) {
    clone.took = *took;
  } else {
    clone.why_not_measured = took.error().what;
  }
}

}  // namespace

StoreChecks::StoreChecks(const SystemSettings& system) : system_(system) {
  for (const StoreSettings& settings : system.stores) {
    StoreCheck check{.name = settings.name.text};
    if (!settings.own.empty()) check.own = settings.own.front().text;
    const auto own = own_address(settings);
    check.is_known = own.has_value();
    stores_.push_back({.settings = &settings, .own = own.value_or("")});
    checks_.push_back(std::move(check));
  }
}

void StoreChecks::look(Recorder& recorder) {
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    if (checks_[i].is_known) look_at(stores_[i], checks_[i], recorder);
  }
}

void StoreChecks::look_at(Store& store, StoreCheck& check, Recorder& recorder) {
  check.trouble.clear();
  if (!store.watch) {
    if (auto opened = open(store, recorder); !opened) {
      check.trouble = opened.error().what;
      return;
    }
  }
  const auto clients = store.watch->clients();
  if (!clients) {
    check.trouble = clients.error().what;
    store.watch.reset();
    return;
  }
  const auto now = Clock::now();
  for (const PostgresClient& client : *clients) {
    if (!store.counted.contains(client.backend)) {
      store.strange.try_emplace(client.backend, Strange{.client = client, .since = now});
    }
  }
  const auto known = proxied_backends(system_, *store.settings, recorder);
  std::erase_if(store.strange, [&](const auto& each) {
    const auto& [backend, strange] = each;
    if (known.contains(backend)) return true;
    if (now - strange.since < kUntilNumbered) return false;
    if (store.counted.insert(backend).second) count_bypass(check, strange.client);
    return true;
  });
}

Result<void> StoreChecks::open(Store& store, Recorder& recorder) const {
  auto watch = PostgresWatch::open(store.own);
  if (!watch) return watch.error();
  if (store.sessions) {
    store.sessions->watched_again(*watch);
  } else {
    auto sessions = SessionCount::begin(*watch, system_, *store.settings, recorder);
    if (!sessions) return sessions.error();
    store.sessions = std::move(*sessions);
  }
  store.watch = std::move(*watch);
  return {};
}

Result<void> StoreChecks::finish_looking_at(Store& store, StoreCheck& check) const {
  const auto rights = store.watch->clone_rights();
  if (!rights) return rights.error();
  check.clone = CloneCheck{.user = rights->user,
                           .owner = rights->owner,
                           .may_create = rights->may_create,
                           .may_copy = rights->may_copy,
                           .bytes = rights->bytes};
  const auto past = store.sessions->past_proxies(*store.watch);
  if (!past) return past.error();
  const auto seen =
      static_cast<std::uint64_t>(std::ranges::count_if(store.counted, [&](std::uint32_t backend) {
        return !store.sessions->connected().contains(backend);
      }));
  check.unseen = std::max(past->value_or(0), seen) - seen;
  return {};
}

void StoreChecks::finish_looking(Recorder& recorder) {
  look(recorder);
  if (std::ranges::any_of(stores_, [](const Store& store) { return !store.strange.empty(); })) {
    std::this_thread::sleep_for(kUntilNumbered);
    look(recorder);
  }
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    if (!stores_[i].watch) continue;
    const auto finished = finish_looking_at(stores_[i], checks_[i]);
    if (!finished) checks_[i].trouble = finished.error().what;
    stores_[i].watch.reset();
  }
}

void StoreChecks::measure_clones(bool is_stopped) {
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    std::optional<CloneCheck>& clone = checks_[i].clone;
    if (clone && clone->is_possible()) measure_clone(stores_[i].own, is_stopped, *clone);
  }
}

}  // namespace heddle
