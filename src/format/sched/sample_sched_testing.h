// Findings of thread programs that tests read, write and draw.
#pragma once

#include <string>
#include <vector>

#include "heddle/sched_finding.h"

namespace heddle::sample {

inline SchedStep step_of(std::size_t number, std::size_t thread, const std::string& text,
                         std::uint32_t line) {
  SchedStep step;
  step.number = number;
  step.thread = thread;
  step.operation = text.substr(0, text.find(' '));
  step.text = text;
  step.object = "A";
  step.is_write = step.operation == "writes";
  step.place = {.file = "/src/lost.cc", .line = line, .source = "++counter;"};
  return step;
}

inline SchedFinding lost_update() {
  SchedFinding finding;
  finding.program = "/build/lost";
  finding.arguments = {"--twice", "a b"};
  finding.environment = {"HEDDLE_RACES=find"};
  finding.test = "Counter.Counts";
  finding.oracle = "assertion failed";
  finding.message = "an increment is lost";
  finding.place = {.file = "/src/lost.cc", .line = 11, .source = "if (counter != 2) fail();"};
  finding.token = "aevXukwAADwFj";
  finding.departures = 1;
  finding.executions = 4;
  finding.threads = 2;
  finding.steps = {step_of(1, 0, "reads 0 (A)", 9), step_of(2, 1, "reads 0 (A)", 8),
                   step_of(3, 1, "writes 1 (A)", 8), step_of(4, 0, "writes 1 (A)", 9)};
  finding.pair = SchedPair{.first = 0, .second = 2, .reversed = 1, .mutex = ""};
  finding.no_return = SchedNoReturn{.step = 1, .continuations = 2, .are_all = true};
  finding.pattern = "lost update";
  finding.output = {{.thread = 0, .text = "hello"}, {.thread = std::nullopt, .text = "bye"}};
  finding.again = "HEDDLE_REPLAY=aevXukwAADwFj HEDDLE_RACES=find ./lost --twice 'a b'";
  finding.debugger = "gdb ./lost";
  return finding;
}

inline SchedFinding deadlock() {
  SchedFinding finding = lost_update();
  finding.oracle = "deadlock";
  finding.message = "no thread can go on";
  finding.place = {};
  finding.waiting = {"thread 0 locks B, which thread 1 has", "thread 1 locks A"};
  finding.commands = "thread 1: add(1)\n";
  finding.steps[3].waits = true;
  finding.steps[3].text = "waits: locks (B)";
  finding.steps[1].is_call = true;
  finding.steps[1].place = {};
  finding.steps[2].before = UINT64_MAX;
  finding.pair = SchedPair{.first = 0, .second = 3, .is_race = true, .reversed = 3, .mutex = "M"};
  finding.no_return = SchedNoReturn{.step = std::nullopt, .continuations = 9};
  finding.pattern = "";
  finding.output.clear();
  return finding;
}

// What programs call things and write may be any bytes.
inline SchedFinding odd_texts() {
  SchedFinding finding = lost_update();
  finding.test = "a<b>\x01 \"&\" \xff";
  finding.message = "\xe2\x80\xae tricky \\ \n";
  finding.steps[0].text = "reads \x1b[31m0";
  finding.output = {{.thread = 1, .text = std::string("\0\xc3", 2)}};
  finding.is_unsteady = true;
  return finding;
}

inline std::vector<SchedFinding> sched_findings() {
  return {lost_update(), deadlock(), odd_texts(), SchedFinding{}};
}

}  // namespace heddle::sample
