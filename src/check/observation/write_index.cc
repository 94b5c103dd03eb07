#include "check/observation/write_index.h"

#include <algorithm>
#include <bit>

namespace heddle {

namespace {

constexpr std::uint32_t kFree = 0xFFFFFFFF;
constexpr std::size_t kAhead = 16;  // operations whose slots are fetched before they are needed

bool writes_key(const KeyOperation& operation) {
  return operation.action == KeyAction::write || operation.action == KeyAction::append;
}

// The finalizer of MurmurHash3 (Appleby, public domain constants).
std::uint64_t mixed(std::uint64_t bits) {
  bits ^= bits >> 33;
  bits *= 0xff51afd7ed558ccdULL;
  bits ^= bits >> 33;
  bits *= 0xc4ceb9fe1a85ec53ULL;
  return bits ^ (bits >> 33);
}

}  // namespace

WriteIndex::WriteIndex(const TransactionHistory& history) : history_(history) {
  const auto writes =
      static_cast<std::size_t>(std::ranges::count_if(history.operations, writes_key));
  slots_.assign(std::bit_ceil(writes + writes / 2 + 2), kFree);
  owners_.assign(history.operations.size(), 0);
  for (std::size_t txn = 0; txn < history.transactions.size(); ++txn) {
    const RecordedTransaction& recorded = history.transactions[txn];
    std::fill_n(owners_.begin() + recorded.first, recorded.count, static_cast<std::uint32_t>(txn));
  }
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    const KeyOperation& operation = history.operations[i];
    if (i + kAhead < history.operations.size()) {
      const KeyOperation& ahead = history.operations[i + kAhead];
      prefetch(ahead.key, ahead.value);
    }
    if (!writes_key(operation)) continue;
    const auto index = static_cast<std::uint32_t>(i);
    std::uint32_t& slot = slots_[slot_of(operation.key, operation.value)];
    if (slot == kFree) {
      slot = index;
    } else {
      std::vector<std::uint32_t>& all = repeated_[slot];
      if (all.empty()) all.push_back(slot);
      all.push_back(index);
    }
  }
}

std::size_t WriteIndex::first_slot(KeyId key, Value value) const {
  return mixed(static_cast<std::uint64_t>(value.code) * 0x9e3779b97f4a7c15ULL + key.value) &
         (slots_.size() - 1);
}

void WriteIndex::prefetch(KeyId key, Value value) const {
  __builtin_prefetch(slots_.data() + first_slot(key, value));
}

void WriteIndex::prefetch_write(KeyId key, Value value) const {
  const std::uint32_t held = slots_[first_slot(key, value)];
  if (held != kFree) __builtin_prefetch(history_.operations.data() + held);
}

// The slot that holds it, or the free one where it belongs.
std::size_t WriteIndex::slot_of(KeyId key, Value value) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = first_slot(key, value);
  while (slots_[slot] != kFree) {
    const KeyOperation& there = history_.operations[slots_[slot]];
    if (there.key == key && there.value == value) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::span<const std::uint32_t> WriteIndex::writes_of(KeyId key, Value value) const {
  const std::uint32_t& held = slots_[slot_of(key, value)];
  if (held == kFree) return {};
  if (!repeated_.empty()) {
    if (const auto found = repeated_.find(held); found != repeated_.end()) return found->second;
  }
  return {&held, 1};
}

}  // namespace heddle
