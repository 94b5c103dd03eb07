// The end of what heddle_weak_exchange_begin.h began.
#pragma pop_macro("__atomic_compare_exchange_n")
#pragma pop_macro("__atomic_compare_exchange")
