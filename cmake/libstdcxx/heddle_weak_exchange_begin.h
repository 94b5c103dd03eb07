// What follows calls the weak form for weak exchanges, up to heddle_weak_exchange_end.h;
// heddle_weak_exchange.h tells why.
#include <heddle_weak_exchange.h>

#pragma push_macro("__atomic_compare_exchange")
#pragma push_macro("__atomic_compare_exchange_n")
#if defined(HEDDLE_WEAK_EXCHANGE)
#define __atomic_compare_exchange(object, expected, desired, weak, success, failure) \
  ((weak) ? ::__heddle_weak_exchange(object, expected, desired, success, failure)    \
          : __atomic_compare_exchange(object, expected, desired, weak, success, failure))
#define __atomic_compare_exchange_n(object, expected, desired, weak, success, failure) \
  ((weak) ? ::__heddle_weak_exchange_n(object, expected, desired, success, failure)    \
          : __atomic_compare_exchange_n(object, expected, desired, weak, success, failure))
#endif
