// A client of PostgreSQL and the server behind it.
//
// Where units are held, what the client sends is cut into them, and each goes when it is permitted.
// A client may send several before it waits for an answer (a pipeline, a batch): between two of
// them a Flush is put, which makes the server answer the first, and which the client does not see.
//
// While it only watches, bytes are passed on before they are looked at, so that looking costs the
// client nothing. TLS is declined, since nothing could be read of it; authentication passes through
// as it is and is kept nowhere.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/link.h"
#include "wire/postgres/conversation.h"
#include "wire/postgres/message_cutter.h"
#include "wire/postgres/messages.h"

namespace heddle {

class PostgresLink final : public Link {
 public:
  PostgresLink(LinkHost& host, const ProxyEdge& edge, ProxiedConnection number,
               std::unique_ptr<Stream> client, postgres::ConversationLimits limits);
  ~PostgresLink() override;

  bool cancel() override;
  void refuse(std::string_view why) override;

 protected:
  void client_bytes(std::string_view bytes) override;
  void server_bytes(std::string_view bytes) override;
  void client_ended() override;
  void server_ended() override;
  void connection_failed(const std::string& why) override;
  void send_permitted(const HeldUnit& unit) override;
  void answer_refused(std::string_view why) override;

 private:
  enum class Phase : std::uint8_t {
    beginning,  // the client has not said what it wants
    canceling,  // only that something be cancelled
    passing,    // messages pass
    unread,     // bytes pass, of replication
  };

  // Something that the client has sent and the server has not got: a unit, or what stands between
  // two of them.
  struct Piece {
    std::string bytes;
    std::uint64_t unit = 0;     // 0: none
    char last = 0;              // the type of its last message
    std::size_t last_size = 0;  // bytes of that
    bool is_permitted = false;
  };

  void begin(std::string_view bytes);
  bool take_client_message(const postgres::CutMessage& message, ProxyTime now,
                           std::uint64_t& ended);
  void hold_client(std::string_view bytes);
  void hold_message(const postgres::CutMessage& message, ProxyTime now);
  void limit_client();
  void advance();
  void announce(const Piece& piece);
  void send(const Piece& piece);
  void replace_held(std::string_view code, std::string_view why);
  void pass_replaced(std::string_view bytes);
  void take_beginning(std::string_view body);
  void let_in(postgres::StartupMessage startup);
  void take_cancel(std::string_view body);
  void note_client(std::string_view bytes);
  void note_server(std::string_view bytes);
  void note_server_message(const postgres::CutMessage& message);
  void tell_answered();
  void tell_unanswered() override;
  void fail(std::string_view code, std::string_view message);
  void stop_reading(const Diagnostic& trouble);

  Phase phase_ = Phase::beginning;
  std::string beginning_;  // what came before the first message was whole
  postgres::MessageCutter from_client_;
  postgres::MessageCutter from_server_;
  postgres::Conversation conversation_;
  std::deque<UnitTimes> times_;      // of the units that were not told yet, by ordinal
  std::uint64_t first_time_ = 1;     // the ordinal of the first
  std::uint64_t noted_answers_ = 0;  // how many units' times of answers are noted
  std::uint32_t backend_ = 0;
  std::string key_;  // by which a request to cancel names this connection

  // Where units are held:
  std::string piece_;         // what has come of the next piece
  std::deque<Piece> pieces_;  // those that are not sent
  std::size_t held_bytes_ = 0;
  bool is_full_ = false;      // no more is read from the client
  bool needs_flush_ = false;  // the server was sent an execution, and nothing makes it answer
  std::optional<std::string> replacement_;  // of the next error that the server sends
  std::string replaced_bytes_;              // of a message that has not come whole

  bool has_declined_tls_ = false;
  bool is_asked_to_log_in_ = false;  // by SCRAM, and the client has not answered
};

}  // namespace heddle
