// One client's connection and ours to the server behind it.
//
// What the server side takes slowly stays in a buffer, and nothing more is read from the other side
// until most of it has gone, so that a link needs little memory whatever passes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/controller.h"
#include "proxy/edge.h"
#include "proxy/event_loop.h"
#include "proxy/observer.h"
#include "stream/stream.h"

namespace heddle {

class Link;

// What links need of whoever has them.
class LinkHost {
 public:
  LinkHost() = default;
  LinkHost(const LinkHost&) = delete;
  LinkHost& operator=(const LinkHost&) = delete;
  virtual ~LinkHost() = default;

  virtual EventLoop& loop() = 0;
  virtual ProxyObserver& observer() = 0;
  // The link is over; it is destroyed a little later.
  virtual void link_ended(Link& link) = 0;

  // Who lets units go; null: nothing is held.
  virtual ProxyController* controller() = 0;
  // For how long a client may read nothing of what it is told at the end.
  virtual std::chrono::milliseconds end_patience() const = 0;
  // For how long it may send nothing more, and not close either.
  virtual std::chrono::milliseconds last_bytes_patience() const = 0;

  // The client of another connection asks the server to cancel what this key names. True: it is a
  // connection that is known here, whose link takes care of it.
  virtual bool cancel_requested(std::string_view key) = 0;
  virtual void key_known(std::string_view key, Link& link) = 0;
  virtual void key_forgotten(std::string_view key) = 0;
};

class Link : public Watcher {
 public:
  Link(LinkHost& host, const ProxyEdge& edge, ProxiedConnection number,
       std::unique_ptr<Stream> client);
  ~Link() override;

  void ready(int descriptor, bool is_readable, bool is_writable) final;
  // Begins to read what the client sends.
  void start();
  // A client asks, on a connection of its own, to cancel what this one does. False: it is not held
  // here, so that the server is to be asked.
  virtual bool cancel() { return false; }
  // Lets the unit go that is held, or answers it with an error; nothing happens to another one.
  void permit_unit(std::uint64_t ordinal);
  void refuse_unit(std::uint64_t ordinal, std::string_view why);
  // No more of it: what the client waits for is answered with an error, and both sides are closed.
  virtual void refuse(std::string_view why) = 0;

  ProxiedConnection number() const { return number_; }
  const ProxyEdge& edge() const { return edge_; }

 protected:
  // One of the two sides.
  struct Side {
    std::unique_ptr<Stream> stream;
    std::string waiting;        // to be written
    std::size_t written = 0;    // of that
    bool is_read = false;       // is watched for what comes
    bool is_blocked = false;    // is watched for room to write
    bool has_ended = false;     // nothing more comes
    bool ends_writing = false;  // once all is written

    std::size_t backlog() const { return waiting.size() - written; }
  };

  virtual void client_bytes(std::string_view bytes) = 0;
  virtual void server_bytes(std::string_view bytes) = 0;
  virtual void client_ended() = 0;
  virtual void server_ended() = 0;
  virtual void server_connected() {}
  // Units that have no answer yet will have none: the observer is told so.
  virtual void tell_unanswered() = 0;
  // The connection to the server could not be made.
  virtual void connection_failed(const std::string& why) = 0;
  // The unit that was held is permitted: it is to be sent. Or it is to be answered with an error.
  virtual void send_permitted(const HeldUnit& unit) = 0;
  virtual void answer_refused(std::string_view why) = 0;

  void connect();
  void to_server(std::string_view bytes) { write(server_, client_, bytes); }
  void to_client(std::string_view bytes) { write(client_, server_, bytes); }
  // Once what waits has been written.
  void end_to_server() { end_writing(server_); }
  // Reads no more from the client until `continue_client`.
  void pause_client();
  void continue_client();
  // What the client has not got yet is written to it as long as it reads; then all is closed, once
  // the client has closed its side or sends nothing more.
  void end();
  // At once.
  void abort();
  // Nothing is passed on any more.
  bool is_over() const { return is_over_ || is_ending_; }

  // Units go one at a time: one at most is held, and one at most was let go and is not answered.
  bool is_holding() const { return host_.controller() != nullptr; }
  const std::optional<HeldUnit>& held() const { return held_; }
  const std::optional<HeldUnit>& running() const { return running_; }
  // Announces it to the controller.
  void hold(HeldUnit unit);
  // It is held no more, and never was let go.
  HeldUnit take_held() { return *std::exchange(held_, std::nullopt); }
  void running_was_answered();

  LinkHost& host() { return host_; }
  ProxyObserver& observer() { return host_.observer(); }
  void remark(std::string text) { observer().remark(number_.edge, std::move(text)); }

 private:
  void read(Side& from, Side& to);
  void write(Side& to, Side& from, std::string_view bytes);
  void flush(Side& to, Side& from);
  void end_writing(Side& to);
  void watch_reading(Side& side, bool is_read);
  void watch_writing(Side& side, bool is_blocked);
  void try_address();
  void connection_decided();
  void await_client_end();
  void abort_later(std::chrono::milliseconds patience);
  void close_both();
  void close_side(Side& side);
  void units_are_gone();
  void tell_running();

  LinkHost& host_;
  const ProxyEdge& edge_;
  ProxiedConnection number_;
  Side client_;
  Side server_;
  std::optional<HeldUnit> held_;
  std::optional<HeldUnit> running_;
  bool is_sending_ = false;             // the server has not been sent all of running_
  SocketStream* connecting_ = nullptr;  // is server_.stream, while the connection is made
  std::size_t address_ = 0;             // of the target, that is tried
  std::optional<std::uint64_t> end_timer_;
  std::chrono::steady_clock::time_point waits_until_ = {};  // for the client to end, at most
  bool is_connecting_ = false;
  bool is_client_paused_ = false;
  bool is_ending_ = false;
  bool is_over_ = false;
};

}  // namespace heddle
