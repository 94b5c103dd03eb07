// Commands that take what earlier ones were answered.
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/sched_property.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::Earlier;
using heddle::sched::Property;
using heddle::sched::Source;
using heddle::sched::Unknown;

// Handles that are opened and closed. The broken one may close one twice.
template <bool locked>
class Handles {
 public:
  int open() { return next_.fetch_add(1); }
  bool close(int handle) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if constexpr (locked) lock.lock();
    auto& is_closed = closed_[static_cast<std::size_t>(handle) % closed_.size()];
    if (is_closed.load()) return false;
    is_closed.store(true);
    return true;
  }
  bool is_closed(int handle) {
    return closed_[static_cast<std::size_t>(handle) % closed_.size()].load();
  }

 private:
  std::mutex mutex_;
  std::atomic<int> next_ = 0;
  std::array<std::atomic<bool>, 64> closed_{};
};

struct HandlesModel {
  int next = 0;
  std::set<int> closed;
  friend bool operator==(const HandlesModel&, const HandlesModel&) = default;
};

template <bool locked>
Property<Handles<locked>, HandlesModel> property_of_handles() {
  using Object = Handles<locked>;
  Property<Object, HandlesModel> property;
  property.command(
      "open", [](Object& object) { return object.open(); },
      [](HandlesModel& model) { return model.next++; });
  property.command(
      "close", Earlier<int>("open"),
      [](Object& object, int handle) { return object.close(handle); },
      [](HandlesModel& model, int handle) { return model.closed.insert(handle).second; });
  return property;
}

std::string program_of(const Answer& answer) {
  const std::string& report = answer.failure.report;
  const std::size_t begin = report.find("\n\n");
  return begin == std::string::npos
             ? report
             : report.substr(begin + 2, report.find("\n\n", begin + 2) - begin - 1);
}

