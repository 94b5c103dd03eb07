// Executions of a program, and whether its answers are those of some order of its calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sched/property/program.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

// When a call was made and came back, as moments of the execution; all 0: it was left out. A call
// begins with its first step: it might as well have been made only then.
struct MadeCall {
  std::uint32_t task = 0;
  std::uint64_t begun = 0;  // when the task came to it
  std::uint64_t called = 0;
  std::uint64_t returned = 0;  // 0: it did not, or how it ended is unknown
};

class ProgramRun final : public Judge {
 public:
  ProgramRun(PropertyTest& property, Program program);

  // What a Test executes; `run` is a ProgramRun.
  static void execute(void* run);

  const Program& program() const { return program_; }
  const std::vector<PropertyCall>& calls() const { return calls_; }
  // Of the last execution, call by call.
  const std::vector<MadeCall>& made() const { return made_; }
  PropertyTest& property() const { return property_; }

  void prepare() override;
  void judge(Failure& failure) override;
  std::string describe() const override;
  std::string describe_event(const Execution& execution, const Event& event) const override;
  std::vector<std::string> answers() const override;
  std::vector<std::uint64_t> program_numbers() const override;

 private:
  // A row of calls that one task makes.
  struct Part {
    ProgramRun* run = nullptr;
    std::size_t first = 0;
    std::size_t last = 0;
  };

  static void* execute_part(void* part);
  void make_calls(const Part& part);
  void make_call(std::size_t place);
  bool has_order();
  bool returned_in_order();

  PropertyTest& property_;
  Program program_;
  std::vector<PropertyCall> calls_;
  std::vector<std::string> shown_;  // calls
  std::vector<MadeCall> made_;
  std::vector<Part> parts_;  // prefix, branches, suffix
};

}  // namespace heddle::sched::runtime
