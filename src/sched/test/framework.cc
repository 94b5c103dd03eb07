#include "sched/test/framework.h"

#include <cstdio>
#include <errno.h>
#include <map>
#include <string>

namespace heddle::sched::runtime {

namespace {

const Framework* framework = nullptr;

}  // namespace

InFramework::InFramework() {
  if (framework != nullptr) framework->begin();
}

InFramework::~InFramework() {
  if (framework != nullptr) framework->end();
}

std::string test_name(const Options& options) {
  static std::map<std::string, int> asked;
  std::string name = options.name;
  if (name.empty() && framework != nullptr) name = framework->name();
  if (name.empty()) name = program_invocation_short_name;
  const int times = ++asked[name];
  return times == 1 ? name : name + "-" + std::to_string(times);
}

void report_failure(const Answer& answer) {
  if (framework != nullptr && framework->report(answer.failure)) return;
  fputs(answer.failure.report.c_str(), stderr);
}

}  // namespace heddle::sched::runtime

namespace heddle::sched::entry {

extern "C" {
#pragma GCC visibility push(default)

void heddle_sched_set_framework(const Framework* told) { runtime::framework = told; }

#pragma GCC visibility pop
}

}  // namespace heddle::sched::entry
