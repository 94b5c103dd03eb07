// The C library's own functions, behind those of the same name that the runtime puts before them.
#pragma once

#include <array>
#include <cstddef>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>

namespace heddle::sched::runtime {

// The next function of a name behind the program's own.
class NextFunction {
 public:
  // Stops the program if there is none.
  void look_up();

 protected:
  explicit constexpr NextFunction(const char* name) : name_(name) {}

  void* function_ = nullptr;

 private:
  const char* name_;
};

// A function of the C library, looked up when it is first called.
template <class Function>
class LibraryFunction;

template <class Returned, class... Arguments>
class LibraryFunction<Returned(Arguments...)> : public NextFunction {
 public:
  explicit constexpr LibraryFunction(const char* name) : NextFunction(name) {}

  Returned operator()(Arguments... arguments) {
    if (function_ == nullptr) [[unlikely]]
      look_up();
    return reinterpret_cast<Returned (*)(Arguments...)>(function_)(arguments...);
  }
};

// Where the runtime's own words go, while the program's standard error goes elsewhere.
extern int error_output;

// What the runtime itself says, whatever becomes of the program's output.
void write_error(const char* text);

// Says what is wrong and stops the program.
[[noreturn]] void stop_program(const char* what);

// A system call; what it returns is its error, negated, if it failed. Not through syscall(), which
// the program's own come through.
long system_call(long number, const std::array<long, 6>& arguments);

// Waits while `*word` is `expected`, and wakes one who does.
long futex_wait(int* word, int expected);
long futex_wake(int* word);

}  // namespace heddle::sched::runtime