void references_stay_valid() {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto broken = property_of_handles<false>();
    const Answer answer = check(broken, {.prefix = 4, .branches = 3, .branch = 4, .suffix = 2},
                                {.seconds = 60, .seed = seed, .quiet = true});
    expect(!answer.passed && answer.failure.kind == "not linearizable", answer.failure.kind);
    expect(
        program_of(answer) == "first: a = open()\nthread 1: close(a)\nthread 2: close(a)\n",
        "the smallest program with seed " + std::to_string(seed) + ":\n" + answer.failure.report);
  }
  auto right = property_of_handles<true>();
  const Answer answer = check(right, {}, {.executions = 10'000, .seconds = 60});
  expect(answer.passed, answer.failure.report);
}

// Of one call: open. Of two: 2 of one thread, and two branches of open. Of three: 5 of one thread,
// as a close may be of the first or the second; 2 of branches of two and one; 3 behind an open; 3
// before an open or a close of one or the other.
void all_programs_are_tried() {
  auto right = property_of_handles<true>();
  const Answer answer = check(right, {.all = 3}, {.executions = 1'000'000, .seconds = 60});
  expect(answer.passed && answer.coverage.starts_with("all 17 programs of at most 3 commands"),
         answer.coverage + answer.failure.report);
  auto broken = property_of_handles<false>();
  const Answer wrong = check(broken, {.all = 3}, {.executions = 1'000'000, .quiet = true});
  expect(program_of(wrong) == "first: a = open()\nthread 1: close(a)\nthread 2: close(a)\n",
         wrong.failure.report);
}

void conditions_see_arguments() {
  // Closing what is closed would end the test.
  struct Strict : Handles<true> {
    void close_once(int handle, int times) {
      if (times == 0 || !close(handle)) heddle::sched::fail("it was closed before");
    }
  };
  Property<Strict, HandlesModel> property;
  property
      .command(
          "open", [](Strict& object) { return object.open(); },
          [](HandlesModel& model) { return model.next++; })
      .command(
          "close", Earlier<int>("open"),
          [](Source& source) { return static_cast<int>(source.between(0, 2)); },
          [](Strict& object, int handle, int times) { object.close_once(handle, times); },
          [](HandlesModel& model, int handle, int /*times*/) { model.closed.insert(handle); })
      .when<int, int>([](const HandlesModel& model, int handle, int times) {
        return !model.closed.contains(handle) && times > 0;
      });
  const Answer answer = check(property, {.prefix = 4, .branches = 3, .branch = 3, .suffix = 3},
                              {.executions = 10'000, .seconds = 60});
  expect(answer.passed, answer.failure.report);
  expect(answer.statistics.find("close and open") != std::string::npos ||
             answer.statistics.find("open and close") != std::string::npos,
         answer.statistics);
}

// ------------------------------------------------------------------- several, and without a model

class Register {
 public:
  std::optional<int> put(int value) {
    const int place = size_.load();
    if (place == 8) return std::nullopt;
    values_[static_cast<std::size_t>(place)] = value;
    size_.store(place + 1);  // Another one may have come in between.
    return place;
  }
  int sum(std::optional<int> one, std::optional<int> other) { return at(one) + at(other); }

 private:
  int at(std::optional<int> place) {
    return place ? values_[static_cast<std::size_t>(*place)].load() : 0;
  }
  std::array<std::atomic<int>, 8> values_{};
  std::atomic<int> size_ = 0;
};

void two_answers_are_taken_without_a_model() {
  using Place = std::optional<int>;
  Property<Register> property;
  property
      .command(
          "put", [](Source& source) { return static_cast<int>(source.between(1, 9)); },
          [](Register& object, int value) { return object.put(value); })
      .command("sum", std::tuple(Earlier<Place>("put"), Earlier<Place>("put")),
               [](Register& object, Place one, Place other) { return object.sum(one, other); });
  const Answer answer = check(property, {}, {.seconds = 60, .quiet = true});
  expect(!answer.passed && program_of(answer) == "thread 1: put(1)\nthread 2: put(1)\n",
         answer.failure.report);
  const Answer alone = check(property, {.prefix = 9, .branches = 0, .branch = 0, .suffix = 0},
                             {.executions = 64, .seconds = 60});
  expect(alone.passed && alone.statistics.find("sum") != std::string::npos, alone.statistics);
}

void what_takes_no_answer_is_left_out() {
  struct Object {
    std::atomic<int> used = 0;
    int open() { throw Unknown{}; }
    int use(int handle) { return used += handle; }
  };
  Property<Object, int> property;
  property
      .command(
          "open", [](Object& object) { return object.open(); }, [](int& /*model*/) { return 1; })
      .command(
          "use", Earlier<int>("open"),
          [](Object& object, int handle) {
            heddle::sched::fail("there is no answer to use");
            return object.use(handle);
          },
          [](int& model, int handle) { return model += handle; });
  const Answer answer = check(property, {}, {.executions = 2'000, .seconds = 60});
  expect(answer.passed && answer.statistics.find("use") != std::string::npos,
         answer.failure.report);
}

// What is printed instead of a test, by a process of its own.
template <class Make>
void is_refused(Make make, const std::string& message) {
  int ends[2];
  expect(pipe(ends) == 0, "a pipe");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    Property<Handles<true>, HandlesModel> property;
    make(property);
    check(property);
    _exit(0);
  }
  close(ends[1]);
  std::string told;
  char some[256];
  for (ssize_t count = 0; (count = read(ends[0], some, sizeof some)) > 0;) {
    told.append(some, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) != 0 && told == message, told);
}

void what_cannot_be_is_refused() {
  using Object = Handles<true>;
  const auto close = [](Object& object, int handle) { return object.close(handle); };
  const auto says = [](HandlesModel& model, int handle) {
    return model.closed.insert(handle).second;
  };
  is_refused([&](auto& property) { property.command("close", Earlier<int>("open"), close, says); },
             "heddle: command close takes the answer of open, which is no command\n");
  is_refused([&](auto& property) { property.command("close", Earlier<int>("close"), close, says); },
             "heddle: command close takes the answer of close, which answers another type\n");
  is_refused(
      [&](auto& property) {
        property.command("close", Earlier<int>("open"), close, says)
            .template when<bool>([](const HandlesModel&, bool) { return true; });
      },
      "heddle: the condition of command close has other arguments than it\n");
}

}  // namespace

int main() {
  what_cannot_be_is_refused();
  references_stay_valid();
  all_programs_are_tried();
  conditions_see_arguments();
  two_answers_are_taken_without_a_model();
  what_takes_no_answer_is_left_out();
  return expectations_met();
}
