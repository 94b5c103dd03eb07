// What a library's function does to a range of memory, as accesses of the task that called it.
//
// Each word is an access of its own, and others may go on in between: what is copied can be torn as
// by a loop over words. That holds for memory that nobody is known to share, too: else a schedule
// would count other operations when more is known.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::sched::runtime {

class Ranges {
 public:
  // `caller`: where the program called the function. REQUIRES: is_watched(caller).
  explicit Ranges(const void* caller) : caller_(caller) {}

  void read(const void* place, std::size_t size) const;
  // As memmove.
  void copy(void* to, const void* from, std::size_t size) const;
  // As memset.
  void fill(void* to, int byte, std::size_t size) const;
  // One access each, before `field` is read, or after which it may be written. A field may be a
  // pointer. NOLINTBEGIN(bugprone-sizeof-expression)
  template <class Field>
  Field get(const Field& field) const {
    access(static_cast<const void*>(&field), sizeof(Field), false, sizeof(Field));
    return field;
  }
  template <class Field>
  void set(Field& field, Field value) const {
    access(static_cast<const void*>(&field), sizeof(Field), true, sizeof(Field));
    field = value;
  }
  // NOLINTEND(bugprone-sizeof-expression)

 private:
  // A part of an access to `whole` bytes.
  void access(const void* place, std::size_t size, bool writes, std::size_t whole) const;
  void copy_part(char* to, const char* from, std::size_t size, std::size_t whole) const;

  const void* caller_;
  mutable std::uint32_t parts_ = 0;
};

}  // namespace heddle::sched::runtime
