// Stands before libstdc++'s header of this name when tests of heddle::sched are compiled:
// heddle_weak_exchange.h tells why.
#pragma once

// clang-format off: in this order.
#include <heddle_weak_exchange_begin.h>
#include_next <bits/shared_ptr_base.h>
#include <heddle_weak_exchange_end.h>
// clang-format on
