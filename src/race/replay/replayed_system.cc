#include "race/replay/replayed_system.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "frontend/config/system_command.h"
#include "record/bypass.h"
#include "record/system_edges.h"
#include "throwaway/guard.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;
using RestClock = std::chrono::steady_clock;

// How long nothing passes before a system without anything periodic counts as being at rest.
constexpr milliseconds kQuietTime{100};
constexpr milliseconds kBetweenLooks{2};
constexpr std::uint64_t kMostLogBytes = std::uint64_t{4} << 20;

void pause_ms(milliseconds time) {
  pollfd interrupt{interrupt_fd(), POLLIN, 0};
  ::poll(&interrupt, 1, static_cast<int>(time.count()));
}

std::string log_path(const Config& config, const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute()) return name;
  return (std::filesystem::path(config.file).parent_path() / path).string();
}

}  // namespace

SentRequest::SentRequest(std::string address, HttpToSend request, std::string trace,
                         Deadline deadline)
    : answer_(std::async(
          std::launch::async,
          [address = std::move(address), request = std::move(request), trace = std::move(trace),
           deadline] { return send_request(address, request, trace, deadline); })) {}

SentRequest::~SentRequest() {
  if (answer_.valid()) answer_.wait();
}

bool SentRequest::is_answered_before(Deadline deadline) const {
  return answer_.wait_until(deadline) == std::future_status::ready;
}

ReplayedSystem::ReplayedSystem(const Config& config, ReplayBounds bounds,
                               std::vector<std::string> environment)
    : config_(config), bounds_(bounds), environment_(std::move(environment)) {}

Result<std::unique_ptr<ReplayedSystem>> ReplayedSystem::start(
    const Config& config, ReplayBounds bounds, std::vector<std::string> environment) {
  if (auto guarded = guard_start(); !guarded) return guarded.error();
  auto edges = open_edges(config);
  if (!edges) return edges.error();
  std::unique_ptr<ReplayedSystem> replayed(
      new ReplayedSystem(config, bounds, std::move(environment)));
  replayed->controller_ =
      std::make_unique<TurnController>(trace_edges(config.system), milliseconds(bounds.silence_ms));
  const ProxyOptions options{.limits = {.row_bytes = bounds.most_body},
                             .most_body = bounds.most_body,
                             .controller = replayed->controller_.get()};
  replayed->proxies_ = Proxies::start(std::move(*edges), *replayed->controller_, options);
  if (auto started = replayed->start_parts(); !started) return started.error();
  replayed->with_controller([](TurnController& controller) { controller.begin_listening(); });
  replayed->watch_stores();
  const auto end = RestClock::now() + milliseconds(bounds.idle_ms);
  while (!interrupted() && RestClock::now() < end) pause_ms(kBetweenLooks * 5);
  if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
  replayed->with_controller([](TurnController& controller) { controller.end_listening(); });
  return replayed;
}

ReplayedSystem::~ReplayedSystem() {
  watches_.clear();
  proxies_.reset();
  system_.reset();
}

std::vector<std::string> ReplayedSystem::addresses() const {
  std::vector<std::string> addresses;
  for (std::size_t i = 0; i < proxies_->edges().size(); ++i) {
    addresses.push_back(proxies_->address(i));
  }
  return addresses;
}

Result<void> ReplayedSystem::start_parts() {
  auto system = RunningSystem::start(config_, addresses(), environment_);
  if (!system) return system.error();
  system_ = std::move(*system);
  logs_.clear();
  if (system_->was_started()) {
    logs_.emplace_back("system", system_->output_file());
    if (auto healthy = system_->wait_until_healthy(bounds_.health_ms); !healthy) return healthy;
  }
  for (const ServiceSettings& service : config_.system.services) {
    for (const Setting& each : service.logs) {
      logs_.emplace_back(service.name.text, log_path(config_, each.text));
    }
  }
  return {};
}

Result<void> ReplayedSystem::restart() {
  watches_.clear();
  system_.reset();
  if (auto started = start_parts(); !started) return started;
  watch_stores();
  return {};
}

Result<void> ReplayedSystem::restart(const std::vector<std::string>& services) {
  if (services.empty()) return restart();
  if (auto restarted = system_->restart(services); !restarted) return restarted;
  return wait_until_healthy();
}

RestoreMeans ReplayedSystem::means(std::vector<std::string> stores) const {
  RestoreMeans means{
      .stores = std::move(stores), .has_reset = has_reset(), .is_started = system_->was_started()};
  for (const ServiceSettings& service : config_.system.services) {
    if (system_->has_part(service.name.text)) means.parts.push_back(service.name.text);
  }
  return means;
}

