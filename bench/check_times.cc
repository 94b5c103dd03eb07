// What bench/check measures, one step per run, so that the memory of one step is not that of
// another:
//
//   check_times write SHAPE FORMAT FILE     a made-up history to a file
//   check_times read FILE                   how long reading it takes
//   check_times check FILE LEVEL,... MEMORY reading and checking, each timed
//   check_times made SHAPE LEVEL,... MEMORY the same of a made-up history, which is not read
//
// The answer is one line: seconds of processor time of reading and of checking, the most memory
// held in megabytes, verdicts. What is not read has the number of its operations or calls in their
// place.
#include <cstdio>
#include <ctime>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "check/generate/shapes.h"
#include "frontend/history/formats/read_history.h"
#include "frontend/history/formats/write_history.h"
#include "heddle/check.h"
#include "heddle/linearizability.h"

namespace {

using heddle::Result;

// Processor time, so that little depends on what else runs.
class Stopwatch {
 public:
  double seconds() const { return now() - begun_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  double begun_ = now();
};

std::size_t peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) / 1000;
}

void print(double reading, double checking, const std::string& verdicts) {
  fmt::print("{:.3f} {:.3f} {} {}\n", reading, checking, peak_megabytes(), verdicts);
}

Result<void> write(const std::string& shape, const std::string& format, const std::string& file) {
  const auto wanted = heddle::find_history_format(format);
  if (!wanted) return heddle::Diagnostic{.what = "unknown format " + format};
  const Result<heddle::GenerateRequest> request = heddle::parse_generate_request(shape);
  if (!request) return request.error();
  const Result<std::string> text = heddle::write_history(heddle::generate(*request), *wanted);
  if (!text) return text.error();
  return heddle::write_file_atomically(file, *text);
}

Result<heddle::RecordedHistory> read(const std::string& file) {
  constexpr std::size_t kLargest = std::size_t{16} << 30U;
  const Result<std::string> text = heddle::read_file(file, kLargest);
  if (!text) return text.error();
  return heddle::read_history(*text, file);
}

Result<std::string> check(const heddle::TransactionHistory& history, const std::string& levels,
                          std::size_t memory) {
  heddle::CheckOptions options;
  options.bounds.memory_bytes = memory;
  for (const std::string& name : heddle::split(levels, ',')) {
    const auto level = heddle::find_isolation_level(name);
    if (level) options.levels.push_back(*level);
  }
  const Result<heddle::CheckReport> report = heddle::check_history(history, options);
  if (!report) return report.error();
  std::vector<std::string> verdicts;
  for (const heddle::LevelAnswer& answer : report->answers) {
    verdicts.emplace_back(heddle::to_string(answer.verdict));
  }
  return heddle::join(verdicts, ",");
}

Result<std::string> check(const heddle::ObjectHistory& history, const std::string& /*levels*/,
                          std::size_t memory) {
  heddle::LinearizabilityOptions options;
  if (memory != 0) options.memory_bytes = memory;
  return std::string(heddle::to_string(heddle::check_linearizable(history, options).verdict));
}

std::size_t size_of(const heddle::TransactionHistory& history) { return history.operations.size(); }
std::size_t size_of(const heddle::ObjectHistory& history) { return history.calls.size(); }

Result<void> check_made(const std::string& shape, const std::string& levels, std::size_t memory) {
  const Result<heddle::GenerateRequest> request = heddle::parse_generate_request(shape);
  if (!request) return request.error();
  const heddle::RecordedHistory history = heddle::generate(*request);
  const Stopwatch checking;
  const Result<std::string> verdicts =
      std::visit([&](const auto& either) { return check(either, levels, memory); }, history);
  if (!verdicts) return verdicts.error();
  const std::size_t size = std::visit([](const auto& either) { return size_of(either); }, history);
  fmt::print("{} {:.4f} {} {}\n", size, checking.seconds(), peak_megabytes(), *verdicts);
  return {};
}

Result<void> run(const std::vector<std::string>& words) {
  if (words.size() == 4 && words[0] == "write") return write(words[1], words[2], words[3]);
  if (words.size() == 4 && words[0] == "made") {
    return check_made(words[1], words[2], std::stoull(words[3]));
  }
  const bool checks = words.size() == 4 && words[0] == "check";
  if (!checks && (words.size() != 2 || words[0] != "read")) {
    return heddle::Diagnostic{.what = "see the head of bench/check_times.cc"};
  }
  const Stopwatch reading;
  const Result<heddle::RecordedHistory> history = read(words[1]);
  if (!history) return history.error();
  const double seconds = reading.seconds();
  if (!checks) {
    print(seconds, 0, "-");
    return {};
  }
  const Stopwatch checking;
  const Result<std::string> verdicts = std::visit(
      [&](const auto& either) { return check(either, words[2], std::stoull(words[3])); }, *history);
  if (!verdicts) return verdicts.error();
  print(seconds, checking.seconds(), *verdicts);
  return {};
}

}  // namespace

int main(int count, char** values) {
  const Result<void> done = run(std::vector<std::string>(values + 1, values + count));
  if (done) return 0;
  fmt::print(stderr, "check_times: {}\n", to_string(done.error()));
  return 2;
}
