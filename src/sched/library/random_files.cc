// The kernel's files of random numbers: a test that opens one gets a file of numbers drawn from the
// seed, each time from another place on.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "sched/library/draws.h"
#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(const char*, int, mode_t)> real_open("open");
LibraryFunction<int(const char*, int, mode_t)> real_open64("open64");
LibraryFunction<int(int, const char*, int, mode_t)> real_openat("openat");
LibraryFunction<FILE*(const char*, const char*)> real_fopen("fopen");
LibraryFunction<FILE*(const char*, const char*)> real_fopen64("fopen64");

bool is_random_file(const char* path) {
  const std::string_view name(path);
  return name == "/dev/urandom" || name == "/dev/random";
}

// A file in memory, made once for each seed.
struct RandomFile {
  int descriptor = -1;
  std::uint64_t seed = 0;
};
RandomFile random_file;

constexpr std::size_t kFileBytes = std::size_t{1} << 20;
constexpr std::size_t kApart = 64;  // where one who opens the file begins behind the one before

void write_file(RandomFile& file, std::uint64_t seed) {
  file.seed = seed;
  RandomNumbers numbers(seed);
  std::vector<std::uint64_t> content(kFileBytes / sizeof(std::uint64_t));
  std::generate(content.begin(), content.end(), [&] { return numbers.next(); });
  const auto* bytes = reinterpret_cast<const char*>(content.data());
  for (std::size_t written = 0; written < kFileBytes;) {
    const ssize_t count =
        pwrite(file.descriptor, bytes + written, kFileBytes - written, static_cast<off_t>(written));
    if (count <= 0) stop_program("heddle: no room for a file of random numbers");
    written += static_cast<std::size_t>(count);
  }
}

// REQUIRES: is_on_task().
int open_random_file(int flags) {
  const InRuntime inside;
  RandomFile& file = random_file;
  const std::uint64_t seed = engine().options().seed;
  if (file.descriptor < 0) {
    file.descriptor = memfd_create("heddle", MFD_CLOEXEC);
    if (file.descriptor < 0) return -1;
    write_file(file, seed);
  } else if (file.seed != seed) {
    write_file(file, seed);
  }
  const std::string again = "/proc/self/fd/" + std::to_string(file.descriptor);
  const int opened = real_open(again.c_str(), O_RDONLY | (flags & O_CLOEXEC), 0);
  const std::uint64_t begin = count_opened() * kApart % kFileBytes;
  if (opened >= 0) lseek(opened, static_cast<off_t>(begin), SEEK_SET);
  return opened;
}

bool is_replaced(const char* path) { return is_on_task() && is_random_file(path); }

FILE* open_random_stream(const char* mode) {
  const int opened = open_random_file(0);
  return opened < 0 ? nullptr : fdopen(opened, *mode == 'r' ? "r" : "w");
}

// What open is given behind the flags, if they say that there is something.
mode_t mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = runtime::mode_of(flags, more);
  va_end(more);
  return runtime::is_replaced(path) ? runtime::open_random_file(flags)
                                    : runtime::real_open(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = runtime::mode_of(flags, more);
  va_end(more);
  return runtime::is_replaced(path) ? runtime::open_random_file(flags)
                                    : runtime::real_open64(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = runtime::mode_of(flags, more);
  va_end(more);
  return runtime::is_replaced(path) ? runtime::open_random_file(flags)
                                    : runtime::real_openat(folder, path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  return runtime::is_replaced(path) ? runtime::open_random_stream(mode)
                                    : runtime::real_fopen(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return runtime::is_replaced(path) ? runtime::open_random_stream(mode)
                                    : runtime::real_fopen64(path, mode);
}

#pragma GCC visibility pop
}
// NOLINTEND
