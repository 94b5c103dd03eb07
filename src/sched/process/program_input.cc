#include "sched/process/program_input.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::sched::runtime {

namespace {

// False: nothing came for so long.
bool waits_for_input(int patience_ms) {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&input, 1, patience_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool write_all(int to, const char* from, ssize_t size) {
  while (size > 0) {
    const ssize_t written = write(to, from, static_cast<std::size_t>(size));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    size -= written;
  }
  return true;
}

// Whatever comes, in a file that can be read more than once.
int keep_input() {
  constexpr int kFirst = 200;  // milliseconds
  constexpr int kMore = 2000;
  const int file = memfd_create("heddle input", MFD_CLOEXEC);
  if (file < 0) return file;
  char some[1 << 16];
  for (int patience_ms = kFirst; waits_for_input(patience_ms); patience_ms = kMore) {
    const ssize_t count = read(STDIN_FILENO, some, sizeof some);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || !write_all(file, some, count)) break;
  }
  return file;
}

}  // namespace

ProgramInput::ProgramInput() {
  struct stat status{};
  if (fstat(STDIN_FILENO, &status) != 0) return;
  if (S_ISREG(status.st_mode)) {
    file_ = STDIN_FILENO;
    begin_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
  } else if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    file_ = keep_input();
  } else if (isatty(STDIN_FILENO) != 0) {
    file_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
}

void ProgramInput::begin_execution() const {
  if (file_ < 0) return;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file_);
  // A file that is opened anew has a position of its own.
  const int opened = open(path, O_RDONLY | O_CLOEXEC);
  if (opened < 0) {
    lseek(file_, begin_, SEEK_SET);
    if (file_ != STDIN_FILENO) dup2(file_, STDIN_FILENO);
    return;
  }
  lseek(opened, begin_, SEEK_SET);
  dup2(opened, STDIN_FILENO);
  close(opened);
}

}  // namespace heddle::sched::runtime
