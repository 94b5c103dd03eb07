// Stands before libstdc++'s header of this name when tests of heddle::sched are compiled:
// heddle_weak_exchange.h tells why.
#pragma once

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
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__atomic_compare_exchange_n")
#pragma pop_macro("__atomic_compare_exchange")
