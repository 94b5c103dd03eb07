// Stands before libstdc++'s header of this name when tests of heddle::sched are compiled.
//
// The lock inside of std::atomic<std::shared_ptr> is given back with memory_order_relaxed where
// nothing was changed (GCC 12: _Sp_atomic::load), so that by the rules of C++ nothing orders the
// load's read of the pointer and the next store: a data race of the library, which heddle would
// report of each correct program. Here the lock's operations are sequentially consistent.
#pragma once

#include <bits/atomic_base.h>
#include <bits/shared_ptr.h>

// What a failed exchange learns is more than what a successful one does then: as it is meant here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Winvalid-memory-model"
#define memory_order_relaxed memory_order_seq_cst
#include_next <bits/shared_ptr_atomic.h>
#undef memory_order_relaxed
#pragma GCC diagnostic pop
