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

std::vector<std::size_t> edges_to_server(const SystemSettings& system, const StoreSettings& store) {
  const std::string server = server_part(store.address.front().text);
  std::vector<std::size_t> edges;
  for (std::size_t i = 0; i < system.edges.size(); ++i) {
    const StoreSettings* const callee = store_called(system, system.edges[i].callee.front().text);
    if (callee == nullptr || server_part(callee->address.front().text) != server) continue;
    edges.push_back(i);
  }
  return edges;
}

std::set<std::uint32_t> proxied_backends(const SystemSettings& system, const StoreSettings& store,
                                         Recorder& recorder) {
  std::set<std::uint32_t> known;
  for (const std::size_t edge : edges_to_server(system, store)) {
    known.merge(recorder.backends(edge));
  }
  return known;
}

Result<std::vector<PostgresClient>> find_bypasses(const SystemSettings& system,
                                                  const StoreSettings& store, PostgresWatch& watch,
                                                  Recorder& recorder) {
  auto clients = watch.clients();
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