std::size_t ReplayedSystem::use_database(const std::string& store,
                                         const std::optional<std::string>& database) {
  std::size_t ended = 0;
  for (std::size_t i = 0; i < config_.system.edges.size(); ++i) {
    const EdgeSettings& edge = config_.system.edges[i];
    if (edge.callee.front().text != store) continue;
    std::optional<std::string> used = database;
    if (!used && !edge.database.empty()) used = edge.database.front().text;
    ended += proxies_->use_database(i, used, "heddle brings the store back to where it was");
  }
  return ended;
}

void ReplayedSystem::watch_stores_anew() {
  watches_.clear();
  watch_stores();
}

// Who waits for whom in each store of which heddle has an address of its own.
void ReplayedSystem::watch_stores() {
  for (const StoreSettings& store : config_.system.stores) {
    const auto own = own_address(store);
    if (!own) continue;
    auto watch =
        BlockWatch::start(*own, [this, name = store.name.text](const BlockedBackends& blocked) {
          controller_->tell_waits(name, blocked);
        });
    if (watch) watches_.push_back(std::move(*watch));
  }
}

void ReplayedSystem::watch_waits(bool is_wanted) {
  for (const auto& watch : watches_) watch->want(is_wanted);
}

Result<void> ReplayedSystem::reset() {
  std::vector<std::string> environment = environment_;
  for (std::string& each : edge_environment(config_, addresses(), EdgeChoice::all)) {
    environment.push_back(std::move(each));
  }
  const auto command = system_command(config_, config_.system.reset, std::move(environment));
  if (!command) return command.error();
  const auto outcome = run_process(*command, bounds_.health_ms);
  if (!outcome) return outcome.error();
  if (outcome->succeeded()) return {};
  return Diagnostic{.what = fmt::format("the command \"reset\" has failed\n{}", outcome->output),
                    .what_to_do = "let it bring the data of the running system to their beginning",
                    .file = config_.file,
                    .position = config_.system.reset.front().position,
                    .trouble = Trouble::environment};
}

std::string ReplayedSystem::new_trace() {
  return fmt::format("{:016x}{:016x}", 0x68656464'6c652121ULL, next_trace_++);
}

std::unique_ptr<SentRequest> ReplayedSystem::send(const HttpToSend& request,
                                                  const std::string& trace) {
  return std::make_unique<SentRequest>(proxies_->address(request.edge), request, trace,
                                       RestClock::now() + milliseconds(bounds_.answer_ms));
}

Result<HttpAnswer> ReplayedSystem::ask(const HttpToSend& request) {
  return send_request(proxies_->address(request.edge), request, new_trace(),
                      RestClock::now() + milliseconds(bounds_.answer_ms));
}

void ReplayedSystem::with_controller(const std::function<void(TurnController&)>& task) {
  proxies_->call([&] { task(*controller_); });
}

// By what passes, and by the team's own check where there is one.
bool ReplayedSystem::is_at_rest() {
  bool is_quiet = false;
  with_controller(
      [&](TurnController& controller) { is_quiet = controller.is_at_rest(kQuietTime); });
  if (!is_quiet || config_.system.rest.empty()) return is_quiet;
  const auto command = system_command(config_, config_.system.rest, environment_);
  if (!command) return true;
  const auto outcome = run_process(*command, bounds_.rest_ms);
  return outcome && outcome->succeeded();
}

bool ReplayedSystem::wait_for_rest() {
  const auto end = RestClock::now() + milliseconds(bounds_.rest_ms);
  while (!is_at_rest()) {
    if (interrupted() || RestClock::now() > end) {
      with_controller(
          [&](TurnController& controller) { restless_part_ = controller.restless_part(); });
      return false;
    }
    pause_ms(kBetweenLooks);
  }
  return true;
}

ReplayedSystem::LogPlaces ReplayedSystem::log_places() const {
  LogPlaces places;
  for (const auto& [name, path] : logs_) {
    std::error_code none;
    const auto size = std::filesystem::file_size(path, none);
    places.push_back(none ? 0 : size);
  }
  return places;
}

std::vector<ObservedLog> ReplayedSystem::logs_since(const LogPlaces& places) const {
  std::vector<ObservedLog> logs;
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    ObservedLog log{.service = logs_[i].first};
    std::ifstream file(logs_[i].second, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(i < places.size() ? places[i] : 0));
    std::string bytes(kMostLogBytes, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    log.text = std::move(bytes);
    logs.push_back(std::move(log));
  }
  return logs;
}

}  // namespace heddle
