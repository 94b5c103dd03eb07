// Reads files of lines, compressed by zstd or not, as far as they go: one whose writer was killed,
// or that is still written, is read to its last whole line.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "heddle/result.h"

struct ZSTD_DCtx_s;

namespace heddle {

inline constexpr std::size_t kLongestFileLine = std::size_t{64} << 20;

class LineFileReader {
 public:
  // By its first bytes it is known whether the file is compressed, not by its name.
  // Error: it cannot be read.
  static Result<LineFileReader> open(const std::string& path);

  // The next line without its end; none: there is none any more. Takes memory for the longest line.
  // Error, with the number of the line: it cannot be read, is longer than kLongestFileLine, or the
  // file is damaged, which may be found only after lines of the same second were given.
  Result<std::optional<std::string>> next();
  // The number of the last line that was given.
  std::size_t line() const { return line_; }
  // After the last line: the file ends in the middle of a line or of a frame.
  bool is_cut() const { return is_cut_; }

 private:
  struct EndDecompression {
    void operator()(ZSTD_DCtx_s* context) const;
  };

  LineFileReader() = default;
  Result<void> read_more();
  Result<void> decompress();
  Diagnostic trouble(const std::string& what, Trouble kind) const;

  std::string path_;
  FileDescriptor file_;
  std::unique_ptr<ZSTD_DCtx_s, EndDecompression> decompression_;  // none: it is not compressed
  std::string in_;                                                // bytes of a compressed file
  std::size_t in_at_ = 0;  // up to here they were decompressed
  bool is_in_frame_ = false;
  bool may_hold_more_ = false;  // the last decompression filled all of its room
  std::string text_;
  std::size_t at_ = 0;       // up to here lines of the text were given
  std::size_t scanned_ = 0;  // up to here the text has no further line end
  bool has_ended_ = false;   // of the file's bytes
  std::size_t line_ = 0;
  bool is_cut_ = false;
};

}  // namespace heddle
