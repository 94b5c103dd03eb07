#include "sched/property/program_run.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "check/calls/search.h"
#include "sched/property/references.h"
#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

// The property as the checker of `heddle check` sees it: a state is a model's number, an argument
// the place of a call.
class PropertyModel final : public CallModel {
 public:
  PropertyModel(PropertyTest& property, std::uint32_t first) : property_(property), first_(first) {}

  std::string initial() const override { return print(first_); }
  bool step(std::string& state, const ObjectCall& call) const override {
    std::uint32_t model = 0;
    memcpy(&model, state.data(), sizeof model);
    const auto place = static_cast<std::size_t>(call.argument.code);
    std::uint32_t after = 0;
    if (call.outcome == CallOutcome::unknown) {
      after = property_.model_after(model, place);
    } else if (!property_.agrees(model, place, after)) {
      return false;
    }
    state = print(after);
    return true;
  }

 private:
  static std::string print(std::uint32_t number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }

  PropertyTest& property_;
  std::uint32_t first_;
};

}  // namespace

ProgramRun::ProgramRun(PropertyTest& property, Program program)
    : property_(property), program_(std::move(program)) {
  renumber(program_);
  calls_ = program_.calls();
  shown_ = show_calls(property_, program_);
  property_.prepare_program(calls_);
  made_.resize(calls_.size());
  std::size_t at = 0;
  const auto add = [&](std::size_t count) {
    parts_.push_back({this, at, at + count});
    at += count;
  };
  add(program_.prefix.size());
  for (const auto& branch : program_.branches) add(branch.size());
  add(program_.suffix.size());
}

void ProgramRun::prepare() {
  property_.prepare();
  std::fill(made_.begin(), made_.end(), MadeCall{});
}

void ProgramRun::execute(void* run) {
  auto& self = *static_cast<ProgramRun*>(run);
  self.property_.make_object();
  self.make_calls(self.parts_.front());
  Task* tasks[kMostTasks];
  const std::size_t branches = std::min(self.program_.branches.size(), kMostTasks - 1);
  for (std::size_t b = 0; b < branches; ++b) {
    const InRuntime inside;
    tasks[b] = &engine().create_task(execute_part, &self.parts_[b + 1], nullptr);
  }
  for (std::size_t b = 0; b < branches; ++b) {
    const InRuntime inside;
    engine().join_task(*tasks[b], nullptr);
  }
  self.make_calls(self.parts_.back());
  self.property_.drop_object();
}

void* ProgramRun::execute_part(void* part) {
  const Part& own = *static_cast<const Part*>(part);
  own.run->make_calls(own);
  return nullptr;
}

void ProgramRun::make_calls(const Part& part) {
  for (std::size_t place = part.first; place < part.last; ++place) make_call(place);
}

void ProgramRun::make_call(std::size_t place) {
  MadeCall& made = made_[place];
  {
    const InRuntime inside;
    made.task = engine().running().id;
    made.begun = engine().stamp_now();
    engine().stamp_next_step(&made.called);
    engine().pass({.kind = OperationKind::call, .object = place + 1});
  }
  const entry::Made how = property_.invoke(place);
  const InRuntime inside;
  const std::uint64_t now = engine().stamp_now();
  if (how == entry::Made::answered) made.returned = now;
  if (how == entry::Made::left_out) made = MadeCall{};
  engine().pass({.kind = OperationKind::returned, .object = place + 1});
}

// Mostly the calls have the order in which they returned.
bool ProgramRun::returned_in_order() {
  std::vector<std::size_t> order(calls_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [this](std::size_t one, std::size_t other) {
    return made_[one].returned < made_[other].returned;
  });
  std::uint32_t model = property_.first_model();
  for (const std::size_t place : order) {
    if (made_[place].returned == 0) return false;
    if (!property_.agrees(model, place, model)) return false;
  }
  return true;
}

bool ProgramRun::has_order() {
  if (returned_in_order()) return true;
  ObjectHistory history;
  for (std::size_t place = 0; place < calls_.size(); ++place) {
    const MadeCall& made = made_[place];
    if (made.begun == 0) continue;
    ObjectCall call;
    call.process = made.task;
    call.argument = Value::number(static_cast<std::int64_t>(place));
    call.called = made.called;
    call.returned = made.returned == 0 ? kNever : made.returned;
    call.outcome = made.returned == 0 ? CallOutcome::unknown : CallOutcome::ok;
    history.calls.push_back(call);
  }
  std::sort(
      history.calls.begin(), history.calls.end(),
      [](const ObjectCall& one, const ObjectCall& other) { return one.called < other.called; });
  std::vector<std::uint32_t> indices(history.calls.size());
  std::iota(indices.begin(), indices.end(), 0U);
  const PropertyModel model(property_, property_.first_model());
  const LinearizabilityOptions options;
  BoundMeter meter(options);
  const CallProblem problem = make_problem(history, model, CallOrder::linearizable, indices);
  return search_order(problem, model, meter).verdict != Verdict::violated;
}

void ProgramRun::judge(Failure& failure) {
  if (has_order()) return;
  failure.kind = FailureKind::not_linearizable;
  failure.what = "no order of the calls explains what they were answered";
}

std::string ProgramRun::describe() const { return show_program(property_, program_); }

std::vector<std::uint64_t> ProgramRun::program_numbers() const {
  std::vector<std::uint64_t> numbers;
  put_program(program_, numbers);
  return numbers;
}

std::vector<std::string> ProgramRun::answers() const {
  std::vector<std::string> answers;
  for (std::size_t place = 0; place < calls_.size(); ++place) {
    answers.push_back(property_.show_answer(place));
  }
  return answers;
}

std::string ProgramRun::describe_event(const Execution& execution, const Event& event) const {
  const std::size_t place = event.object - 1;
  if (place >= calls_.size()) return "";
  if (event.kind == OperationKind::call) return shown_[place];
  const std::string answer = place < execution.answers.size() ? execution.answers[place] : "";
  return answer.empty() ? "done" : "gives " + answer;
}

}  // namespace heddle::sched::runtime
