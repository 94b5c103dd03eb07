#include "check/follow/configurations.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle {

namespace {

auto effect_of(const ObjectCall& call) {
  return std::tuple(call.function, call.argument, call.second, call.result, call.result_is_list);
}

}  // namespace

Configurations::Configurations(const CallModel& model, BoundMeter& meter)
    : model_(model), meter_(meter) {
  Configuration first;
  first.state = model_.initial();
  insert(table_, first);
  count_ = 1;
}

Configurations::~Configurations() { meter_.give_memory(memory_); }

// The slots as bits, then the state.
std::string Configurations::key_of(const Configuration& configuration) const {
  std::string key((slots_.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < configuration.taken.size(); ++i) {
    if (configuration.taken[i]) key[i / 8] = static_cast<char>(key[i / 8] | 1 << i % 8);
  }
  return key + configuration.state;
}

Configurations::Configuration Configurations::configuration_of(const std::string& key,
                                                               const Used& used) const {
  const std::size_t bits = (slots_.size() + 7) / 8;
  Configuration configuration{key.substr(bits), std::vector<bool>(slots_.size()), used};
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    configuration.taken[i] = (static_cast<unsigned char>(key[i / 8]) >> i % 8 & 1) != 0;
  }
  configuration.used.resize(groups_.size());
  return configuration;
}

bool Configurations::no_more(const Used& a, const Used& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > (i < b.size() ? b[i] : 0)) return false;
  }
  return true;
}

std::uint64_t Configurations::bytes_of(const std::string& key) { return 128 + 2 * key.size(); }

bool Configurations::insert(Table& table, const Configuration& configuration) {
  const std::string key = key_of(configuration);
  std::vector<Used>& known = table[key];
  for (const Used& used : known) {
    if (no_more(used, configuration.used)) return false;
  }
  std::erase_if(known, [&](const Used& used) { return no_more(configuration.used, used); });
  known.push_back(configuration.used);
  const std::uint64_t bytes = bytes_of(key) + configuration.used.size() * sizeof(std::uint32_t);
  if (!meter_.take_memory(bytes)) return false;
  memory_ += bytes;
  return true;
}

void Configurations::take_reads(Configuration& configuration) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i] || configuration.taken[i] || !model_.only_reads(*slots_[i])) continue;
    std::string state = configuration.state;
    if (model_.step(state, *slots_[i])) configuration.taken[i] = true;
  }
}

std::uint32_t Configurations::begin(const ObjectCall& call) {
  const auto unused = std::ranges::find_if(
      slots_, [](const std::optional<ObjectCall>& running) { return !running; });
  auto slot = static_cast<std::uint32_t>(unused - slots_.begin());
  const bool grows = unused == slots_.end() && slots_.size() % 8 == 0;
  const bool reads = model_.only_reads(call);
  std::vector<Configuration> all;
  if (grows || reads) {
    for (const auto& [key, uses] : table_) {
      for (const Used& used : uses) all.push_back(configuration_of(key, used));
    }
  }
  if (unused == slots_.end()) slots_.emplace_back();
  slots_[slot] = call;
  if (!grows && !reads) return slot;
  Table next;
  replace({});
  for (Configuration& configuration : all) {
    configuration.taken.resize(slots_.size());
    take_reads(configuration);
    insert(next, configuration);
  }
  for (const auto& [key, uses] : next) count_ += uses.size();
  table_ = std::move(next);
  return slot;
}

void Configurations::crash(const ObjectCall& call) {
  if (model_.only_reads(call)) return;
  for (Group& group : groups_) {
    if (effect_of(group.call) == effect_of(call)) {
      ++group.calls;
      return;
    }
  }
  groups_.push_back({call, 1});
}

void Configurations::replace(Table table) {
  table_ = std::move(table);
  meter_.give_memory(std::exchange(memory_, 0));
  count_ = 0;
  for (const auto& [key, uses] : table_) {
    for (const Used& used : uses) {
      const std::uint64_t bytes = bytes_of(key) + used.size() * sizeof(std::uint32_t);
      if (meter_.take_memory(bytes)) memory_ += bytes;
      ++count_;
    }
  }
}

// A configuration that was just made: one in which the call of the slot was taken is done.
bool Configurations::reach(Configuration next, std::uint32_t slot, Table& met, Table& ended) {
  take_reads(next);
  if (next.taken[slot]) {
    next.taken[slot] = false;
    insert(ended, next);
  } else if (insert(met, next)) {
    waiting_.push_back(std::move(next));
  }
  return meter_.hit().empty();
}

bool Configurations::expand(const Configuration& from, std::uint32_t slot, Table& met,
                            Table& ended) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i] || from.taken[i] || model_.only_reads(*slots_[i])) continue;
    if (!meter_.take_step()) return false;
    Configuration next = from;
    if (!model_.step(next.state, *slots_[i])) continue;
    next.taken[i] = true;
    if (!reach(std::move(next), slot, met, ended)) return false;
  }
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    if (from.used[i] == groups_[i].calls) continue;
    if (!meter_.take_step()) return false;
    Configuration next = from;
    if (!model_.step(next.state, groups_[i].call) || next.state == from.state) continue;
    ++next.used[i];
    if (!reach(std::move(next), slot, met, ended)) return false;
  }
  return true;
}

bool Configurations::end(std::uint32_t slot) {
  Table met;
  Table ended;
  waiting_.clear();
  for (const auto& [key, uses] : table_) {
    for (const Used& used : uses) {
      if (!reach(configuration_of(key, used), slot, met, ended)) return false;
    }
  }
  while (!waiting_.empty()) {
    const Configuration from = std::move(waiting_.back());
    waiting_.pop_back();
    if (!meter_.take_step() || !expand(from, slot, met, ended)) return false;
  }
  slots_[slot].reset();
  replace(std::move(ended));
  return count_ > 0 && meter_.hit().empty();
}

std::optional<Configurations::Single> Configurations::single() const {
  if (count_ != 1) return std::nullopt;
  for (const auto& [key, uses] : table_) {
    if (uses.empty()) continue;
    const Configuration only = configuration_of(key, uses.front());
    Single single{only.state, {}};
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] && !only.taken[i]) single.open.push_back(*slots_[i]);
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      single.open.insert(single.open.end(), groups_[i].calls - only.used[i], groups_[i].call);
    }
    return single;
  }
  return std::nullopt;
}

}  // namespace heddle
