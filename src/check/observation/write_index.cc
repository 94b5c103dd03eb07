#include "check/observation/write_index.h"

#include <algorithm>
#include <bit>

namespace heddle {

namespace {

constexpr std::uint32_t kNoWrite = 0xFFFFFFFF;
constexpr std::size_t kAhead = 16;  // operations that are fetched before they are needed

bool writes_key(const KeyOperation& operation) {
  return operation.action == KeyAction::write || operation.action == KeyAction::append;
}

bool looks_up(const KeyOperation& operation) {
  return operation.action == KeyAction::read && operation.value != kUnseen;
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

WriteIndex::WriteIndex(const TransactionHistory& history)
    : history_(history),
      about_(history.operations.size(), kNoWrite),
      is_read_(history.keys.size(), false),
      key_in_table_(history.keys.size()) {
  name_writers();
  sort_by_key();
  for (std::size_t key = 0; key < history.keys.size(); ++key) {
    if (is_read_[key]) look_up_reads(key);
  }
  const bool has_lists = std::ranges::any_of(history.operations, [](const auto& operation) {
    return operation.action == KeyAction::read_list;
  });
  if (!has_lists) by_key_ = {};
}

void WriteIndex::name_writers() {
  for (std::size_t txn = 0; txn < history_.transactions.size(); ++txn) {
    const RecordedTransaction& recorded = history_.transactions[txn];
    for (std::uint32_t i = recorded.first; i < recorded.first + recorded.count; ++i) {
      if (writes_key(history_.operations[i])) about_[i] = static_cast<std::uint32_t>(txn);
    }
  }
}

void WriteIndex::sort_by_key() {
  begins_.assign(history_.keys.size() + 1, 0);
  for (const KeyOperation& operation : history_.operations) {
    const bool counts = writes_key(operation) || looks_up(operation);
    begins_[operation.key.index() + 1] += counts ? 1 : 0;
  }
  for (std::size_t key = 1; key < begins_.size(); ++key) begins_[key] += begins_[key - 1];
  by_key_.resize(begins_.back());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t i = 0; i < history_.operations.size(); ++i) {
    const KeyOperation& operation = history_.operations[i];
    const bool reads = looks_up(operation);
    if (!reads && !writes_key(operation)) continue;
    if (reads) is_read_[operation.key.index()] = true;
    by_key_[next[operation.key.index()]++] = static_cast<std::uint32_t>(i);
  }
}

void WriteIndex::look_up_reads(std::size_t key) {
  fill_table(key);
  for (std::size_t i = begins_[key]; i < begins_[key + 1]; ++i) {
    const std::uint32_t operation = by_key_[i];
    const KeyOperation& read = history_.operations[operation];
    if (looks_up(read)) about_[operation] = slots_[slot_of(read.value)];
  }
}

// Filled again, it repeats what is repeated.
void WriteIndex::fill_table(std::size_t key) {
  key_in_table_ = key;
  const std::size_t begin = begins_[key];
  const std::size_t end = begins_[key + 1];
  const std::size_t size = std::bit_ceil((end - begin) + (end - begin) / 2 + 2);
  slots_.assign(size, kNoWrite);
  mask_ = size - 1;
  for (std::size_t i = begin; i < end; ++i) {
    if (i + kAhead < end) __builtin_prefetch(&history_.operations[by_key_[i + kAhead]]);
    const std::uint32_t index = by_key_[i];
    const KeyOperation& operation = history_.operations[index];
    if (!writes_key(operation)) continue;
    std::uint32_t& slot = slots_[slot_of(operation.value)];
    if (slot == kNoWrite) {
      slot = index;
      continue;
    }
    std::vector<std::uint32_t>& all = repeated_[slot];
    if (all.empty() || all.back() >= index) all = {slot};
    all.push_back(index);
  }
}

void WriteIndex::prefetch(std::uint32_t read) const {
  const std::uint32_t write = about_[read];
  if (write != kNoWrite) __builtin_prefetch(about_.data() + write);
}

// The slot that holds it, or the free one where it belongs.
std::size_t WriteIndex::slot_of(Value value) const {
  std::size_t slot = mixed(static_cast<std::uint64_t>(value.code)) & mask_;
  while (slots_[slot] != kNoWrite && history_.operations[slots_[slot]].value != value) {
    slot = (slot + 1) & mask_;
  }
  return slot;
}

std::span<const std::uint32_t> WriteIndex::all_like(const std::uint32_t& write) const {
  if (write == kNoWrite) return {};
  if (!repeated_.empty()) {
    if (const auto found = repeated_.find(write); found != repeated_.end()) return found->second;
  }
  return {&write, 1};
}

std::span<const std::uint32_t> WriteIndex::writes_seen_by(std::uint32_t read) const {
  return all_like(about_[read]);
}

std::span<const std::uint32_t> WriteIndex::writes_of(KeyId key, Value value) {
  if (key_in_table_ != key.index()) fill_table(key.index());
  return all_like(slots_[slot_of(value)]);
}

}  // namespace heddle
