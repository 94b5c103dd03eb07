// What is known of an address in this execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::sched::runtime {

// Value needs void clear(). A table is emptied by counting executions; values are made once and
// used again.
template <class Value>
class AddressTable {
 public:
  AddressTable() : slots_(kFirst) {}

  void begin_execution() {
    ++execution_;
    live_ = 0;
  }

  // null: nothing was noted there in this execution.
  Value* find(std::uintptr_t address) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = place_of(address);; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.address == address) return slot.execution == execution_ ? slot.value.get() : nullptr;
      if (slot.value == nullptr) return nullptr;
    }
  }

  // REQUIRES: address is not 0.
  Value& get(std::uintptr_t address) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = place_of(address);; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.address == address) {
        if (slot.execution != execution_) {
          slot.execution = execution_;
          ++live_;
          slot.value->clear();
        }
        return *slot.value;
      }
      if (slot.value == nullptr) {
        if (++used_ * 2 > slots_.size()) {
          grow();
          return get(address);
        }
        slot = {address, execution_, std::make_unique<Value>()};
        slot.value->clear();
        ++live_;
        return *slot.value;
      }
    }
  }

  // Forgets what was noted for addresses from `address` on: such objects are aligned to four bytes
  // at least.
  void forget(std::uintptr_t address, std::size_t size) {
    if (live_ == 0) return;
    for (std::uintptr_t at = address; size <= kSmall && at < address + size; at += 4) {
      if (Value* value = find(at)) value->clear();
    }
  }

  template <class Function>
  void for_each(Function function) {
    for (Slot& slot : slots_) {
      if (slot.value != nullptr && slot.execution == execution_)
        function(slot.address, *slot.value);
    }
  }

 private:
  static constexpr std::size_t kFirst = 256;
  static constexpr std::size_t kSmall = 4096;
  struct Slot {
    std::uintptr_t address = 0;
    std::uint32_t execution = 0;
    std::unique_ptr<Value> value;
  };

  std::size_t place_of(std::uintptr_t address) const {
    return (address * 0x9E3779B97F4A7C15ULL >> 32) & (slots_.size() - 1);
  }

  // Only what is known of this execution moves on.
  void grow() {
    std::vector<Slot> old(slots_.size());
    std::size_t live = 0;
    for (const Slot& slot : slots_) live += slot.execution == execution_ ? 1 : 0;
    if (live * 4 > slots_.size()) old.resize(slots_.size() * 2);
    old.swap(slots_);
    used_ = 0;
    const std::size_t mask = slots_.size() - 1;
    for (Slot& slot : old) {
      if (slot.value == nullptr || slot.execution != execution_) continue;
      std::size_t at = place_of(slot.address);
      while (slots_[at].value != nullptr) at = (at + 1) & mask;
      slots_[at] = std::move(slot);
      ++used_;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::size_t live_ = 0;  // in this execution
  std::uint32_t execution_ = 1;
};

}  // namespace heddle::sched::runtime
