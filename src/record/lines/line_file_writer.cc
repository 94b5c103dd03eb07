#include "record/lines/line_file_writer.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <zstd.h>

#include <fmt/format.h>

namespace heddle {
namespace {

constexpr std::size_t kWriteAt = std::size_t{64} << 10;
// The quickest of the usual ones, because what is recorded may wait for it.
constexpr int kLevel = 1;
constexpr mode_t kPrivate = 0600;

}  // namespace

void LineFileWriter::EndCompression::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

Result<LineFileWriter> LineFileWriter::create(const std::string& path) {
  LineFileWriter writer;
  writer.path_ = path;
  writer.file_ =
      FileDescriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kPrivate));
  if (!writer.file_.is_open()) return file_trouble(path, "make the file", errno);
  if (path.ends_with(".zst")) {
    writer.compression_.reset(ZSTD_createCCtx());
    if (!writer.compression_) return file_trouble(path, "compress the file", ENOMEM);
    ZSTD_CCtx_setParameter(writer.compression_.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(writer.compression_.get(), ZSTD_c_checksumFlag, 1);
  }
  return writer;
}

Result<void> LineFileWriter::add(std::string_view line, Time now) {
  if (error_) return *error_;
  if (!due_) due_ = now + kLongestFrame;
  for (const std::string_view text : {line, std::string_view("\n")}) {
    if (compression_) {
      if (auto compressed = compress(text, false); !compressed) return compressed;
    } else {
      out_ += text;
    }
  }
  if (out_.size() >= kWriteAt) {
    if (auto written = write_out(); !written) return written;
  }
  return write_due(now);
}

Result<void> LineFileWriter::write_due(Time now) {
  return due_ && now >= *due_ ? finish() : Result<void>();
}

Result<void> LineFileWriter::finish() {
  if (error_) return *error_;
  if (!due_) return {};
  due_.reset();
  if (compression_) {
    if (auto compressed = compress("", true); !compressed) return compressed;
  }
  return write_out();
}

Result<void> LineFileWriter::compress(std::string_view text, bool ends_frame) {
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  const ZSTD_EndDirective directive = ends_frame ? ZSTD_e_end : ZSTD_e_continue;
  while (true) {
    const std::size_t size = out_.size();
    out_.resize(size + ZSTD_CStreamOutSize());
    ZSTD_outBuffer out{out_.data() + size, out_.size() - size, 0};
    const std::size_t left = ZSTD_compressStream2(compression_.get(), &out, &in, directive);
    out_.resize(size + out.pos);
    if (ZSTD_isError(left) != 0U) {
      error_ = Diagnostic{.what = fmt::format("cannot compress: {}", ZSTD_getErrorName(left)),
                          .file = path_,
                          .trouble = Trouble::environment};
      return *error_;
    }
    if (ends_frame ? left == 0 : in.pos == in.size) return {};
  }
}

Result<void> LineFileWriter::write_out() {
  std::string_view rest = out_;
  while (!rest.empty()) {
    const ssize_t count = write(file_.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      error_ = file_trouble(path_, "write to the file", errno);
      return *error_;
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  out_.clear();
  return {};
}

}  // namespace heddle
