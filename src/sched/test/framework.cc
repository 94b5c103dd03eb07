#include "sched/test/framework.h"

#include <cstdio>

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
