#include "cli/output/output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/printable.h"
#include "cli/output/written_file.h"

namespace heddle {

namespace {

Diagnostic cannot_write(const std::string& path, std::string_view why) {
  return {.what = fmt::format("cannot write {}: {}", path, why),
          .what_to_do = "give a file in a directory that you may write to",
          .trouble = Trouble::environment};
}

Diagnostic system_trouble(std::string_view what, int error) {
  return {.what = fmt::format("{}: {}", what, std::generic_category().message(error)),
          .trouble = Trouble::environment};
}

Result<void> write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_trouble("cannot write to standard output", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string> read_standard_input() {
  constexpr std::size_t kLimit = std::size_t{64} << 20U;
  std::string content;
  std::array<char, 65536> buffer{};
  while (true) {
    auto waited = wait_until_readable(STDIN_FILENO, input_name("-"), !content.empty());
    if (!waited) return waited.error();
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return system_trouble("cannot read standard input", errno);
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(count));
    if (content.size() > kLimit) {
      return Diagnostic{.what = "standard input is larger than 64 MB",
                        .what_to_do = "give a smaller file"};
    }
  }
}

bool wants_color(const std::string& when, const Output& output) {
  if (when != "auto") return when == "always";
  const char* const terminal = std::getenv("TERM");
  const char* const no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return output.is_terminal() && !refused && !dumb;
}

}  // namespace

Result<Output> Output::open(const std::string& path) {
  if (path.empty()) return Output(path);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return cannot_write(path, "it is a directory");
  // A device or a pipe is written to as it is; a file is replaced within its directory.
  const bool replaced =
      !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
  const std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
  if (replaced && !std::filesystem::is_directory(parent, error)) {
    return cannot_write(path, fmt::format("there is no directory {}", parent.string()));
  }
  const int wanted = replaced ? W_OK | X_OK : W_OK;
  if (::access(replaced ? parent.c_str() : path.c_str(), wanted) != 0) {
    return cannot_write(path, std::generic_category().message(errno));
  }
  return Output(path);
}

Result<void> Output::write(std::string_view text) {
  if (!beginning_.empty()) {
    const std::string whole = std::exchange(beginning_, {}) + std::string(text);
    return write(whole);
  }
  if (path_.empty()) return write_all(STDOUT_FILENO, text);
  content_ += text;
  return {};
}

Result<void> Output::finish() {
  return path_.empty() ? Result<void>{} : write_report_file(path_, content_);
}

Result<void> Output::write_whole(std::string_view text) {
  if (Result<void> written = write(text); !written) return written;
  return finish();
}

bool Output::is_terminal() const { return path_.empty() && ::isatty(STDOUT_FILENO) == 1; }

TextOptions text_options(const Arguments& arguments, const Output& output) {
  TextOptions options;
  options.color = wants_color(arguments.text("--color"), output);
  winsize size{};
  if (output.is_terminal() && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    // Narrower than this no table of two sessions can be read.
    options.width = std::clamp<std::size_t>(size.ws_col, 60, options.width);
  }
  return options;
}

Result<std::string> read_input(const std::string& path) {
  return path == "-" ? read_standard_input() : read_file(path);
}

std::string input_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

std::string shown_path(const std::string& path) {
  if (path == "-") return input_name(path);
  std::error_code error;
  const std::filesystem::path named = std::filesystem::path(path).lexically_normal();
  if (!named.is_absolute()) return named.string();
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::filesystem::path below = named.lexically_relative(here);
  const bool is_below = !error && !below.empty() && *below.begin() != "..";
  return is_below ? below.string() : path;
}

std::string one_line_json(std::string_view json) {
  std::string line;
  bool quoted = false;
  bool escaped = false;
  for (const char c : json) {
    if (!quoted && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) continue;
    line += c;
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
  }
  return line + "\n";
}

void print_on_terminal(std::string_view text) {
  // There is nobody left to tell when standard error is gone.
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void print_message(std::string_view text) { print_on_terminal(printable_lines(text)); }

void print_diagnostic(const Diagnostic& diagnostic) {
  const std::string_view prefix = diagnostic.file.empty() ? "heddle: " : "";
  print_message(fmt::format("{}{}\n", prefix, to_string(diagnostic)));
}

void print_warning(const Diagnostic& warning) {
  Diagnostic marked = warning;
  marked.what = "warning: " + marked.what;
  print_diagnostic(marked);
}

}  // namespace heddle
