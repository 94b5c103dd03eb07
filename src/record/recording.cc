#include "record/recording.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <poll.h>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/interrupt.h"
#include "frontend/config/system_command.h"
#include "record/bypass.h"
#include "record/system_edges.h"
#include "store/postgres/catalogue.h"
#include "throwaway/guard.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;

// How long nothing passes before a system without anything periodic counts as being at rest.
constexpr milliseconds kQuiet{100};
constexpr milliseconds kBetweenRestLooks{10};
constexpr std::uint32_t kEndGraceMs = 15'000;

std::string time_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

RedactSettings redact_settings(const RecordSettings& record) {
  RedactSettings settings;
  for (const Setting& each : record.redact) settings.redact.push_back(each.text);
  for (const Setting& each : record.mask) settings.mask.push_back(each.text);
  return settings;
}

void wait_ms(milliseconds time) {
  pollfd interrupt{interrupt_fd(), POLLIN, 0};
  ::poll(&interrupt, 1, static_cast<int>(time.count()));
}

}  // namespace

Result<std::unique_ptr<Recording>> Recording::open(const Config& config, RecordOptions options) {
  if (auto guarded = guard_start(); !guarded) return guarded.error();
  auto edges = open_edges(config);
  if (!edges) return edges.error();
  auto file = LineFileWriter::create(options.trace);
  if (!file) return file.error();
  TraceHead head{.version = options.version,
                 .begun = time_text(),
                 .command = options.command,
                 .edges = trace_edges(config.system)};
  auto redactor = Redactor::draw(redact_settings(config.record));
  if (!redactor) return redactor.error();
  auto recorder =
      Recorder::start(std::move(*file), std::move(head), std::move(*redactor), options.max_body);
  if (!recorder) return recorder.error();
  ProxyOptions proxying{.limits = {.rows = options.max_rows, .row_bytes = options.max_body},
                        .most_body = options.max_body + kLongestSearched};
  std::unique_ptr<Recording> recording(new Recording(config, std::move(options)));
  if (recording->options_.is_held) proxying.controller = &recording->first_come_;
  if (recording->options_.is_serial) {
    proxying.controller = &recording->serial_.emplace(trace_edges(config.system));
  }
  recording->recorder_ = std::move(*recorder);
  std::vector<std::string> exempt;
  for (const Setting& each : config.record.exempt) exempt.push_back(each.text);
  recording->recorder_->exempt(std::move(exempt));
  recording->proxies_ = Proxies::start(std::move(*edges), *recording->recorder_, proxying);
  return recording;
}

std::vector<std::string> Recording::addresses() const {
  std::vector<std::string> addresses;
  for (std::size_t i = 0; i < proxies_->edges().size(); ++i) {
    addresses.push_back(proxies_->address(i));
  }
  return addresses;
}

Result<void> Recording::begin() {
  auto system = RunningSystem::start(config_, addresses(), options_.environment);
  if (!system) return system.error();
  system_ = std::move(*system);
  if (system_->was_started()) {
    if (auto healthy = system_->wait_until_healthy(options_.health_ms); !healthy) return healthy;
  }
  recorder_->begin_listening();
  read_catalogues();
  // Whoever looks meanwhile counts them, too.
  if (!options_.meanwhile) count_sessions();
  listen();
  recorder_->end_listening();
  if (options_.is_serial) recorder_->begin_serial();
  if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
  return {};
}

void Recording::listen() {
  const auto end = Clock::now() + milliseconds(options_.idle_ms);
  while (options_.meanwhile && !interrupted() && Clock::now() + kBetweenRestLooks < end) {
    options_.meanwhile();
    wait_ms(kBetweenRestLooks);
  }
  const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
  wait_ms(std::max(left, milliseconds(0)));
}

// By heddle's own address of each store, where the environment has it.
void Recording::read_catalogues() {
  for (const StoreSettings& store : config_.system.stores) {
    const auto address = own_address(store);
    if (!address) continue;
    auto catalogue = read_postgres_catalogue(*address);
    if (!catalogue) {
      recorder_->add_remark(fmt::format("{}: {}", store.name.text, catalogue.error().what));
      continue;
    }
    catalogue->store = store.name.text;
    recorder_->add_catalogue(*catalogue);
  }
}

// So that those who bypass a store are counted, too, that are gone at the end.
void Recording::count_sessions() {
  for (const StoreSettings& store : config_.system.stores) {
    const auto own = own_address(store);
    if (!own) continue;
    auto watch = PostgresWatch::open(*own);
    if (!watch) continue;
    auto count = SessionCount::begin(*watch, config_.system, store, *recorder_);
    if (count) sessions_.emplace(store.name.text, std::move(*count));
  }
}

