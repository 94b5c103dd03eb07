#include "frontend/config/system_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "frontend/config/expanded_texts.h"

namespace heddle {
namespace {

using Keys = std::vector<std::string>;

class SystemReader {
 public:
  SystemReader(const SectionReader& reader, const VariableLookup& lookup, SystemSettings& system)
      : reader_(reader), texts_(reader, lookup), system_(system) {}

  Result<void> read(const YamlNode& name, const YamlNode& section) {
    static const Keys kKeys = {"start", "stop",     "reset",  "health",
                               "rest",  "services", "stores", "edges"};
    system_.position = name.position;
    if (auto checked = reader_.check_map(name, section, "the section \"system\"", kKeys);
        !checked) {
      return checked;
    }
    auto read = reader_.each_entry(
        section, kKeys, "key of \"system\"",
        [this](const YamlNode& key, const YamlNode& value) { return read_key(key, value); });
    return read ? check(section) : read;
  }

 private:
  Diagnostic trouble(const SourcePosition& at, std::string what, std::string what_to_do) const {
    return texts_.trouble(at, std::move(what), std::move(what_to_do));
  }

  Result<void> read_key(const YamlNode& key, const YamlNode& value) {
    if (key.text == "start") return texts_.read_texts(key, value, system_.start);
    if (key.text == "stop") return texts_.read_texts(key, value, system_.stop);
    if (key.text == "reset") return texts_.read_texts(key, value, system_.reset);
    if (key.text == "health") return texts_.read_texts(key, value, system_.health);
    if (key.text == "rest") return texts_.read_texts(key, value, system_.rest);
    if (key.text == "edges") return read_edges(key, value);
    const bool is_service = key.text == "services";
    return reader_.each_named(key, value, is_service ? "service" : "store",
                              [&](const YamlNode& name, const YamlNode& entry) {
                                return is_service ? read_service(name, entry)
                                                  : read_store(name, entry);
                              });
  }

  Result<void> read_service(const YamlNode& name, const YamlNode& entry) {
    static const Keys kKeys = {"address", "start", "health", "logs"};
    ServiceSettings& service =
        system_.services.emplace_back(ServiceSettings{.name = {name.text, name.position}});
    if (entry.kind == YamlKind::nothing) return {};
    const std::string what = fmt::format("the service \"{}\"", name.text);
    if (auto checked = reader_.check_map(name, entry, what, kKeys); !checked) return checked;
    return reader_.each_entry(
        entry, kKeys, "key of a service", [&](const YamlNode& key, const YamlNode& value) {
          if (key.text == "address") {
            return texts_.read_text(key, value, service.address);
          }
          if (key.text == "start") {
            return texts_.read_texts(key, value, service.start);
          }
          return texts_.read_texts(key, value,
                                   key.text == "health" ? service.health : service.logs);
        });
  }

  Result<void> read_store(const YamlNode& name, const YamlNode& entry) {
    static const Keys kKeys = {"kind", "address", "aliases", "own"};
    StoreSettings& store =
        system_.stores.emplace_back(StoreSettings{.name = {name.text, name.position}});
    const std::string what = fmt::format("the store \"{}\"", name.text);
    if (auto checked = reader_.check_map(name, entry, what, kKeys); !checked) return checked;
    return reader_.each_entry(entry, kKeys, "key of a store",
                              [&](const YamlNode& key, const YamlNode& value) {
                                if (key.text == "aliases") {
                                  return texts_.read_texts(key, value, store.aliases);
                                }
                                return texts_.read_text(key, value,
                                                        key.text == "kind"      ? store.kind
                                                        : key.text == "address" ? store.address
                                                                                : store.own);
                              });
  }

  Result<void> read_edges(const YamlNode& key, const YamlNode& value) {
    constexpr std::string_view kForm =
        "write - {caller: SERVICE, callee: SERVICE or STORE, listen: 127.0.0.1:0, environment: "
        "{VARIABLE: \"http://{address}\"}}";
    if (value.kind != YamlKind::list || value.items.empty()) {
      return reader_.trouble(SectionReader::value_or(key, value), "\"edges\" needs a list of edges",
                             std::string(kForm));
    }
    for (const YamlPart& item : value.items) {
      if (item->kind != YamlKind::map) {
        return reader_.trouble(*item, "this is no edge", std::string(kForm));
      }
      if (auto read = read_edge(*item); !read) return read;
    }
    return {};
  }

  Result<void> read_edge(const YamlNode& entry) {
    static const Keys kKeys = {"caller", "callee", "listen", "database", "environment", "outer"};
    EdgeSettings& edge = system_.edges.emplace_back(EdgeSettings{.position = entry.position});
    return reader_.each_entry(entry, kKeys, "key of an edge",
                              [&](const YamlNode& key, const YamlNode& value) {
                                if (key.text == "outer")
                                  return reader_.read_flag(key, value, edge.is_outer);
                                if (key.text == "environment")
                                  return read_environment(key, value, edge);
                                return texts_.read_text(key, value,
                                                        key.text == "caller"   ? edge.caller
                                                        : key.text == "callee" ? edge.callee
                                                        : key.text == "listen" ? edge.listen
                                                                               : edge.database);
                              });
  }

