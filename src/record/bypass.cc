#include "record/bypass.h"

#include <thread>

#include "record/system_edges.h"

namespace heddle {
namespace {

const StoreSettings* store_called(const SystemSettings& system, const std::string& name) {
  for (const StoreSettings& store : system.stores) {
    if (store.name.text == name) return &store;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> own_address(const StoreSettings& store) {
  if (store.own.empty()) return std::nullopt;
  if (store.own.front().text.find("://") != std::string::npos) return store.own.front().text;
  auto address = environment_variable(store.own.front().text);
  if (address && address->empty()) return std::nullopt;
  return address;
}

std::set<std::uint32_t> proxied_backends(const SystemSettings& system, const StoreSettings& store,
                                         Recorder& recorder) {
  const std::string server = server_part(store.address.front().text);
  std::set<std::uint32_t> known;
  for (std::size_t i = 0; i < system.edges.size(); ++i) {
    const StoreSettings* const callee = store_called(system, system.edges[i].callee.front().text);
    if (callee == nullptr || server_part(callee->address.front().text) != server) continue;
    known.merge(recorder.backends(i));
  }
  return known;
}

Result<std::vector<PostgresClient>> find_bypasses(const SystemSettings& system,
                                                  const StoreSettings& store,
                                                  const std::string& own, Recorder& recorder) {
  auto watch = PostgresWatch::open(own);
  if (!watch) return watch.error();
  auto clients = watch->clients();
  if (!clients) return clients.error();
  const auto forget_known = [&] {
    const auto known = proxied_backends(system, store, recorder);
    std::erase_if(*clients,
                  [&](const PostgresClient& each) { return known.contains(each.backend); });
  };
  forget_known();
  if (!clients->empty()) {
    std::this_thread::sleep_for(kUntilNumbered);
    forget_known();
  }
  return clients;
}

}  // namespace heddle
