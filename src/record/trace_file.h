// Where a trace goes: a file that is written line by line, by the thread of the recorder alone.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "heddle/result.h"

namespace heddle {

class TraceFile {
 public:
  // Makes the file, or empties it. Errors: environment.
  static Result<std::unique_ptr<TraceFile>> create(const std::string& path);

  // Adds a whole line; it is written when there are many, or by flush(). Error: the file cannot be
  // written any more, because the disk is full; what was written ends with a whole line, as far as
  // it can be made to.
  Result<void> add(std::string_view line);
  Result<void> flush();
  std::uint64_t written() const { return written_; }

 private:
  TraceFile(std::string path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileDescriptor file_;
  std::string waiting_;
  std::uint64_t written_ = 0;  // bytes, up to the end of a line
};

}  // namespace heddle