  Result<void> read_environment(const YamlNode& key, const YamlNode& value, EdgeSettings& edge) {
    return reader_.each_named(
        key, value, "variable", [&](const YamlNode& name, const YamlNode& text) -> Result<void> {
          if (!names_variable(name.text)) {
            return reader_.trouble(name, fmt::format("\"{}\" is no name of a variable", name.text),
                                   "write letters, digits and _");
          }
          std::vector<Setting> values;
          if (auto read = texts_.read_any_text(name, text, values); !read) return read;
          edge.environment.push_back(
              {.name = {name.text, name.position}, .value = std::move(values.front())});
          return {};
        });
  }

  // What the parts say of each other.
  Result<void> check(const YamlNode& section) const {
    if (system_.edges.empty()) {
      return reader_.trouble(section, "the system has no edges",
                             "write edges: and below it who calls whom");
    }
    for (const StoreSettings& store : system_.stores) {
      if (auto checked = check_store(store); !checked) return checked;
    }
    std::set<std::pair<std::string, std::string>> seen;
    for (const EdgeSettings& edge : system_.edges) {
      if (auto checked = check_edge(edge); !checked) return checked;
      if (!seen.emplace(edge.caller.front().text, edge.callee.front().text).second) {
        return trouble(edge.position,
                       fmt::format("the edge from \"{}\" to \"{}\" is there twice",
                                   edge.caller.front().text, edge.callee.front().text),
                       "leave one out");
      }
    }
    return {};
  }

  Result<void> check_store(const StoreSettings& store) const {
    const std::string& name = store.name.text;
    if (std::ranges::any_of(system_.services, [&](const ServiceSettings& service) {
          return service.name.text == name;
        })) {
      return trouble(store.name.position, fmt::format("\"{}\" is the name of a service, too", name),
                     "rename one");
    }
    if (store.kind.empty() || store.kind.front().text != "postgres") {
      return trouble(store.kind.empty() ? store.name.position : store.kind.front().position,
                     store.kind.empty()
                         ? fmt::format("the store \"{}\" has no kind", name)
                         : fmt::format("heddle has no proxy for \"{}\"", store.kind.front().text),
                     "write kind: postgres");
    }
    if (!store.address.empty()) return {};
    return trouble(store.name.position, fmt::format("the store \"{}\" has no address", name),
                   "write address: HOST:PORT/DATABASE, where the services would connect to");
  }

  Result<void> check_edge(const EdgeSettings& edge) const {
    if (edge.caller.empty() || edge.callee.empty()) {
      return trouble(edge.position,
                     fmt::format("the edge has no {}", edge.caller.empty() ? "caller" : "callee"),
                     "write caller: and callee:");
    }
    Keys callees;
    for (const ServiceSettings& each : system_.services) callees.push_back(each.name.text);
    const Keys callers = callees;
    for (const StoreSettings& each : system_.stores) callees.push_back(each.name.text);
    const Setting& callee = edge.callee.front();
    if (!is_one_of(callee.text, callees)) {
      return trouble(callee.position,
                     fmt::format("no service or store is called \"{}\"", callee.text),
                     suggest_key(callee.text, callees));
    }
    const Setting& caller = edge.caller.front();
    if (!edge.is_outer && !is_one_of(caller.text, callers)) {
      return trouble(caller.position, fmt::format("no service is called \"{}\"", caller.text),
                     "write outer: true where requests come in from outside, or " +
                         suggest_key(caller.text, callers));
    }
    for (const ServiceSettings& each : system_.services) {
      if (each.name.text != callee.text || !each.address.empty()) continue;
      return trouble(
          each.name.position,
          fmt::format("the service \"{}\" is called, and has no address", each.name.text),
          "write address: HOST:PORT, where it listens");
    }
    if (edge.is_outer && !is_one_of(callee.text, callers)) {
      return trouble(callee.position, "an outer edge leads to a store",
                     "outer edges are those at which requests come in; name who asks the store "
                     "under services, without start where it is the command that is recorded");
    }
    return {};
  }

  const SectionReader& reader_;
  ExpandedTexts texts_;
  SystemSettings& system_;
};

}  // namespace

Result<void> read_system(const SectionReader& reader, const VariableLookup& lookup,
                         const YamlNode& name, const YamlNode& section, SystemSettings& system) {
  return SystemReader(reader, lookup, system).read(name, section);
}

Result<void> read_record(const SectionReader& reader, const VariableLookup& lookup,
                         const YamlNode& name, const YamlNode& section, RecordSettings& record) {
  static const Keys kKeys = {"redact", "mask", "exempt"};
  if (auto checked = reader.check_map(name, section, "the section \"record\"", kKeys); !checked) {
    return checked;
  }
  const ExpandedTexts texts(reader, lookup);
  return reader.each_entry(section, kKeys, "key of \"record\"",
                           [&](const YamlNode& key, const YamlNode& value) {
                             return texts.read_texts(key, value,
                                                     key.text == "mask"     ? record.mask
                                                     : key.text == "exempt" ? record.exempt
                                                                            : record.redact);
                           });
}

}  // namespace heddle
