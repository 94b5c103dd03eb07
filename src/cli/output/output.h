// Where reports go and where inputs come from: files, standard output, standard input.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.h"
#include "heddle/result.h"
#include "report/text/text_options.h"

namespace heddle {

// A command's report: to standard output as it comes, or to a file, whole or not at all.
class Output {
 public:
  // An empty path is standard output. A file that cannot be written is an error now, not after the
  // work.
  static Result<Output> open(const std::string& path);

  // Goes in front of whatever is written first.
  void begin_with(std::string text) { beginning_ = std::move(text); }
  Result<void> write(std::string_view text);
  // Writes the file. REQUIRES of users: called once, after the last write.
  Result<void> finish();
  // All there is to write, and the file.
  Result<void> write_whole(std::string_view text);

  bool is_terminal() const;

 private:
  explicit Output(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::string content_;    // what the file will hold
  std::string beginning_;  // not written yet
};

// What --color and the terminal's width ask for.
TextOptions text_options(const Arguments& arguments, const Output& output);

// The content of the file; "-" is standard input.
Result<std::string> read_input(const std::string& path);

// What messages call the input: "-" is "<stdin>".
std::string input_name(const std::string& path);

// What reports call the file: relative to the folder in which heddle was started where it is below
// that, without "." and doubled slashes, so that an editor finds it; else as the user named it.
std::string shown_path(const std::string& path);

// The same JSON document on one line.
std::string one_line_json(std::string_view json);

// As it is, on standard error.
void print_on_terminal(std::string_view text);

// Prints one message for people on standard error. Whatever it quotes, no control character but the
// ends of lines and tabs gets there.
void print_message(std::string_view text);
void print_diagnostic(const Diagnostic& diagnostic);
void print_warning(const Diagnostic& warning);

}  // namespace heddle
