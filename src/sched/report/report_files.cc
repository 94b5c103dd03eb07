#include "sched/report/report_files.h"

#include <cstring>
#include <errno.h>
#include <fstream>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "report/sched/sched_reports.h"
#include "sched/runtime/libc.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

namespace {

struct Reports {
  std::optional<SchedFinding> finding;  // of the test that runs
  std::optional<SchedExecution> execution;
  std::vector<TestCase> cases;
  bool have_failed = false;  // the folder cannot be written to, which was said
};

Reports& reports() {
  static Reports only;
  return only;
}

// Letters, digits and a few signs: tests may be called anything.
std::string file_name(const std::string& test) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  constexpr std::size_t kLongest = 150;
  std::string name;
  for (const char letter : test.substr(0, kLongest)) {
    name += kPlain.find(letter) == std::string_view::npos ? '_' : letter;
  }
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

void make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    mkdir(path.substr(0, end).c_str(), 0777);
  }
  mkdir(path.c_str(), 0777);
}

// Whoever reads meanwhile finds the old file or the new one.
bool write_whole(const std::string& path, const std::string& text) {
  const std::string fresh = path + "." + std::to_string(getpid());
  {
    std::ofstream file(fresh, std::ios::binary);
    file << text;
    if (!file.flush()) {
      unlink(fresh.c_str());
      return false;
    }
  }
  if (rename(fresh.c_str(), path.c_str()) == 0) return true;
  unlink(fresh.c_str());
  return false;
}

void write_report(const std::string& name, const std::string& text) {
  const std::string folder = report_folder();
  if (reports().have_failed) return;
  make_folders(folder);
  errno = 0;
  if (write_whole(folder + "/" + name, text)) return;
  reports().have_failed = true;
  write_error(("heddle: HEDDLE_SCHED_REPORT=" + folder + ": " + name +
               " cannot be written: " + strerror(errno) + "\n")
                  .c_str());
}

TestCase case_of_answer(const std::string& test, const Answer& answer) {
  if (answer.passed) return {test, CaseOutcome::passed, "", answer.coverage, ""};
  return {test, CaseOutcome::failure, answer.failure.kind, answer.failure.what,
          answer.failure.report};
}

}  // namespace

void keep_finding(const SchedFinding& finding) {
  if (!report_folder().empty()) reports().finding = finding;
}

void keep_execution(const std::string& token, bool is_changed) {
  if (report_folder().empty()) return;
  reports().execution = {.token = token, .is_changed = is_changed, .finding = std::nullopt};
}

void write_reports(const std::string& test, const Answer& answer) {
  if (report_folder().empty()) return;
  Reports& all = reports();
  if (all.execution) {
    all.execution->finding = all.finding;
    write_report("execution.json", to_json(*all.execution));
  }
  if (all.finding) {
    const std::string name = file_name(test);
    write_report(name + ".json", to_json(*all.finding));
    write_report(name + ".svg", render_svg(*all.finding));
    write_report(name + ".html", render_html(*all.finding));
    all.cases.push_back(case_of(*all.finding));
  } else {
    all.cases.push_back(case_of_answer(test, answer));
  }
  const std::string program = program_invocation_short_name;
  write_report(file_name(program) + ".junit.xml",
               junit_document("heddle::sched", {TestSuite{program, {}, all.cases}}));
  forget_reports();
}

void forget_reports() {
  reports().finding.reset();
  reports().execution.reset();
}

}  // namespace heddle::sched::runtime
