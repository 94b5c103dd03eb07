#include "record/session_count.h"

#include <algorithm>
#include <thread>

#include "record/bypass.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

// A server tells a connection that it is let in, and counts it, at almost the same time.
constexpr std::chrono::milliseconds kUntilCounted{60};
constexpr std::chrono::milliseconds kBetweenCounts{10};
// So long it may take the proxies to read what the server has told a connection.
constexpr std::chrono::seconds kLongestPending{5};
// So often it is tried to ask the server while nobody connects.
constexpr int kMostAttempts = 20;

}  // namespace

Result<SessionCount> SessionCount::begin(PostgresWatch& watch, const SystemSettings& system,
                                         const StoreSettings& store, Recorder& recorder) {
  SessionCount count(system, store, recorder);
  const auto clients = watch.clients();
  if (!clients) return clients.error();
  for (const PostgresClient& each : *clients) count.connected_.insert(each.backend);
  auto strange = count.look_for_a_while(watch);
  if (!strange) return strange.error();
  count.strange_ = std::move(*strange);
  return count;
}

ProxiedSessions SessionCount::proxied(const std::string& database, ProxyTime until) const {
  ProxiedSessions all;
  for (const std::size_t edge : edges_to_server(*system_, *store_)) {
    const std::vector<Setting>& fixed = system_->edges[edge].database;
    if (!fixed.empty() && fixed.front().text != database) continue;
    const ProxiedSessions some =
        recorder_->sessions(edge, fixed.empty() ? std::optional(database) : std::nullopt, until);
    all.begun += some.begun;
    all.pending += some.pending;
  }
  return all;
}

Result<std::optional<SessionCount::Strange>> SessionCount::look_for_a_while(
    PostgresWatch& watch) const {
  const auto end = Clock::now() + kUntilCounted + watch.staleness();
  std::optional<Strange> most;
  do {
    const auto strange = look(watch);
    if (!strange || !*strange) return strange;
    if (!most || most->origin != (*strange)->origin || most->count < (*strange)->count) {
      most = **strange;
    }
    std::this_thread::sleep_for(kBetweenCounts);
  } while (Clock::now() < end);
  return most;
}

Result<std::optional<SessionCount::Strange>> SessionCount::look(PostgresWatch& watch) const {
  for (int attempt = 1;; ++attempt) {
    const ProxyTime asked = Clock::now();
    const auto sessions = watch.sessions();
    if (!sessions) return sessions.error();
    if (!*sessions) return std::optional<Strange>();
    const ProxyTime told = Clock::now();
    ProxiedSessions ours = proxied(watch.database(), told);
    while (ours.pending > 0 && Clock::now() - told < kLongestPending) {
      std::this_thread::sleep_for(kBetweenCounts);
      ours = proxied(watch.database(), told);
    }
    // Those that came while the server was asked may be counted or not.
    const bool is_exact = ours.begun == proxied(watch.database(), asked).begun;
    if (!is_exact && attempt < kMostAttempts) continue;
    return std::optional(Strange{.count = static_cast<std::int64_t>((*sessions)->count) -
                                          static_cast<std::int64_t>(ours.begun),
                                 .origin = (*sessions)->origin});
  }
}

Result<std::optional<std::uint64_t>> SessionCount::past_proxies(PostgresWatch& watch) const {
  const auto now = look_for_a_while(watch);
  if (!now) return now.error();
  if (!*now || !strange_ || (*now)->origin != strange_->origin) {
    return std::optional<std::uint64_t>();
  }
  const std::int64_t past = (*now)->count - own_ - strange_->count;
  return std::optional(static_cast<std::uint64_t>(std::max<std::int64_t>(past, 0)));
}

}  // namespace heddle
