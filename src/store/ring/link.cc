#include "store/ring/link.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// How long the server waits before we look why it is not done: long enough for a few rows.
constexpr const char* kWaitSeconds = "0.01";
constexpr std::chrono::seconds kDeliveryPatience{30};

std::uint64_t number_or_zero(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::uint64_t number_in_domain(const std::string& gtids, unsigned domain) {
  const std::string prefix = fmt::format("{}-", domain);
  for (const std::string& one : split(gtids, ',')) {
    const std::string gtid(trim(one));
    if (gtid.starts_with(prefix)) return number_or_zero(gtid.substr(gtid.rfind('-') + 1));
  }
  return 0;
}

std::string RingLink::gtid_of(std::uint64_t number) const {
  return fmt::format("{0}-{0}-{1}", from_.number(), number);
}

Result<void> RingLink::start_over() {
  auto position_told = from_.ask("SELECT @@gtid_binlog_pos AS position");
  if (!position_told) return position_told.error();
  const std::string position = last_cell(*position_told, "position");
  auto logged = from_.ask("SHOW MASTER STATUS");
  if (!logged) return logged.error();
  if (auto fetching = to_.fetch_from(from_, position); !fetching) return fetching;
  file_ = last_cell(*logged, "file");
  read_until_ = number_or_zero(last_cell(*logged, "position"));
  last_number_ = number_in_domain(position, from_.number());
  running_to_ = 0;
  failure_.clear();
  log_.clear();
  wanted_ = applied_ = 0;
  state_ = LinkState::done;
  return {};
}

void RingLink::forget() {
  HEDDLE_ASSERT(applied_ == log_.size());
  log_.clear();
  wanted_ = applied_ = 0;
}

// A transaction begins with its GTID, and its other events follow.
Result<void> RingLink::read_log() {
  auto position = from_.ask("SELECT @@gtid_binlog_pos AS position");
  if (!position) return position.error();
  if (number_in_domain(last_cell(*position, "position"), from_.number()) == last_number_) return {};
  auto events = from_.ask(fmt::format("SHOW BINLOG EVENTS IN '{}' FROM {}", file_, read_until_));
  if (!events) return events.error();
  for (const Row& event : events->back().rows) {
    constexpr std::size_t kKind = 2;
    constexpr std::size_t kEnd = 4;
    constexpr std::size_t kText = 5;
    const std::string text = event.at(kText).value_or("");
    if (event.at(kKind) == "Gtid") {
      // "BEGIN GTID 1-1-42", or without BEGIN, and "trans" and the like behind it.
      const std::string gtid = text.substr(text.find("GTID ") + 5);
      last_number_ = number_in_domain(gtid.substr(0, gtid.find(' ')), from_.number());
      log_.push_back({.number = last_number_, .end = 0});
    }
    read_until_ = number_or_zero(event.at(kEnd).value_or(""));
    if (!log_.empty()) log_.back().end = read_until_;
  }
  return {};
}

void RingLink::want(std::size_t count) { wanted_ = std::max(wanted_, count); }

Result<void> RingLink::start_applier() {
  const std::uint64_t end = log_[wanted_ - 1].end;
  auto started = to_.ask(fmt::format(
      "START SLAVE SQL_THREAD UNTIL master_log_file = '{}', master_log_pos = {}", file_, end));
  if (!started) return started.error();
  running_to_ = wanted_;
  return {};
}

// True: what it runs to has been applied, and it has ended.
Result<bool> RingLink::wait_for_applier() {
  const std::string gtid = gtid_of(log_[running_to_ - 1].number);
  auto waited =
      to_.ask(fmt::format("SELECT MASTER_GTID_WAIT('{}', {}) AS ended", gtid, kWaitSeconds));
  if (!waited) return waited.error();
  if (last_cell(*waited, "ended") != "0") return false;
  if (auto stopped = to_.ask("STOP SLAVE SQL_THREAD"); !stopped) return stopped.error();
  applied_ = running_to_;
  running_to_ = 0;
  return true;
}

Result<bool> RingLink::has_failed() {
  auto status = to_.ask("SHOW SLAVE STATUS");
  if (!status) return status.error();
  const std::string number = last_cell(*status, "last_sql_errno");
  if (number.empty() || number == "0") return false;
  failure_ = in_one_line(last_cell(*status, "last_sql_error"));
  return true;
}

Result<void> RingLink::find_applier() {
  auto found = to_.ask("SELECT id FROM information_schema.processlist WHERE command = 'Slave_SQL'");
  if (!found) return found.error();
  applier_ = static_cast<int>(number_or_zero(last_cell(*found, "id")));
  return {};
}

// Most likely it cannot fetch it.
Diagnostic RingLink::not_applied() {
  std::string trouble =
      fmt::format("{} does not apply what {} has logged", to_.name(), from_.name());
  if (auto status = to_.ask("SHOW SLAVE STATUS")) {
    const std::string reason = in_one_line(last_cell(*status, "last_io_error"));
    if (!reason.empty()) trouble += ": " + reason;
  }
  return store_trouble(std::move(trouble));
}

Result<LinkState> RingLink::advance(const WaitsForLock& waits_for_lock) {
  const auto deadline = std::chrono::steady_clock::now() + kDeliveryPatience;
  while (state_ != LinkState::failed) {
    if (running_to_ == 0) {
      state_ = LinkState::done;
      if (applied_ >= wanted_) break;
      if (auto started = start_applier(); !started) return started.error();
    }
    auto is_done = wait_for_applier();
    if (!is_done) return is_done.error();
    if (*is_done) continue;
    auto failed = has_failed();
    if (!failed) return failed.error();
    if (*failed) {
      state_ = LinkState::failed;
      break;
    }
    if (auto found = find_applier(); !found) return found.error();
    auto waits = waits_for_lock(applier_);
    if (!waits) return waits.error();
    if (*waits) {
      state_ = LinkState::waits;
      break;
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      return store_trouble(
          fmt::format("{} does not apply what {} has logged", to_.name(), from_.name()));
    }
  }
  return state_;
}

Result<void> RingLink::hold() {
  if (state_ == LinkState::waits) {
    // To be told to stop it would have to come out of its wait for a lock, which lasts.
    if (auto killed = to_.ask(fmt::format("KILL {}", applier_)); !killed) return killed.error();
    auto stopped = to_.ask("STOP SLAVE SQL_THREAD; SELECT @@gtid_slave_pos AS position");
    if (!stopped) return stopped.error();
    const std::uint64_t last = number_in_domain(last_cell(*stopped, "position"), from_.number());
    while (applied_ < log_.size() && log_[applied_].number <= last) ++applied_;
    running_to_ = 0;
    state_ = LinkState::done;
  }
  if (state_ == LinkState::done) wanted_ = applied_;
  return {};
}

}  // namespace heddle
