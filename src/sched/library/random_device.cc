// std::random_device, which may ask the processor itself: in a test its numbers are drawn from the
// seed, whatever it was made from. Outside it is the kernel's numbers that it gives, but for a
// library that is linked dynamically, whose own functions are called.
#include <dlfcn.h>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/random.h>

#include "sched/library/draws.h"
#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

using Device = std::random_device;

// The library's own function; null where it is linked statically and stands behind these here.
void* library_function(const char* name) { return dlsym(RTLD_NEXT, name); }

bool is_known_token(std::string_view token) {
  constexpr std::string_view kTokens[] = {"default", "rdseed",   "rdrand",       "rdrnd",
                                          "hw",      "hardware", "getentropy",   "arc4random",
                                          "prng",    "mt19937",  "/dev/urandom", "/dev/random"};
  for (const std::string_view known : kTokens) {
    if (known == token) return true;
  }
  return false;
}

unsigned kernel_number() {
  unsigned number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}

// What a device of a test holds, so that it may be used outside of it.
unsigned number_for_device(void* /*unused*/) { return kernel_number(); }

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the standard library's.
namespace std {
#pragma GCC visibility push(default)

void random_device::_M_init(const std::string& token) {
  if (!runtime::is_on_task()) {
    static const auto real = reinterpret_cast<void (*)(random_device*, const std::string&)>(
        runtime::library_function("_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11"
                                  "char_traitsIcESaIcEEE"));
    if (real != nullptr) return real(this, token);
  }
  if (!runtime::is_known_token(token)) {
    throw std::runtime_error("random_device::random_device(const std::string&): unsupported token");
  }
  _M_file = nullptr;
  _M_func = runtime::number_for_device;
  _M_fd = -1;
}

// Of the library alone, which would bring its other functions with it where it is linked
// statically.
void random_device::_M_init(const char* token, size_t size) { _M_init(std::string(token, size)); }

void random_device::_M_init_pretr1(const std::string& /*token*/) { _M_init("default"); }

void random_device::_M_fini() {
  if (_M_func == runtime::number_for_device) return;
  static const auto real = reinterpret_cast<void (*)(random_device*)>(
      runtime::library_function("_ZNSt13random_device7_M_finiEv"));
  if (real != nullptr) real(this);
}

random_device::result_type random_device::_M_getval() {
  if (runtime::is_on_task()) {
    return static_cast<result_type>(runtime::draw(__builtin_return_address(0)));
  }
  static const auto real = reinterpret_cast<result_type (*)(random_device*)>(
      runtime::library_function("_ZNSt13random_device9_M_getvalEv"));
  return real != nullptr ? real(this) : runtime::kernel_number();
}

random_device::result_type random_device::_M_getval_pretr1() { return _M_getval(); }

double random_device::_M_getentropy() const noexcept { return 32; }

#pragma GCC visibility pop
}  // namespace std
// NOLINTEND
