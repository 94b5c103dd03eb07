#include "race/pairs/span_pairs.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "race/pairs/single_point.h"

namespace heddle::race {
namespace {

using SpanKey = std::pair<std::size_t, std::size_t>;

// Turned so that the first access is of the first span.
MetAccesses turned(MetAccesses met) {
  std::swap(met.accesses.first, met.accesses.second);
  std::swap(met.meeting.first_writes, met.meeting.second_writes);
  return met;
}

std::string other_store_text(const FlowAccesses& all, const MetAccesses& met) {
  const FlowAccess& one = all.accesses[met.accesses.first];
  const FlowAccess& other = all.accesses[met.accesses.second];
  return fmt::format("{} of {} is not that of {}", shown_table(one.access.table), one.store,
                     other.store);
}

std::string other_columns_text(const FlowAccesses& all, const MetAccesses& met) {
  const Access& one = all.accesses[met.accesses.first].access;
  const Access& other = all.accesses[met.accesses.second].access;
  const auto columns = [](const Access& access) {
    const auto& names =
        access.columns_written.empty() ? access.columns_read : access.columns_written;
    return names.empty() ? std::string("none") : join(names, ", ");
  };
  return fmt::format("of {} they use different columns: {}; {}", shown_table(one.table),
                     columns(one), columns(other));
}

// Which flow's requests are sent after which, by values that rows were given.
class MadeValues {
 public:
  MadeValues(const FlowAccesses& all, const RaceSettings& settings)
      : all_(all), settings_(settings) {
    for (const FlowAccess& each : all.accesses) {
      for (const KnownRow& row : partial_rows(each.access.looks)) add_users(each, row);
      for (const KnownRow& row : each.access.new_rows) add_users(each, row);
      for (const KnownRow& row : each.access.seen) add_users(each, row);
    }
  }

  void add_to(ClientOrder& order) const {
    for (const FlowAccess& each : all_.accesses) {
      if (!each.access.inserts) continue;
      for (const KnownRow& row : each.access.new_rows) add_made(each, row, order);
    }
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string>;

  static Key key_of(const FlowAccess& each, const std::string& column, const KnownValue& value) {
    return {each.store, each.access.table, column, comparable_text(value.text)};
  }

  bool tells_apart(const FlowAccess& each, const std::string& column) const {
    return is_identity(each.access.definition, column, settings_.identities);
  }

  void add_users(const FlowAccess& each, const KnownRow& row) {
    for (const auto& [column, value] : row) {
      if (!value.has_text() || !tells_apart(each, column)) continue;
      users_[key_of(each, column, value)].insert(each.flow);
    }
  }

  void add_made(const FlowAccess& maker, const KnownRow& row, ClientOrder& order) const {
    for (const auto& [column, value] : row) {
      if (!value.has_text()) continue;
      const auto users = users_.find(key_of(maker, column, value));
      if (users == users_.end()) continue;
      const bool is_drawn = is_one_of(column, maker.access.drawn);
      for (const std::size_t user : users->second) {
        if (user > maker.flow) order.add_made_value(maker.flow, user, value.text, is_drawn);
      }
    }
  }

  const FlowAccesses& all_;
  const RaceSettings& settings_;
  std::map<Key, std::set<std::size_t>> users_;
};

class SpanPairFinder {
 public:
  explicit SpanPairFinder(const SpanPairSearch& search)
      : search_(search),
        branches_(search.flows, search.others, search.settings.async),
        client_(search.trace, search.flows),
        locks_(read_held_locks(search.all, search.flows)) {
    MadeValues(search.all, search.settings).add_to(client_);
  }

  std::vector<SpanPair> find(std::size_t jobs) {
    std::map<SpanKey, SpanPair> pairs;
    for (MetAccesses& met : find_met_accesses(search_.all, search_.settings.identities, jobs)) {
      add(std::move(met), pairs);
    }
    std::map<SpanKey, std::vector<SpanPair*>> by_flows;
    for (auto& [key, pair] : pairs) {
      look_at_entities(pair);
      if (pair.step == RaceStep::kept) look_at_order(pair);
      if (pair.step == RaceStep::kept) {
        by_flows[{flow_of(pair.first), flow_of(pair.second)}].push_back(&pair);
      }
    }
    for (const auto& [flows, kept] : by_flows) look_at_all(flows, kept);
    std::vector<SpanPair> all;
    for (auto& [key, pair] : pairs) {
      const bool is_order_of_one = pair.first == pair.second && pair.step != RaceStep::kept;
      if (!is_order_of_one) all.push_back(std::move(pair));
    }
    return all;
  }

