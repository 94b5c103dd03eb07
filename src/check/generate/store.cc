#include "check/generate/store.h"

#include <utility>

namespace heddle {

VersionStore::VersionStore(std::uint32_t replicas, Delivery delivery, Payload initial)
    : replicas_(replicas),
      delivery_(delivery),
      initial_(initial),
      copies_(replicas),
      taken_(replicas, 0),
      made_(replicas),
      seen_(std::size_t{replicas} * replicas, 0),
      under_way_(replicas) {}

void VersionStore::grow(std::size_t count) {
  if (count <= newest_.size()) return;
  newest_.resize(count, 0);
  for (std::vector<Copy>& copies : copies_) copies.resize(count, Copy{initial_, 0, 0});
}

void VersionStore::commit(std::uint32_t replica, std::span<const KeyWrite> writes,
                          std::uint64_t now) {
  ++commits_;
  for (const KeyWrite& write : writes) {
    copies_[replica][write.key] = {write.payload, commits_, now};
    newest_[write.key] = commits_;
  }
  if (replicas_ == 1) return;
  log_.push_back({replica, writes_.size(), writes_.size() + writes.size()});
  writes_.insert(writes_.end(), writes.begin(), writes.end());
  made_[replica].push_back(commits_);
  ++seen(replica, replica);
  ++taken_[replica];
  for (std::uint32_t origin = 0; origin < replicas_; ++origin) {
    seen_at_.push_back(seen(replica, origin));
    const bool sent = delivery_ == Delivery::any_order && origin != replica;
    if (sent) under_way_[origin].push_back(commits_);
  }
}

void VersionStore::take(std::uint32_t replica, std::uint32_t commit, std::uint64_t now) {
  ++taken_[replica];
  const Commit& made = log_[commit - 1];
  for (std::size_t i = made.first_write; i < made.last_write; ++i) {
    Copy& copy = copies_[replica][writes_[i].key];
    if (copy.commit <= commit) copy = {writes_[i].payload, commit, now};
  }
}

bool VersionStore::take_next_of(std::uint32_t replica, std::uint32_t origin, std::uint64_t now) {
  const std::uint32_t next = seen(replica, origin);
  if (origin == replica || next == made_[origin].size()) return false;
  const std::uint32_t commit = made_[origin][next];
  for (std::uint32_t other = 0; other < replicas_; ++other) {
    if (other != origin && seen_at(commit, other) > seen(replica, other)) return false;
  }
  take(replica, commit, now);
  ++seen(replica, origin);
  return true;
}

// A replica that is behind by more than a random number of transactions takes some. So it is mostly
// a few behind, and not always by the same ones.
void VersionStore::deliver_some(Choices& choices, std::uint64_t now) {
  constexpr std::uint32_t kFarthestBehind = 12;
  constexpr std::uint32_t kMostAttempts = 8;
  if (replicas_ == 1) return;
  for (std::uint32_t replica = 0; replica < replicas_; ++replica) {
    const std::uint32_t allowed = choices.below(kFarthestBehind);
    for (std::uint32_t i = 0; i < kMostAttempts && commits_ - taken_[replica] > allowed; ++i) {
      if (delivery_ == Delivery::causal) {
        (void)take_next_of(replica, choices.below(replicas_), now);
        continue;
      }
      std::vector<std::uint32_t>& waiting = under_way_[replica];
      std::swap(waiting[choices.below(static_cast<std::uint32_t>(waiting.size()))], waiting.back());
      take(replica, waiting.back(), now);
      waiting.pop_back();
    }
  }
}

// In causal order some origin always has a commit that may be taken next.
void VersionStore::catch_up(std::uint32_t replica, std::uint64_t now) {
  for (bool taken = true; taken;) {
    taken = false;
    for (std::uint32_t origin = 0; origin < replicas_; ++origin) {
      while (take_next_of(replica, origin, now)) taken = true;
    }
  }
}

}  // namespace heddle
