#include "hold/meetings.h"

#include <algorithm>

namespace heddle {
namespace {

// Whether the backend waits for one of those, also through others.
bool waits_for_one(const BlockedBackends& waits, std::uint32_t backend,
                   const std::map<std::uint64_t, std::uint32_t>& those) {
  std::vector<std::uint32_t> open = {backend};
  std::set<std::uint32_t> seen;
  while (!open.empty()) {
    const auto found = waits.find(open.back());
    open.pop_back();
    if (found == waits.end()) continue;
    for (const std::uint32_t blocker : found->second) {
      for (const auto& [connection, own] : those) {
        if (own == blocker) return true;
      }
      if (seen.insert(blocker).second) open.push_back(blocker);
    }
  }
  return false;
}

}  // namespace

Meetings::Meetings(const std::vector<MeetingPlan>& plans) {
  for (const MeetingPlan& each : plans) {
    meetings_.push_back(
        {.pattern = StatementPattern(each.pattern), .connections = each.connections});
  }
}

bool Meetings::holds(const HeldUnit& unit, Clock::time_point end) {
  bool is_held = false;
  for (Meeting& meeting : meetings_) {
    if (meeting.there.contains(unit.connection.number)) {
      meeting.held[unit.connection.number] = unit.ordinal;
      meeting.end = std::min(meeting.end, end);
      is_held = true;
    } else if (!unit.is_request && meeting.pattern.matches(*unit.text)) {
      meeting.running[unit.connection.number] = unit.backend;
    }
  }
  return is_held;
}

void Meetings::ended(const HeldUnit& unit, HeldEnd how) {
  const std::uint64_t connection = unit.connection.number;
  for (Meeting& meeting : meetings_) {
    const bool has_run = meeting.running.erase(connection) > 0;
    if (how == HeldEnd::answered && has_run && meeting.excused.erase(connection) == 0) {
      meeting.there[connection] = unit.backend;
      if (meeting.there.size() >= meeting.connections) release(meeting, meeting.counts.met);
    } else if (how != HeldEnd::answered) {
      meeting.held.erase(connection);
      if (how == HeldEnd::gone) meeting.there.erase(connection);
    }
  }
}

void Meetings::blocked(const BlockedBackends& waits) {
  for (Meeting& meeting : meetings_) {
    if (meeting.held.empty()) continue;
    std::vector<std::uint64_t> kept_out;
    for (const auto& [connection, backend] : meeting.running) {
      if (waits_for_one(waits, backend, meeting.there)) kept_out.push_back(connection);
    }
    if (kept_out.empty()) continue;
    release(meeting, meeting.counts.kept_out);
    meeting.excused.insert(kept_out.begin(), kept_out.end());
  }
}

void Meetings::time_is(Clock::time_point now) {
  for (Meeting& meeting : meetings_) {
    if (meeting.end <= now) release(meeting, meeting.counts.missed);
  }
}

void Meetings::release(Meeting& meeting, std::size_t& counted) {
  ++counted;
  for (const auto& [connection, ordinal] : meeting.held) {
    released_.emplace_back(connection, ordinal);
  }
  meeting.held.clear();
  meeting.there.clear();
  meeting.excused.clear();
  meeting.end = Clock::time_point::max();
}

Meetings::Clock::time_point Meetings::next_end() const {
  Clock::time_point first = Clock::time_point::max();
  for (const Meeting& meeting : meetings_) first = std::min(first, meeting.end);
  return first;
}

bool Meetings::is_waiting() const {
  return std::ranges::any_of(meetings_, [](const Meeting& each) { return !each.held.empty(); });
}

std::vector<MeetingCounts> Meetings::counts() const {
  std::vector<MeetingCounts> counts;
  for (const Meeting& each : meetings_) {
    counts.push_back(each.counts);
    // Who is there and sends nothing more has met nobody.
    if (!each.there.empty()) ++counts.back().missed;
  }
  return counts;
}

}  // namespace heddle
