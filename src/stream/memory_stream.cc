#include "stream/memory_stream.h"

#include <algorithm>
#include <cstdint>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.h"

namespace heddle {
namespace {

// One direction. Each signal belongs to the end that watches it and closes with it, as a socket
// does: an epoll that watches it forgets it then.
struct MemoryDirection {
  std::mutex mutex;  // guards the rest
  std::size_t room = 0;
  std::string bytes;
  bool has_ended = false;  // the writer
  bool is_left = false;    // the reader has gone
  ReadySignal readable;
  ReadySignal writable;

  // REQUIRES: mutex is held.
  void tell() {
    readable.tell(!bytes.empty() || has_ended);
    writable.tell(bytes.size() < room || is_left);
  }
};

std::shared_ptr<MemoryDirection> make_direction(std::size_t room) {
  auto direction = std::make_shared<MemoryDirection>();
  direction->room = room;
  direction->tell();
  return direction;
}

class MemoryStream final : public Stream {
 public:
  MemoryStream(std::shared_ptr<MemoryDirection> in, std::shared_ptr<MemoryDirection> out)
      : in_(std::move(in)), out_(std::move(out)) {}
  ~MemoryStream() override { MemoryStream::close(); }

  bool read_some(std::string& bytes, std::size_t most) override {
    const std::scoped_lock lock(in_->mutex);
    const std::size_t count = std::min(most, in_->bytes.size());
    bytes.append(in_->bytes, 0, count);
    in_->bytes.erase(0, count);
    in_->tell();
    return is_open_ && !(in_->has_ended && in_->bytes.empty());
  }

  bool write_some(std::string_view& bytes) override {
    const std::scoped_lock lock(out_->mutex);
    if (out_->has_ended || out_->is_left) return false;
    const std::size_t count = std::min(bytes.size(), out_->room - out_->bytes.size());
    out_->bytes += bytes.substr(0, count);
    bytes.remove_prefix(count);
    out_->tell();
    return true;
  }

  void end_writing() override {
    const std::scoped_lock lock(out_->mutex);
    out_->has_ended = true;
    out_->tell();
  }

  void close() override {
    if (!is_open_) return;
    is_open_ = false;
    end_writing();
    {
      const std::scoped_lock lock(out_->mutex);
      out_->writable.close();
    }
    const std::scoped_lock lock(in_->mutex);
    in_->is_left = true;
    in_->bytes.clear();
    in_->readable.close();
    in_->tell();
  }

  bool is_open() const override { return is_open_; }
  Watched readable() const override {
    return {.descriptor = in_->readable.descriptor(), .events = POLLIN};
  }
  Watched writable() const override {
    return {.descriptor = out_->writable.descriptor(), .events = POLLIN};
  }

 private:
  std::shared_ptr<MemoryDirection> in_;
  std::shared_ptr<MemoryDirection> out_;
  bool is_open_ = true;
};

}  // namespace

ReadySignal::ReadySignal() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  HEDDLE_ASSERT(event_.is_open());
}

void ReadySignal::tell(bool is_ready) {
  if (!event_.is_open() || is_ready == is_ready_) return;
  is_ready_ = is_ready;
  std::uint64_t count = 1;
  const ssize_t done = is_ready ? ::write(event_.get(), &count, sizeof count)
                                : ::read(event_.get(), &count, sizeof count);
  HEDDLE_ASSERT(done == static_cast<ssize_t>(sizeof count));
}

std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> connected_streams(std::size_t room) {
  const auto there = make_direction(room);
  const auto back = make_direction(room);
  return {std::make_unique<MemoryStream>(back, there), std::make_unique<MemoryStream>(there, back)};
}

std::unique_ptr<Stream> MemoryListener::connect() {
  auto [theirs, ours] = connected_streams(room_);
  const std::scoped_lock lock(mutex_);
  waiting_.push_back(std::move(ours));
  is_waiting_.tell(true);
  return std::move(theirs);
}

std::unique_ptr<Stream> MemoryListener::accept_now() {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty()) return nullptr;
  std::unique_ptr<Stream> accepted = std::move(waiting_.front());
  waiting_.pop_front();
  is_waiting_.tell(!waiting_.empty());
  return accepted;
}

Watched MemoryListener::readable() const {
  return {.descriptor = is_waiting_.descriptor(), .events = POLLIN};
}

}  // namespace heddle
