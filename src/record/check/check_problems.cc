#include "record/check/check_problems.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle {
namespace {

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

class ProblemFinder {
 public:
  ProblemFinder(const Config& config, const RecordCheck& check)
      : system_(config.system), check_(check) {}

  std::vector<CheckProblem> find() {
    look_at_health();
    for (const std::string& name : check_.silent) add_silent(name);
    for (std::size_t i = 0; i < check_.edges.size(); ++i) {
      look_at_edge(system_.edges[i], check_.edges[i]);
    }
    for (const StoreCheck& store : check_.stores) look_at_store(store);
    for (const std::string& each : check_.called_directly) add_called(each);
    for (const AddressCheck& each : check_.addresses) add_address(each);
    std::ranges::stable_sort(problems_, {}, [](const CheckProblem& each) {
      return std::pair(each.position.line, each.position.column);
    });
    return std::move(problems_);
  }

 private:
  void add(const SourcePosition& position, std::string what, std::string what_to_do) {
    problems_.push_back({position, std::move(what), std::move(what_to_do)});
  }

  const ServiceSettings* service_called(const std::string& name) const {
    const auto found = std::ranges::find(system_.services, name,
                                         [](const ServiceSettings& one) { return one.name.text; });
    return found == system_.services.end() ? nullptr : &*found;
  }

  const StoreSettings* store_called(const std::string& name) const {
    const auto found = std::ranges::find(system_.stores, name,
                                         [](const StoreSettings& one) { return one.name.text; });
    return found == system_.stores.end() ? nullptr : &*found;
  }

  // Whether the service or store has connections past the proxies.
  bool is_used_directly(const std::string& name) const {
    return std::ranges::find(check_.called_directly, name) != check_.called_directly.end() ||
           std::ranges::any_of(check_.stores, [&](const StoreCheck& each) {
             return each.name == name && each.is_bypassed();
           });
  }

  void look_at_health() {
    const bool has_any = !system_.health.empty() ||
                         std::ranges::any_of(system_.services, [](const ServiceSettings& one) {
                           return !one.health.empty();
                         });
    if (!has_any) {
      add(system_.position, "there is no health check: heddle only waits until somebody listens",
          "write health: [\"http://HOST:PORT/PATH\"] or the words of a command, below \"system\" "
          "or "
          "a service");
    }
    if (check_.not_healthy.empty()) return;
    const SourcePosition at = position_of_unhealthy();
    add(at, check_.not_healthy,
        "look at what it has written (below), and whether the check here asks for what is there; "
        "--health-timeout gives it more time");
  }

  // Which service it was stands at the beginning of the message.
  SourcePosition position_of_unhealthy() const {
    for (const ServiceSettings& each : system_.services) {
      if (!check_.not_healthy.starts_with(each.name.text + " ")) continue;
      if (!each.health.empty()) return each.health.front().position;
      return each.address.empty() ? each.name.position : each.address.front().position;
    }
    return system_.health.empty() ? system_.position : system_.health.front().position;
  }

  void add_silent(const std::string& name) {
    const ServiceSettings* const service = service_called(name);
    const Setting& address =
        service != nullptr ? service->address.front() : store_called(name)->address.front();
    add(address.position,
        fmt::format("nobody listens at {}, the address of {}", address.text, name),
        fmt::format("write where {} listens, or have it started", name));
  }

