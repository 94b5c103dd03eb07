#include "record/lines/line_file_reader.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <zstd.h>

#include <fmt/format.h>

namespace heddle {
namespace {

constexpr std::size_t kReadBytes = std::size_t{128} << 10;
// With which a frame begins.
constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";

// As many bytes as there are, up to `most`; none at the end.
Result<std::string> read_bytes(const FileDescriptor& file, const std::string& path,
                               std::size_t most) {
  std::string bytes(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const ssize_t count = read(file.get(), bytes.data() + size, most - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_trouble(path, "read the file", errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

void LineFileReader::EndDecompression::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

Result<LineFileReader> LineFileReader::open(const std::string& path) {
  LineFileReader reader;
  reader.path_ = path;
  reader.file_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!reader.file_.is_open()) return file_trouble(path, "open the file", errno);
  Result<std::string> first = read_bytes(reader.file_, path, kMagic.size());
  if (!first) return first.error();
  if (*first == kMagic) {
    reader.decompression_.reset(ZSTD_createDCtx());
    if (!reader.decompression_) return file_trouble(path, "decompress the file", ENOMEM);
    reader.in_ = std::move(*first);
  } else {
    reader.text_ = std::move(*first);
  }
  return reader;
}

Diagnostic LineFileReader::trouble(const std::string& what, Trouble kind) const {
  return {.what = what,
          .file = path_,
          .position = {.line = static_cast<std::uint32_t>(line_ + 1)},
          .trouble = kind};
}

Result<std::optional<std::string>> LineFileReader::next() {
  while (true) {
    const std::size_t end = text_.find('\n', scanned_);
    if (end != text_.npos) {
      std::string line = text_.substr(at_, end - at_);
      at_ = scanned_ = end + 1;
      ++line_;
      return std::optional(std::move(line));
    }
    text_.erase(0, at_);
    at_ = 0;
    scanned_ = text_.size();
    if (text_.size() > kLongestFileLine) {
      return trouble(fmt::format("a line is longer than {} MiB", kLongestFileLine >> 20),
                     Trouble::bound);
    }
    if (has_ended_) {
      is_cut_ = !text_.empty() || is_in_frame_;
      return std::optional<std::string>();
    }
    if (auto more = read_more(); !more) return more.error();
  }
}

// Adds to the text, or ends it.
Result<void> LineFileReader::read_more() {
  if (decompression_ && (may_hold_more_ || in_at_ < in_.size())) return decompress();
  Result<std::string> bytes = read_bytes(file_, path_, kReadBytes);
  if (!bytes) return bytes.error();
  has_ended_ = bytes->empty();
  if (!decompression_) {
    text_ += *bytes;
    return {};
  }
  in_ = std::move(*bytes);
  in_at_ = 0;
  return {};
}

Result<void> LineFileReader::decompress() {
  const std::size_t size = text_.size();
  text_.resize(size + kReadBytes);
  ZSTD_inBuffer in{in_.data(), in_.size(), in_at_};
  ZSTD_outBuffer out{text_.data() + size, kReadBytes, 0};
  const std::size_t left = ZSTD_decompressStream(decompression_.get(), &out, &in);
  text_.resize(size + out.pos);
  if (ZSTD_isError(left) != 0U) {
    return trouble(fmt::format("the file is damaged: {}", ZSTD_getErrorName(left)),
                   Trouble::bad_input);
  }
  in_at_ = in.pos;
  is_in_frame_ = left != 0;
  may_hold_more_ = out.pos == out.size;
  return {};
}

}  // namespace heddle
