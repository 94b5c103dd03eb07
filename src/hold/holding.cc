#include "hold/holding.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "store/postgres/address.h"
#include "stream/stream_socket.h"

namespace heddle {
namespace {

std::string meeting_line(const MeetingPlan& plan, const MeetingCounts& counts) {
  std::string line =
      fmt::format("{}: met {} time{}", plan.text, counts.met, counts.met == 1 ? "" : "s");
  if (counts.kept_out > 0) {
    line += fmt::format(", {} time{} one waited in the database for another that was there",
                        counts.kept_out, counts.kept_out == 1 ? "" : "s");
  }
  if (counts.missed > 0) {
    line += fmt::format(", {} time{} not all came within the bound", counts.missed,
                        counts.missed == 1 ? "" : "s");
  }
  return line + "\n";
}

std::string_view state_text(StatedOrder::State state) {
  switch (state) {
    case StatedOrder::State::missing:
      return "did not come";
    case StatedOrder::State::held:
      return "was held until the bound";
    case StatedOrder::State::running:
      return "was not answered";
    case StatedOrder::State::waits:
      return "waited in the database";
    case StatedOrder::State::answered:
      break;
  }
  return "was answered";
}

}  // namespace

// Keeps nothing but what the user has to know.
class Holding::Observer : public ProxyObserver {
 public:
  void connection_opened(ProxiedConnection, ProxyTime) override {}
  void connection_named(ProxiedConnection, const std::map<std::string, std::string>&) override {}
  void connection_numbered(ProxiedConnection, std::uint32_t) override {}
  void connection_closed(ProxiedConnection, ProxyTime) override {}
  void statement_arrived(ProxiedConnection, const postgres::WireUnit&, ProxyTime) override {}
  void statement_answered(ProxiedConnection, postgres::WireUnit, UnitTimes) override {}
  void request_arrived(ProxiedConnection, std::uint64_t, const HttpHead&, const std::string&,
                       ProxyTime) override {}
  void request_exempt(ProxiedConnection, std::uint64_t) override {}
  void request_answered(ProxiedConnection, HttpExchange) override {}
  void remark(std::size_t, std::string text) override {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(remarks_, text) == remarks_.end()) remarks_.push_back(std::move(text));
  }

  std::vector<std::string> remarks() {
    const std::scoped_lock lock(mutex_);
    return remarks_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> remarks_;  // guarded by mutex_
};

Holding::Holding(HoldPlan plan)
    : controller_(std::move(plan)), observer_(std::make_unique<Observer>()) {}

Holding::~Holding() {
  watch_.reset();
  proxies_.reset();
}

Result<std::unique_ptr<Holding>> Holding::open(const std::string& on, HoldPlan plan) {
  const auto parameters = parse_postgres_address(on);
  if (!parameters) return parameters.error();
  auto target = SocketTarget::find(server_of(*parameters));
  if (!target) return target.error();
  auto listener = SocketListener::open(kLoopback);
  if (!listener) return listener.error();
  std::unique_ptr<Holding> holding(new Holding(std::move(plan)));
  holding->url_ = url_of(*parameters, (*listener)->address(), "postgres");
  holding->jdbc_url_ = url_of(*parameters, (*listener)->address(), "jdbc:postgresql");
  auto watch =
      BlockWatch::start(on, [controller = &holding->controller_](const BlockedBackends& waits) {
        controller->tell_blocked(waits);
      });
  if (!watch) return watch.error();
  holding->watch_ = std::move(*watch);
  holding->controller_.on_want(
      [watching = holding->watch_.get()](bool is_wanted) { watching->want(is_wanted); });
  std::vector<ProxiedEdge> edges;
  edges.push_back({.edge = {.caller = "command",
                            .callee = "database",
                            .protocol = EdgeProtocol::postgres,
                            .target = std::move(*target)},
                   .listener = std::move(*listener)});
  holding->proxies_ = Proxies::start(
      std::move(edges), *holding->observer_,
      {.limits = {.rows = 0, .row_bytes = 0}, .most_body = 0, .controller = &holding->controller_});
  return holding;
}

Result<ProcessOutcome> Holding::run(const std::vector<std::string>& command,
                                    std::vector<std::string> environment,
                                    const std::string& variable) {
  const std::string address = proxies_->address(0);
  const std::size_t colon = address.rfind(':');
  environment.push_back(variable + "=" + url_);
  environment.push_back("JDBC_" + variable + "=" + jdbc_url_);
  environment.push_back("PGHOST=" + address.substr(0, colon));
  environment.push_back("PGPORT=" + address.substr(colon + 1));
  environment.emplace_back("PGSSLMODE=disable");
  return run_in_terminal(command, std::move(environment));
}

std::string Holding::report() {
  std::string text;
  proxies_->call([&] {
    const HoldPlan& plan = controller_.plan();
    const auto counts = controller_.meetings().counts();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      text += meeting_line(plan.meetings[i], counts[i]);
    }
    const auto states = controller_.order().states();
    for (std::size_t i = 0; i < states.size(); ++i) {
      text += fmt::format("{} {}\n", plan.order[i].name, state_text(states[i]));
    }
    if (!states.empty()) {
      const bool is_whole = std::ranges::none_of(
          states, [](StatedOrder::State each) { return each == StatedOrder::State::missing; });
      text += controller_.order().was_kept() && is_whole ? "the order was kept\n"
                                                         : "the order was not kept\n";
    }
  });
  for (const std::string& remark : observer_->remarks()) text += remark + "\n";
  return text;
}

}  // namespace heddle
