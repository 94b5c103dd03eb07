#include "sched/process/debugger.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace heddle::sched::runtime {

bool is_debugged(int process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/status", process);
  char status[4096];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t count = read(file, status, sizeof status - 1);
  close(file);
  if (count <= 0) return false;
  status[count] = 0;
  constexpr char kTracer[] = "TracerPid:";
  const char* tracer = strstr(status, kTracer);
  return tracer != nullptr && atoi(tracer + sizeof kTracer - 1) != 0;
}

}  // namespace heddle::sched::runtime
