#include "check/observation/bounds.h"

#include <algorithm>
#include <cstdio>
#include <malloc.h>
#include <unistd.h>

#include <fmt/format.h>

namespace heddle {

namespace {

constexpr std::uint64_t kStepsBetweenLooks = 1 << 14;

std::string in_megabytes(std::size_t bytes) { return fmt::format("{} MB", bytes / 1'000'000); }

}  // namespace

std::size_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long total = 0;
  unsigned long resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &total, &resident);  // NOLINT(cert-err34-c)
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

Meter::Meter(const CheckBounds& bounds)
    : bounds_(bounds),
      deadline_(std::chrono::steady_clock::now() + std::chrono::milliseconds(bounds.timeout_ms)) {
  start_answer();
}

void Meter::start_answer(std::uint64_t patience) {
  steps_ = 0;
  next_look_ = 0;
  patience_ = patience;
  put_off_ = false;
  // Another answer may need fewer steps and less memory; time is gone for all.
  if (hits_all_ || hit_.empty()) return;
  hit_.clear();
  malloc_trim(0);
}

void Meter::be_patient() {
  patience_ = 0;
  if (put_off_) hit_.clear();
  put_off_ = false;
}

bool Meter::would_fit(std::size_t bytes) const {
  return bounds_.memory_bytes == 0 || resident_bytes() + bytes <= bounds_.memory_bytes;
}

void Meter::hit_memory() {
  hit_ = bounds_.memory_bytes == 0 ? "the memory that there is"
                                   : "the memory limit of " + in_megabytes(bounds_.memory_bytes);
}

std::size_t Meter::room() const {
  const std::size_t taken = resident_bytes();
  return bounds_.memory_bytes > taken ? bounds_.memory_bytes - taken : 0;
}

bool Meter::may_allocate(std::size_t bytes) {
  if (is_hit()) return false;
  if (!would_fit(bytes)) hit_memory();
  return !is_hit();
}

bool Meter::look() {
  next_look_ = steps_ + kStepsBetweenLooks;
  if (bounds_.steps != 0) next_look_ = std::min(next_look_, bounds_.steps);
  if (patience_ != 0) next_look_ = std::min(next_look_, patience_);
  if (is_hit()) return false;
  if (bounds_.steps != 0 && steps_ >= bounds_.steps) {
    hit_ = fmt::format("the limit of {} steps", bounds_.steps);
  } else if (bounds_.timeout_ms != 0 && std::chrono::steady_clock::now() > deadline_) {
    hits_all_ = true;
    hit_ = fmt::format("the time limit of {} s", static_cast<double>(bounds_.timeout_ms) / 1000);
  } else if (patience_ != 0 && steps_ >= patience_) {
    put_off_ = true;
    hit_ = "patience";
  } else {
    (void)may_allocate(0);
  }
  return !is_hit();
}

}  // namespace heddle