// A remark for each such store, and for each of its connections what it is.
void Recording::name_bypassed() {
  for (const StoreSettings& store : config_.system.stores) {
    const auto own = own_address(store);
    if (!own) continue;
    auto watch = PostgresWatch::open(*own);
    if (!watch) continue;
    const auto clients = find_bypasses(config_.system, store, *watch, *recorder_);
    if (!clients) continue;
    const std::uint64_t gone = count_gone(store, *watch, *clients);
    if (clients->empty() && gone == 0) continue;
    bypassed_.push_back(store.name.text);
    if (gone > 0) {
      recorder_->add_remark(fmt::format("{} was bypassed by {} connection{} that ended before",
                                        store.name.text, gone, gone == 1 ? "" : "s"));
    }
    for (const PostgresClient& client : *clients) {
      recorder_->add_remark(fmt::format("{} is bypassed by a connection of user {} ({}), from {}",
                                        store.name.text, client.user,
                                        client.application.empty() ? "unnamed" : client.application,
                                        client.address.empty() ? "a socket" : client.address));
    }
  }
}

// How many besides those that are connected have come since it was counted.
std::uint64_t Recording::count_gone(const StoreSettings& store, PostgresWatch& watch,
                                    const std::vector<PostgresClient>& clients) {
  const auto found = sessions_.find(store.name.text);
  if (found == sessions_.end()) return 0;
  SessionCount& count = found->second;
  count.watched_again(watch);
  const auto past = count.past_proxies(watch);
  if (!past) return 0;
  const auto seen =
      static_cast<std::uint64_t>(std::ranges::count_if(clients, [&](const PostgresClient& each) {
        return !count.connected().contains(each.backend);
      }));
  return std::max(past->value_or(0), seen) - seen;
}

Result<ProcessOutcome> Recording::run() {
  if (options_.command.empty()) {
    while (!interrupted()) {
      let_in();
      wait_ms(serial_ ? kBetweenRestLooks : milliseconds(1000));
    }
    return ProcessOutcome{};
  }
  std::vector<std::string> environment = options_.environment;
  for (std::string& each : edge_environment(config_, addresses(), EdgeChoice::command)) {
    environment.push_back(std::move(each));
  }
  return run_in_terminal(options_.command, std::move(environment), [this] {
    let_in();
    if (options_.meanwhile) options_.meanwhile();
  });
}

// By what passes, and by the team's own check where there is one.
bool Recording::is_at_rest() {
  if (!recorder_->is_at_rest(kQuiet)) return false;
  const std::vector<Setting>& check = config_.system.rest;
  if (check.empty()) return true;
  const auto command = system_command(config_, check, options_.environment);
  if (!command) return true;
  const auto outcome = run_process(*command, options_.rest_ms);
  return outcome && outcome->succeeded();
}

// Where requests are let in one at a time: the next, once the system is at rest.
void Recording::let_in() {
  if (!serial_) return;
  bool is_due = false;
  proxies_->call([&] { is_due = serial_->is_due(); });
  if (!is_due) {
    due_since_ = {};
    return;
  }
  if (due_since_ == Clock::time_point()) due_since_ = Clock::now();
  const bool is_over = Clock::now() - due_since_ > milliseconds(options_.rest_ms);
  if (!is_over && !is_at_rest()) return;
  if (is_over) ++restless_;
  due_since_ = {};
  proxies_->call([this] { serial_->let_next(); });
}

bool Recording::wait_for_rest() {
  const auto end = Clock::now() + milliseconds(options_.rest_ms);
  while (!is_at_rest()) {
    if (interrupted() || Clock::now() > end) return false;
    wait_ms(kBetweenRestLooks);
  }
  return true;
}

Result<void> Recording::end(const Result<ProcessOutcome>& outcome) {
  const InterruptGrace grace(kEndGraceMs);
  TraceEnd end;
  if (!outcome) {
    end.reason = outcome.error().what;
  } else {
    end.reason = options_.command.empty() ? "interrupted" : "the command has ended";
    end.exit_code = outcome->exit_code;
    if (!wait_for_rest()) ++restless_;
  }
  // Whoever looks meanwhile has looked for these, too.
  if (!options_.meanwhile) name_bypassed();
  // Which tells of what is still open.
  proxies_.reset();
  Result<void> finished = recorder_->finish(std::move(end));
  system_.reset();
  return finished;
}

}  // namespace heddle
