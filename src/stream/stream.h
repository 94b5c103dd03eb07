// Bytes in both directions, of which nothing waits longer than it is told: a socket
// (stream_socket.h), or two ends in this process (memory_stream.h).
//
//   std::string bytes;
//   const bool goes_on = stream->read_available(bytes);   // never waits
//   if (!stream->write_all("hello", deadline)) ...         // waits where the other side is slow
//
// Whoever serves several at once watches readable() of each, and writable() of those for which
// something is left to write.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

using Deadline = std::chrono::steady_clock::time_point;

// What poll and epoll are given: a descriptor (-1: none), and POLLIN or POLLOUT.
struct Watched {
  int descriptor = -1;
  short events = 0;
};

// Whether the descriptor became ready before the deadline. Errors: interrupted.
Result<bool> wait_for(Watched watched, Deadline deadline);
// The same of one that is to be read.
Result<bool> wait_readable(int descriptor, Deadline deadline);

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  // What has arrived, appended, and not much more than `most` of it. False: nothing more will
  // come, and all that came has been read; where not all is asked for, that may take a further
  // call.
  virtual bool read_some(std::string& bytes, std::size_t most) = 0;
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  bool read_available(std::string& bytes) { return read_some(bytes, kAll); }

  // Writes what goes without waiting, and takes it from the front of `bytes`. False: the other side
  // has closed the connection.
  virtual bool write_some(std::string_view& bytes) = 0;
  // Writes all of it. False: the other side has closed the connection, or does not read in time.
  bool write_all(std::string_view bytes, Deadline deadline);

  // The other side reads to the end of what was written; it can still write.
  virtual void end_writing() = 0;
  virtual void close() = 0;
  virtual bool is_open() const = 0;

  // Ready where something has arrived, or nothing more will come.
  virtual Watched readable() const = 0;
  // Ready where something can be written, or the other side has closed the connection.
  virtual Watched writable() const = 0;
};

class StreamListener {
 public:
  StreamListener() = default;
  StreamListener(const StreamListener&) = delete;
  StreamListener& operator=(const StreamListener&) = delete;
  virtual ~StreamListener() = default;

  // The next connection, or none: none is waiting.
  virtual std::unique_ptr<Stream> accept_now() = 0;
  // Ready where one is waiting.
  virtual Watched readable() const = 0;
  // Where others connect: 127.0.0.1:41234.
  virtual std::string address() const = 0;
};

}  // namespace heddle
