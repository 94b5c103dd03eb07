#include "base/coroutine.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <cxxabi.h>
#include <new>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

#include "base/assert.h"

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(HEDDLE_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace heddle {

namespace {

// As much as a thread has. What is not used takes no memory.
constexpr std::size_t kStackBytes = std::size_t{8} << 20U;
// Whoever runs over the end hits it.
constexpr std::size_t kGuardBytes = std::size_t{64} << 10U;

}  // namespace

// The stack of a body, and where the body and its owner go on. The sanitizers are told of it.
class Coroutine::Stack {
 public:
  explicit Stack(Coroutine& owner) : owner_(owner) {
    memory_ = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory_, kGuardBytes, PROT_NONE);
    getcontext(&body_);
    body_.uc_stack.ss_sp = bottom();
    body_.uc_stack.ss_size = kStackBytes;
    body_.uc_link = nullptr;
    // makecontext() hands over integers.
    const auto halves = std::bit_cast<std::array<unsigned int, 2>>(this);
    makecontext(&body_, reinterpret_cast<void (*)()>(&Stack::begin), 2, halves[0], halves[1]);
#if defined(__SANITIZE_THREAD__)
    fiber_ = __tsan_create_fiber(0);
#endif
  }

  ~Stack() {
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(fiber_);
#endif
    munmap(memory_, kGuardBytes + kStackBytes);
  }

  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  void enter() {
    swap_handled();
#if defined(__SANITIZE_THREAD__)
    caller_fiber_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber_, 0);
#endif
#if defined(HEDDLE_ADDRESS_SANITIZER)
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, bottom(), kStackBytes);
#endif
    swapcontext(&caller_, &body_);
#if defined(HEDDLE_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
    swap_handled();
  }

  // `ends`: for good.
  void leave([[maybe_unused]] bool ends) {
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(caller_fiber_, 0);
#endif
#if defined(HEDDLE_ADDRESS_SANITIZER)
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(ends ? nullptr : &fake, caller_bottom_, caller_bytes_);
#endif
    swapcontext(&body_, &caller_);
#if defined(HEDDLE_ADDRESS_SANITIZER)
    arrive(fake);
#endif
  }

 private:
  // The exceptions that are being handled are the thread's (Itanium C++ ABI, 2.2.2), and belong to
  // the body or to its owner.
  struct HandledExceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  void swap_handled() {
    void* const globals = abi::__cxa_get_globals();
    HandledExceptions own;
    std::memcpy(&own, globals, sizeof own);
    std::memcpy(globals, &handled_, sizeof handled_);
    handled_ = own;
  }

  static void begin(unsigned int first, unsigned int second) {
    Stack& stack = *std::bit_cast<Stack*>(std::array<unsigned int, 2>{first, second});
#if defined(HEDDLE_ADDRESS_SANITIZER)
    stack.arrive(nullptr);
#endif
    stack.owner_.body_();
    stack.owner_.has_ended_ = true;
    stack.leave(true);
  }

#if defined(HEDDLE_ADDRESS_SANITIZER)
  void arrive(void* fake) {
    __sanitizer_finish_switch_fiber(fake, &caller_bottom_, &caller_bytes_);
  }
  const void* caller_bottom_ = nullptr;
  std::size_t caller_bytes_ = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* fiber_ = nullptr;
  void* caller_fiber_ = nullptr;
#endif

  char* bottom() const { return static_cast<char*>(memory_) + kGuardBytes; }

  Coroutine& owner_;
  void* memory_ = nullptr;
  ucontext_t body_{};
  ucontext_t caller_{};
  HandledExceptions handled_;
};

Coroutine::Coroutine(std::function<void()> body) : body_(std::move(body)) {}

Coroutine::~Coroutine() { HEDDLE_ASSERT(!has_begun() || has_ended_); }

bool Coroutine::resume() {
  HEDDLE_ASSERT(!has_ended_);
  if (!has_begun()) stack_ = std::make_unique<Stack>(*this);
  stack_->enter();
  return !has_ended_;
}

void Coroutine::give_back() { stack_->leave(false); }

}  // namespace heddle