 private:
  std::size_t flow_of(std::size_t span) const { return search_.flows.spans[span].flow; }

  const FlowAccess& access(std::size_t index) const { return search_.all.accesses[index]; }

  void add(MetAccesses met, std::map<SpanKey, SpanPair>& pairs) const {
    const auto rank = [&](std::size_t index) {
      const FlowAccess& each = access(index);
      return std::tuple(each.flow, search_.flows.spans[each.span].begun, each.span, index);
    };
    if (rank(met.accesses.second) < rank(met.accesses.first)) met = turned(std::move(met));
    const SpanKey key{access(met.accesses.first).span, access(met.accesses.second).span};
    SpanPair& pair = pairs[key];
    pair.first = key.first;
    pair.second = key.second;
    pair.met.push_back(std::move(met));
  }

  // Instances: the same store, and columns that both use.
  void look_at_entities(SpanPair& pair) const {
    for (const MetAccesses& met : pair.met) {
      if (met.is_one_store && !met.meeting.columns.empty()) pair.conflicts.push_back(met);
    }
    if (!pair.conflicts.empty()) return;
    pair.step = RaceStep::instance;
    const auto same = std::ranges::find(pair.met, true, &MetAccesses::is_one_store);
    const auto row = std::ranges::find_if(
        pair.met, [](const MetAccesses& met) { return met.is_one_store && met.meeting.is_met; });
    if (row != pair.met.end()) {
      pair.why = other_columns_text(search_.all, *row);
    } else if (same != pair.met.end()) {
      pair.why = fmt::format("they are about different rows of {}",
                             shown_table(access(same->accesses.first).access.table));
    } else {
      pair.why = other_store_text(search_.all, pair.met.front());
    }
  }

  void look_at_order(SpanPair& pair) {
    const bool is_one_flow = flow_of(pair.first) == flow_of(pair.second);
    std::size_t seen = 0;
    std::erase_if(pair.conflicts, [&](const MetAccesses& met) {
      return is_one_flow ? is_ordered_in_flow(met, seen) : is_ordered_by_client(met);
    });
    if (!pair.conflicts.empty()) return;
    pair.step = RaceStep::flow;
    pair.why = is_one_flow ? fmt::format(
                                 "in one flow the second begins when the first is over; "
                                 "seen {} in this order",
                                 seen == 1 ? "once" : fmt::format("{} times", seen))
                           : "the second request uses what the first one's response told";
  }

  bool is_ordered_in_flow(const MetAccesses& met, std::size_t& seen) {
    const SiblingOrder order =
        branches_.order_of(access(met.accesses.first).place, access(met.accesses.second).place);
    if (!order.may_overlap) seen = std::max(seen, order.seen);
    return !order.may_overlap;
  }

  bool is_ordered_by_client(const MetAccesses& met) const {
    const FlowAccess& one = access(met.accesses.first);
    return client_.is_ordered(one.flow, access(met.accesses.second).flow) &&
           !branches_.is_late(one.place);
  }

  // One lock has to keep apart all that two flows do to each other: with one lock here and another
  // there, they could come in different orders. The same goes for meeting at one point.
  void look_at_all(const SpanKey& flows, const std::vector<SpanPair*>& kept) const {
    std::vector<MetAccesses> conflicts;
    std::vector<AccessPair> accesses;
    for (const SpanPair* pair : kept) {
      for (const MetAccesses& met : pair->conflicts) {
        conflicts.push_back(met);
        accesses.push_back(met.accesses);
      }
    }
    const std::string point = single_point(search_.all, search_.patterns, conflicts);
    if (!point.empty()) return leave_out(kept, RaceStep::flow, point);
    const std::string lock =
        common_lock(search_.all, locks_[flows.first], locks_[flows.second], accesses);
    if (lock.empty()) return;
    leave_out(kept, RaceStep::locks, fmt::format("both hold the lock {} all the while", lock));
  }

  static void leave_out(const std::vector<SpanPair*>& pairs, RaceStep step,
                        const std::string& why) {
    for (SpanPair* pair : pairs) {
      pair->step = step;
      pair->why = why;
      pair->conflicts.clear();
    }
  }

  const SpanPairSearch& search_;
  Branches branches_;
  ClientOrder client_;
  std::vector<std::vector<HeldLock>> locks_;
};

}  // namespace

std::vector<SpanPair> find_span_pairs(const SpanPairSearch& search, std::size_t jobs) {
  return SpanPairFinder(search).find(jobs);
}

}  // namespace heddle::race
