// Streams whose two ends are both in this process, and a listener for them: what speaks over a
// Stream is tested with them, without ports. They can be watched like sockets. Any thread, each
// end by one at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/file.h"
#include "stream/stream.h"

namespace heddle {

// A descriptor that is readable as long as it is told to be.
class ReadySignal {
 public:
  ReadySignal();
  void tell(bool is_ready);
  int descriptor() const { return event_.get(); }
  void close() { event_.reset(); }

 private:
  FileDescriptor event_;
  bool is_ready_ = false;
};

inline constexpr std::size_t kMemoryRoom = 65'536;

// `room`: how many bytes each direction holds that are not read yet.
std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> connected_streams(
    std::size_t room = kMemoryRoom);

class MemoryListener : public StreamListener {
 public:
  explicit MemoryListener(std::size_t room = kMemoryRoom) : room_(room) {}

  // The other end of the stream that accept_now() will give.
  std::unique_ptr<Stream> connect();

  std::unique_ptr<Stream> accept_now() override;
  Watched readable() const override;
  std::string address() const override { return "memory"; }

 private:
  std::size_t room_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<Stream>> waiting_;  // guarded by mutex_
  ReadySignal is_waiting_;
};

}  // namespace heddle
