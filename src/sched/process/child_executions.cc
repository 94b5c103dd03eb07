#include "sched/process/child_executions.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/process/execution_bytes.h"
#include "sched/process/logged_strategy.h"
#include "sched/process/shared_memory.h"
#include "sched/runtime/libc.h"
#include "sched/runtime/looked_up.h"

namespace heddle::sched::runtime {

namespace {

// What a child of an execution ends with: not through the functions that a program's own ends come
// through.
[[noreturn]] void leave_process() {
  system_call(SYS_exit_group, {0});
  __builtin_unreachable();
}

// The program that a child begins has forked nothing: what its libraries would do at a fork has no
// place there. Where threads hand over, the child makes them again, so that the C library must
// forget those of this process.
pid_t fork_execution() { return fork(); }

}  // namespace

// What a child tells.
struct ChildExecutions::Report {
  static constexpr std::size_t kRoom = std::size_t{1} << 28;

  std::uint64_t finished;  // 1: all of this has been written
  std::uint64_t shared;    // how many addresses
  std::uint64_t decisions;
  std::uint64_t execution;  // how many bytes; these three follow each other
  LookedUp looked_up;
  alignas(16) std::uint8_t bytes[kRoom];

  std::uint64_t shared_bytes() const { return shared * sizeof(std::uintptr_t); }
  std::uint64_t decision_bytes() const { return decisions * sizeof(LoggedDecision); }
};

ChildExecutions::ChildExecutions(std::function<void()> prepare)
    : report_(static_cast<Report*>(map_shared(sizeof(Report)))), prepare_(std::move(prepare)) {}

ChildExecutions::~ChildExecutions() { munmap(report_, sizeof(Report)); }

void ChildExecutions::be_child(Strategy& strategy,
                               const std::function<Execution&(Strategy&)>& execute) {
  const pid_t self = getpid();
  // Each execution that ends by a signal would leave a file.
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  engine().enter_child();
  engine().use_flight(engine().flight());
  looked_up.clear();
  if (prepare_) prepare_();
  const std::size_t known = engine().shadow().shared_granules();
  LoggedStrategy logged(strategy);
  Strategy& used = strategy.looks_back() ? logged : strategy;
  Execution& execution = execute(used);
  // A process that the execution has forked comes here, too, and has nothing to tell.
  if (getpid() != self) leave_process();

  const std::vector<std::uintptr_t>& shared = engine().shadow().shared();
  const std::vector<LoggedDecision>& decisions = logged.decisions();
  std::vector<std::uint8_t> bytes = print_execution(execution);
  report_->shared = shared.size() - known;
  report_->decisions = decisions.size();
  if (report_->shared_bytes() + report_->decision_bytes() + bytes.size() > sizeof report_->bytes) {
    execution.recorded.clear();
    bytes = print_execution(execution);
    report_->decisions = 0;
  }
  report_->execution = bytes.size();
  report_->looked_up.assign(looked_up);
  std::uint8_t* to = report_->bytes;
  if (report_->shared > 0) memcpy(to, shared.data() + known, report_->shared_bytes());
  to += report_->shared_bytes();
  if (report_->decisions > 0) memcpy(to, decisions.data(), report_->decision_bytes());
  to += report_->decision_bytes();
  memcpy(to, bytes.data(), bytes.size());
  report_->finished = 1;
  leave_process();
}

Execution& ChildExecutions::run(Strategy& strategy,
                                const std::function<Execution&(Strategy&)>& execute) {
  execution_.clear();
  report_->finished = 0;
  const pid_t parent = getpid();
  const pid_t child = fork_execution();
  if (child < 0) stop_program("heddle: no process could be made for an execution");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) leave_process();
    be_child(strategy, execute);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  engine().flight().executing = 0;
  if (report_->finished == 1) {
    read_report(strategy);
  } else {
    note_lost(status);
    strategy.end_execution(0, false);
  }
  return execution_;
}

void ChildExecutions::read_report(Strategy& strategy) {
  const std::uint8_t* from = report_->bytes;
  Shadow& shadow = engine().shadow();
  const std::size_t known = shadow.shared_granules();
  for (std::uint64_t i = 0; i < report_->shared; ++i) {
    std::uintptr_t address = 0;
    memcpy(&address, from + i * sizeof address, sizeof address);
    shadow.share(address);
  }
  from += report_->shared_bytes();
  for (std::uint64_t i = 0; i < report_->decisions; ++i) {
    LoggedDecision decision;
    memcpy(&decision, from + i * sizeof decision, sizeof decision);
    decision.show(strategy);
  }
  from += report_->decision_bytes();
  if (!parse_execution(from, report_->execution, execution_)) {
    stop_program("heddle: a process told something that cannot be read");
  }
  strategy.end_execution(execution_.steps, shadow.shared_granules() > known);
  look_up_as(report_->looked_up);
  engine().make_threads(execution_.tasks);
  give_pages_back();
}

// The process ended without coming back to the runtime: by a signal that nobody handles, or by a
// system call.
void ChildExecutions::note_lost(int status) {
  Failure& failure = execution_.failure;
  execution_.schedule = engine().flight().schedule();
  if (WIFSIGNALED(status)) {
    failure.kind = FailureKind::crash;
    failure.what = std::string("the process is ended by SIG") + sigabbrev_np(WTERMSIG(status));
  } else {
    failure.kind = FailureKind::exit;
    failure.what =
        "the process ends by itself, with exit code " + std::to_string(WEXITSTATUS(status));
  }
}

// A long execution that was recorded takes much room, and the next ones do not.
void ChildExecutions::give_pages_back() {
  constexpr std::size_t kKept = std::size_t{1} << 20;
  const std::size_t used = report_->shared_bytes() + report_->decision_bytes() + report_->execution;
  if (used <= kKept) return;
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t into_page = reinterpret_cast<std::uintptr_t>(report_->bytes + kKept) % kPage;
  madvise(report_->bytes + kKept - into_page, (used - kKept) & ~(kPage - 1), MADV_REMOVE);
}

}  // namespace heddle::sched::runtime
