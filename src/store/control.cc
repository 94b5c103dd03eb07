#include "store/control.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <poll.h>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "store/trouble.h"

namespace heddle {

namespace {

constexpr std::chrono::seconds kPatienceAfterCancel{10};

Diagnostic interruption() {
  return Diagnostic{.what = "interrupted",
                    .what_to_do = "",
                    .file = "",
                    .position = {},
                    .trouble = Trouble::interrupted};
}

Diagnostic overdue(const std::string& text, std::uint32_t timeout_ms) {
  return Diagnostic{
      .what = fmt::format("a statement did not return within {} ms: {}", timeout_ms, text),
      .what_to_do = "",
      .file = "",
      .position = {},
      .trouble = Trouble::bound};
}

}  // namespace

Result<std::vector<Reply>> execute_on(StoreSession& session, const std::string& product,
                                      const std::string& text, std::uint32_t timeout_ms) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  // A statement that was given up on may still be under way.
  auto earlier = session.busy();
  if (!earlier) return earlier.error();
  if (*earlier) return store_trouble(product + " does not answer");
  if (auto sent = session.send(text); !sent) return sent.error();
  auto deadline = Clock::now() + milliseconds(timeout_ms);
  std::optional<Diagnostic> ended;
  while (true) {
    auto busy = session.busy();
    if (!busy) return busy.error();
    if (!*busy) break;
    const bool late = Clock::now() >= deadline;
    if (ended && late) return *ended;
    if (!ended && (late || interrupted())) {
      ended = interrupted() ? interruption() : overdue(text, timeout_ms);
      session.cancel();
      deadline = Clock::now() + kPatienceAfterCancel;
    }
    pollfd waits[] = {{session.socket(), POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
    // After the cancel only the server's answer is of interest.
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    poll(waits, ended ? 1 : 2, std::max(0, static_cast<int>(left.count())));
  }
  if (ended) return *ended;
  return session.take_replies();
}

std::string session_name(const std::string& application) {
  return application.substr(application.rfind('/') + 1);
}

}  // namespace heddle
