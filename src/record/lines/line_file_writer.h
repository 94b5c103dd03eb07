// Files of lines that grow for as long as something is recorded, compressed by zstd where their
// name ends in ".zst".
//
// A compressed file is a row of frames, each of which can be read without those behind it. One ends
// at the latest a second after its first line came, so that whoever is killed loses no more.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "heddle/result.h"

struct ZSTD_CCtx_s;

namespace heddle {

inline constexpr std::chrono::seconds kLongestFrame{1};

class LineFileWriter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Makes the file, which only this user may read, or empties it. Error: it cannot be made.
  static Result<LineFileWriter> create(const std::string& path);

  // Adds a line, and waits for the disk where it is slow. REQUIRES: the line has no line end.
  // Error: it cannot be written; no further line is, and the error is the same each time.
  Result<void> add(std::string_view line, Time now);
  // When `write_due` has something to do; none: it has not, until a line comes.
  std::optional<Time> due() const { return due_; }
  // Ends a frame that has lasted long enough. Error: as of `add`.
  Result<void> write_due(Time now);
  // Writes what there is. Lines that come after it begin a frame.
  Result<void> finish();

 private:
  struct EndCompression {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  LineFileWriter() = default;
  Result<void> compress(std::string_view text, bool ends_frame);
  Result<void> write_out();

  std::string path_;
  FileDescriptor file_;
  std::unique_ptr<ZSTD_CCtx_s, EndCompression> compression_;  // none: lines are written as they are
  std::string out_;                                           // bytes that are still to be written
  std::optional<Time> due_;
  std::optional<Diagnostic> error_;
};

}  // namespace heddle
