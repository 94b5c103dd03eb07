// As tree.cc, for what hash tables call: the hash of bytes reads them, and the policy of a table
// keeps when it has to grow. The numbers are libstdc++'s (its src/c++11/hashtable_c++0x.cc and
// libsupc++/hash_bytes.cc; Appleby: MurmurHash64A; Fowler, Noll and Vo: FNV-1a).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <unordered_map>

#include "sched/library/bucket_counts.h"
#include "sched/library/ranges.h"
#include "sched/runtime/instrumented.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kAllElements = SIZE_MAX;

struct Buckets {
  std::size_t count = 0;
  bool most = false;  // there can be no more
};

Buckets buckets_for(std::size_t wanted) {
  constexpr std::uint8_t kFew[] = {2, 2, 2, 3, 5, 5, 7, 7, 11, 11, 11, 11, 13, 13};
  if (wanted < std::size(kFew)) return {kFew[wanted]};
  // Smaller ones are among the few, and nothing is greater than the last.
  const auto* const last = std::end(kBucketCounts) - 1;
  const auto* const found = std::lower_bound(std::begin(kBucketCounts) + 6, last, wanted);
  return {*found, found == last};
}

std::size_t elements_in(std::size_t buckets, float load) {
  return static_cast<std::size_t>(std::floor(static_cast<double>(buckets) * load));
}

// The fields of a policy, read and written as accesses of the task that called.
class Policy {
 public:
  Policy(const std::__detail::_Prime_rehash_policy& policy, const void* caller)
      : policy_(policy), watched_(is_watched(caller)), ranges_(caller) {}

  float load() const {
    return watched_ ? ranges_.get(policy_._M_max_load_factor) : policy_._M_max_load_factor;
  }
  std::size_t next_resize() const {
    return watched_ ? ranges_.get(policy_._M_next_resize) : policy_._M_next_resize;
  }
  void set_next_resize(std::size_t elements) const {
    if (watched_) {
      ranges_.set(policy_._M_next_resize, elements);
    } else {
      policy_._M_next_resize = elements;
    }
  }
  std::size_t next_buckets(std::size_t wanted) const {
    if (wanted == 0) return 1;  // The first element asks again.
    const Buckets buckets = buckets_for(wanted);
    set_next_resize(buckets.most ? kAllElements : elements_in(buckets.count, load()));
    return buckets.count;
  }

 private:
  const std::__detail::_Prime_rehash_policy& policy_;
  bool watched_;
  Ranges ranges_;
};

void read_bytes(const void* bytes, std::size_t size, const void* caller) {
  if (is_watched(caller)) Ranges(caller).read(bytes, size);
}

constexpr std::uint64_t shift_mix(std::uint64_t value) { return value ^ value >> 47; }

std::uint64_t murmur(const char* bytes, std::size_t size, std::uint64_t seed) {
  constexpr std::uint64_t kFactor = 0xC6A4A7935BD1E995ULL;
  std::uint64_t hash = seed ^ size * kFactor;
  for (; size >= sizeof hash; size -= sizeof hash, bytes += sizeof hash) {
    std::uint64_t word = 0;
    memcpy(&word, bytes, sizeof word);
    hash = (hash ^ shift_mix(word * kFactor) * kFactor) * kFactor;
  }
  if (size != 0) {
    std::uint64_t word = 0;
    memcpy(&word, bytes, size);
    hash = (hash ^ word) * kFactor;
  }
  return shift_mix(shift_mix(hash) * kFactor);
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the standard library's.
namespace std {
#pragma GCC visibility push(default)

size_t _Hash_bytes(const void* bytes, size_t size, size_t seed) {
  runtime::read_bytes(bytes, size, __builtin_return_address(0));
  return runtime::murmur(static_cast<const char*>(bytes), size, seed);
}

size_t _Fnv_hash_bytes(const void* bytes, size_t size, size_t seed) {
  runtime::read_bytes(bytes, size, __builtin_return_address(0));
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (; size > 0; --size) seed = (seed ^ *at++) * 1099511628211ULL;
  return seed;
}

namespace __detail {

size_t _Prime_rehash_policy::_M_next_bkt(size_t wanted) const {
  return runtime::Policy(*this, __builtin_return_address(0)).next_buckets(wanted);
}

pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements,
                                                        size_t more) const {
  const runtime::Policy policy(*this, __builtin_return_address(0));
  const size_t limit = policy.next_resize();
  if (elements + more <= limit) return {false, 0};
  const double load = policy.load();
  const double wanted =
      static_cast<double>(max<size_t>(elements + more, limit != 0 ? 0 : 11)) / load;
  if (wanted >= static_cast<double>(buckets)) {
    return {true,
            policy.next_buckets(max<size_t>(static_cast<size_t>(floor(wanted)) + 1, buckets * 2))};
  }
  policy.set_next_resize(runtime::elements_in(buckets, static_cast<float>(load)));
  return {false, 0};
}

}  // namespace __detail
#pragma GCC visibility pop
}  // namespace std
// NOLINTEND
