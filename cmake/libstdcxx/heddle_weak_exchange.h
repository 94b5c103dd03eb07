// Included by the headers of this folder that stand before libstdc++'s.
//
// clang makes a compare_exchange_weak under -fsanitize=thread the strong form (LLVM:
// ThreadSanitizer.cpp, visitAtomicCASInst), which never fails where it could succeed; g++ calls
// the weak one. Here it is called, so that a failure without reason is tried with either.
#pragma once

#if defined(__clang__)
#if __has_feature(thread_sanitizer)
#define HEDDLE_WEAK_EXCHANGE

extern "C" {
int __tsan_atomic8_compare_exchange_weak(volatile unsigned char*, unsigned char*, unsigned char,
                                         int, int);
int __tsan_atomic16_compare_exchange_weak(volatile unsigned short*, unsigned short*, unsigned short,
                                          int, int);
int __tsan_atomic32_compare_exchange_weak(volatile unsigned*, unsigned*, unsigned, int, int);
int __tsan_atomic64_compare_exchange_weak(volatile unsigned long*, unsigned long*, unsigned long,
                                          int, int);
int __tsan_atomic128_compare_exchange_weak(volatile unsigned __int128*, unsigned __int128*,
                                           unsigned __int128, int, int);
}

// As __atomic_compare_exchange(object, expected, desired, true, success, failure).
template <class _Tp>
__attribute__((always_inline)) inline bool __heddle_weak_exchange(const volatile _Tp* __object,
                                                                  void* __expected,
                                                                  const void* __desired,
                                                                  int __success, int __failure) {
#define HEDDLE_OF_BITS(bits, type)                                                          \
  if constexpr (sizeof(_Tp) * 8 == bits) {                                                  \
    type __value;                                                                           \
    __builtin_memcpy(&__value, __desired, sizeof __value);                                  \
    return __tsan_atomic##bits##_compare_exchange_weak((volatile type*)(__object),          \
                                                       reinterpret_cast<type*>(__expected), \
                                                       __value, __success, __failure) != 0; \
  } else
  HEDDLE_OF_BITS(8, unsigned char)
  HEDDLE_OF_BITS(16, unsigned short)
  HEDDLE_OF_BITS(32, unsigned)
  HEDDLE_OF_BITS(64, unsigned long)
  HEDDLE_OF_BITS(128, unsigned __int128) {
    return __atomic_compare_exchange(const_cast<_Tp*>(__object), static_cast<_Tp*>(__expected),
                                     static_cast<_Tp*>(const_cast<void*>(__desired)), true,
                                     __success, __failure);
  }
#undef HEDDLE_OF_BITS
}

// As __atomic_compare_exchange_n(object, expected, desired, true, success, failure).
template <class _Tp, class _Desired>
__attribute__((always_inline)) inline bool __heddle_weak_exchange_n(const volatile _Tp* __object,
                                                                    void* __expected,
                                                                    _Desired __desired,
                                                                    int __success, int __failure) {
  _Tp __value = __desired;
  return __heddle_weak_exchange(__object, __expected, &__value, __success, __failure);
}

#endif
#endif
