#include "record/system_edges.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace heddle {
namespace {

// In place of {address}, {host} and {port}.
std::string filled(const std::string& text, const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const std::pair<std::string_view, std::string> values[] = {
      {"{address}", address},
      {"{host}", address.substr(0, colon)},
      {"{port}", colon == address.npos ? "" : address.substr(colon + 1)}};
  std::string result = text;
  for (const auto& [name, value] : values) {
    for (std::size_t at = result.find(name); at != result.npos;
         at = result.find(name, at + value.size())) {
      result.replace(at, name.size(), value);
    }
  }
  return result;
}

Diagnostic at_setting(Diagnostic trouble, const Config& config, const Setting& setting) {
  trouble.file = config.file;
  trouble.position = setting.position;
  return trouble;
}

const StoreSettings* find_store(const SystemSettings& system, const std::string& name) {
  const auto found = std::ranges::find(system.stores, name,
                                       [](const StoreSettings& each) { return each.name.text; });
  return found == system.stores.end() ? nullptr : &*found;
}

const Setting& callee_address(const SystemSettings& system, const std::string& name) {
  if (const StoreSettings* const store = find_store(system, name)) return store->address.front();
  return std::ranges::find(system.services, name,
                           [](const ServiceSettings& each) { return each.name.text; })
      ->address.front();
}

// Whether heddle starts the caller, by itself or with the whole system.
bool is_started(const SystemSettings& system, const EdgeSettings& edge) {
  if (!system.start.empty()) return true;
  return std::ranges::any_of(system.services, [&](const ServiceSettings& each) {
    return each.name.text == edge.caller.front().text && !each.start.empty();
  });
}

Result<ProxiedEdge> open_edge(const Config& config, const EdgeSettings& settings) {
  const std::string& callee = settings.callee.front().text;
  const Setting& address = callee_address(config.system, callee);
  auto target = SocketTarget::find(server_part(address.text));
  if (!target) return at_setting(target.error(), config, address);
  const Setting listen =
      settings.listen.empty() ? Setting{kLoopback, settings.position} : settings.listen.front();
  auto listener = SocketListener::open(listen.text);
  if (!listener) return at_setting(listener.error(), config, listen);
  const bool is_store = find_store(config.system, callee) != nullptr;
  ProxyEdge edge{.caller = settings.caller.front().text,
                 .callee = callee,
                 .protocol = is_store ? EdgeProtocol::postgres : EdgeProtocol::http,
                 .is_outer = settings.is_outer,
                 .target = std::move(*target)};
  if (!settings.database.empty()) edge.database = settings.database.front().text;
  return ProxiedEdge{.edge = std::move(edge), .listener = std::move(*listener)};
}

}  // namespace

std::string server_part(const std::string& address) {
  if (address.starts_with('/')) return address;
  const std::size_t scheme = address.find("://");
  const std::string rest = scheme == address.npos ? address : address.substr(scheme + 3);
  std::string server = rest.substr(0, rest.find('/'));
  const bool has_port = server.rfind(':') != server.npos && !server.ends_with(']');
  if (scheme != address.npos && !has_port) {
    return server + (address.starts_with("postgres") ? ":5432" : ":80");
  }
  return server;
}

Result<std::vector<ProxiedEdge>> open_edges(const Config& config) {
  std::vector<ProxiedEdge> edges;
  for (const EdgeSettings& each : config.system.edges) {
    auto edge = open_edge(config, each);
    if (!edge) return edge.error();
    edges.push_back(std::move(*edge));
  }
  return edges;
}

std::vector<TraceEdge> trace_edges(const SystemSettings& system) {
  std::vector<TraceEdge> edges;
  for (const EdgeSettings& each : system.edges) {
    edges.push_back({.caller = each.caller.front().text,
                     .callee = each.callee.front().text,
                     .is_store = find_store(system, each.callee.front().text) != nullptr,
                     .is_outer = each.is_outer});
  }
  return edges;
}

std::vector<std::string> edge_environment(const Config& config,
                                          const std::vector<std::string>& addresses,
                                          EdgeChoice choice, const std::string& caller) {
  std::vector<std::string> variables;
  for (std::size_t i = 0; i < config.system.edges.size(); ++i) {
    const EdgeSettings& edge = config.system.edges[i];
    if (choice == EdgeChoice::command && !edge.is_outer && is_started(config.system, edge))
      continue;
    if (choice == EdgeChoice::caller && edge.caller.front().text != caller) continue;
    for (const VariableSetting& each : edge.environment) {
      variables.push_back(each.name.text + "=" + filled(each.value.text, addresses[i]));
    }
  }
  return variables;
}

}  // namespace heddle