  static std::string variables_of(const EdgeSettings& edge) {
    std::vector<std::string> names;
    for (const VariableSetting& each : edge.environment) names.push_back(each.name.text);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void look_at_edge(const EdgeSettings& settings, const EdgeCheck& edge) {
    const std::string name = fmt::format("{}>{}", edge.edge.caller, edge.edge.callee);
    if (edge.units == 0) add_unused(settings, edge, name);
    if (edge.passed_on < edge.caused) {
      add(settings.position,
          fmt::format("{}: {} of {} named the trace that {} was asked with", name,
                      edge.passed_on == 0 ? "none" : std::to_string(edge.passed_on),
                      plural(edge.caused, "request"), edge.edge.caller),
          fmt::format("have {} pass on the header traceparent; else what it asks for is unsure "
                      "where it has several requests open, unless you record with --serial",
                      edge.edge.caller));
    }
    if (edge.edge.is_store && edge.most_connections == 1 && edge.most_requests > 1) {
      add(settings.position,
          fmt::format("{}: one connection, while {} had {} open at once", name, edge.edge.caller,
                      plural(edge.most_requests, "request")),
          fmt::format("give {} a larger pool: with one connection its transactions come one after "
                      "the other, and races between them cannot be seen",
                      edge.edge.caller));
    }
  }

  void add_unused(const EdgeSettings& settings, const EdgeCheck& edge, const std::string& name) {
    if (!check_.not_healthy.empty()) return;
    const SourcePosition at =
        settings.environment.empty() ? settings.position : settings.environment[0].name.position;
    const std::string who = edge.edge.is_outer ? "whoever sends requests there" : edge.edge.caller;
    std::string look = fmt::format("look whether {} reads {}", who, variables_of(settings));
    if (settings.environment.empty()) {
      look = fmt::format(
          "write environment: {{VARIABLE: \"...{{address}}...\"}} with the variable "
          "by which {} finds {}",
          who, edge.edge.callee);
    }
    std::string what = fmt::format("nothing came through {}", name);
    if (is_used_directly(edge.edge.callee)) {
      add(at, fmt::format("{}, while {} has connections past it", what, edge.edge.callee), look);
    } else if (check_.has_command) {
      add(at, what, fmt::format("{}, and whether the command has it used at all", look));
    } else {
      add(at, what,
          fmt::format("give a command that has it used, heddle record --check -- COMMAND; or {}",
                      look));
    }
  }

  // What to do about a callee that somebody uses past heddle: the caller of an edge through which
  // nothing came is the likely one.
  std::string advice_on_direct_use(const std::string& callee) const {
    for (const EdgeCheck& each : check_.edges) {
      if (each.edge.callee != callee || each.units > 0) continue;
      return fmt::format(
          "it may be {}, since nothing came through {}>{}; what it does is not "
          "recorded",
          each.edge.caller, each.edge.caller, callee);
    }
    return fmt::format(
        "have whoever that is connect to an edge, here one with callee: {} and the "
        "variable that it reads; what it does is not recorded",
        callee);
  }

  void look_at_store(const StoreCheck& store) {
    for (const BypassCheck& each : store.bypasses) {
      add(store_called(store.name)->name.position,
          fmt::format("{} is bypassed: {}", store.name, bypass_text(each)),
          advice_on_direct_use(store.name));
    }
    if (store.unseen > 0) {
      add(store_called(store.name)->name.position,
          fmt::format("{} is bypassed: {}", store.name, unseen_text(store.unseen)),
          advice_on_direct_use(store.name));
    }
  }

  void add_called(const std::string& name) {
    add(service_called(name)->name.position,
        fmt::format("{} is called past heddle by somebody on this machine", name),
        advice_on_direct_use(name));
  }

  void add_address(const AddressCheck& address) {
    const ServiceSettings* const service = service_called(address.owner);
    const SourcePosition at =
        service != nullptr ? service->name.position : store_called(address.owner)->name.position;
    add(at,
        fmt::format("{} of {} answers with {}, an address of {}, in {}", address.endpoint,
                    address.edge, address.address, address.owner, address.where),
        fmt::format("have it answer with a relative address, or one made of the request's Host: "
                    "clients that follow it go past heddle to {}",
                    address.owner));
  }

  const SystemSettings& system_;
  const RecordCheck& check_;
  std::vector<CheckProblem> problems_;
};

}  // namespace

std::string bypass_text(const BypassCheck& bypass) {
  std::string text =
      fmt::format("{} of user {}", plural(bypass.connections, "connection"), bypass.user);
  if (!bypass.application.empty()) text += fmt::format(", {}", bypass.application);
  return text +
         (bypass.address.empty() ? ", by a socket" : fmt::format(", from {}", bypass.address));
}

std::string unseen_text(std::uint64_t connections) {
  return fmt::format("{} that ended before heddle could see whose",
                     plural(connections, "connection"));
}

std::vector<CheckProblem> find_problems(const Config& config, const RecordCheck& check) {
  return ProblemFinder(config, check).find();
}

}  // namespace heddle
