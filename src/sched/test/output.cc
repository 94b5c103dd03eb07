#include "sched/test/output.h"

#include <cstdio>
#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

char output_buffer[BUFSIZ];

constexpr int kOutputs[2] = {STDOUT_FILENO, STDERR_FILENO};

// What was written before stays where it was meant to go.
void redirect(int to, int (&kept)[2]) {
  fflush(nullptr);
  for (int i = 0; i < 2; ++i) {
    kept[i] = fcntl(kOutputs[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (to >= 0) dup2(to, kOutputs[i]);
  }
}

void put_back(const int (&kept)[2]) {
  fflush(nullptr);
  for (int i = 0; i < 2; ++i) {
    if (kept[i] < 0) continue;
    dup2(kept[i], kOutputs[i]);
    close(kept[i]);
  }
}

}  // namespace

void allocate_buffers() {
  if (__fbufsize(stdout) != 0) return;
  setvbuf(stdout, output_buffer, isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF,
          sizeof output_buffer);
}

Quiet::Quiet() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  redirect(nowhere, kept_);
  if (kept_[1] >= 0) error_output = kept_[1];
  if (nowhere >= 0) close(nowhere);
}

Quiet::~Quiet() {
  error_output = STDERR_FILENO;
  put_back(kept_);
}

// Nothing is held back, so that what was written by then is there when another thread goes on.
Captured::Captured()
    : memory_(memfd_create("heddle", MFD_CLOEXEC)),
      is_buffered_(__fbufsize(stdout) > 1),
      is_line_buffered_(__flbf(stdout) != 0) {
  redirect(memory_, kept_);
  setvbuf(stdout, nullptr, _IONBF, 0);
}

Captured::~Captured() {
  put_back(kept_);
  // The buffer that it had before is gone, if it was the C library's.
  if (is_buffered_) {
    setvbuf(stdout, output_buffer, is_line_buffered_ ? _IOLBF : _IOFBF, sizeof output_buffer);
  }
  if (memory_ >= 0) close(memory_);
}

std::string Captured::text() const {
  fflush(nullptr);
  std::string text;
  char some[4096];
  for (;;) {
    const ssize_t count = pread(memory_, some, sizeof some, static_cast<off_t>(text.size()));
    if (count <= 0) return text;
    text.append(some, static_cast<std::size_t>(count));
  }
}

}  // namespace heddle::sched::runtime
