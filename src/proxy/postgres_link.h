// A client of PostgreSQL and the server behind it.
//
// While it only watches, bytes are passed on before they are looked at, so that looking costs the
// client nothing. TLS is declined, since nothing could be read of it; authentication passes through
// as it is and is kept nowhere.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/link.h"
#include "wire/postgres/conversation.h"
#include "wire/postgres/message_cutter.h"
#include "wire/postgres/messages.h"

namespace heddle {

class PostgresLink : public Link {
 public:
  PostgresLink(LinkHost& host, const ProxyEdge& edge, ProxiedConnection number,
               std::unique_ptr<Stream> client, ConversationLimits limits);
  ~PostgresLink() override;

  void refuse(std::string_view why) override;

 protected:
  void client_bytes(std::string_view bytes) override;
  void server_bytes(std::string_view bytes) override;
  void client_ended() override;
  void server_ended() override;
  void connection_failed(const std::string& why) override;

 private:
  enum class Phase : std::uint8_t {
    beginning,  // the client has not said what it wants
    canceling,  // only that something be cancelled
    passing,    // messages pass
    unread,     // bytes pass, of replication
  };

  void begin(std::string_view bytes);
  void take_beginning(std::string_view body);
  void let_in(StartupMessage startup);
  void take_cancel(std::string_view body);
  void note_client(std::string_view bytes);
  void note_server(std::string_view bytes);
  void note_server_message(const CutMessage& message);
  void tell_answered();
  void tell_unanswered();
  void fail(std::string_view code, std::string_view message);
  void stop_reading(const Diagnostic& trouble);

  Phase phase_ = Phase::beginning;
  std::string beginning_;  // what came before the first message was whole
  MessageCutter from_client_;
  MessageCutter from_server_;
  Conversation conversation_;
  std::deque<UnitTimes> times_;      // of the units that were not told yet, by ordinal
  std::uint64_t first_time_ = 1;     // the ordinal of the first
  std::uint64_t noted_answers_ = 0;  // how many units' times of answers are noted
  std::string key_;                  // by which a request to cancel names this connection
  bool has_declined_tls_ = false;
  bool is_asked_to_log_in_ = false;  // by SCRAM, and the client has not answered
};

}  // namespace heddle
