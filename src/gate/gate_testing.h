// For tests: a gated session, and the scripted program in it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/must_testing.h"
#include "base/text.h"
#include "gate/open_gated_session.h"
#include "gate/scripted_testing.h"
#include "store/store.h"

namespace heddle {

inline std::string text_of(const std::vector<Reply>& replies) {
  std::vector<std::string> texts;
  for (const Reply& reply : replies) {
    std::string& text = texts.emplace_back();
    if (reply.error) text = "ERROR " + reply.error->code;
    if (!reply.result) continue;
    text = reply.result->command_tag;
    for (const Row& row : reply.result->rows) {
      for (const Cell& cell : row) text += " " + cell.value_or("NULL");
    }
  }
  return join(texts, "; ");
}

inline CalledStatement called(const std::string& text,
                              const std::vector<std::string>& values = {}) {
  CalledStatement statement{.text = text, .statement = text, .values = {}};
  for (const std::string& value : values) {
    statement.values.push_back({.text = value, .type = "integer"});
  }
  return statement;
}

// A session, and the program in it.
struct Gate {
  explicit Gate(StoreDatabase& database) : program(std::make_shared<ScriptedProgram>()) {
    SessionOptions options;
    options.early_deadlock_check = true;
    auto sessions = must(database.open_sessions({options}));
    session = must(open_gated_session(std::move(sessions.front()), program,
                                      {.method = "pay", .arguments = {"7"}},
                                      {.words = {}, .timeout_ms = 30'000}));
  }

  // Waits for what is under way.
  Result<std::string> answer() const {
    const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (true) {
      const auto is_busy = session->busy();
      if (!is_busy) return is_busy.error();
      if (!*is_busy) return text_of(session->take_replies());
      const auto waited = wait_readable(session->socket(), deadline);
      if (!waited) return waited.error();
      if (!*waited) return std::string("nothing");
    }
  }
  Result<std::string> ask(const CalledStatement& statement) const {
    if (auto sent = session->send_called(statement); !sent) return sent.error();
    return answer();
  }
  std::string say(const CalledStatement& statement) const { return must(ask(statement)); }
  Result<void> end() {
    program->disconnect();
    program->say({.kind = WorkerWord::Kind::returned});
    Reply reply;
    reply.result.emplace();
    return session->end_called(reply);
  }

  std::shared_ptr<ScriptedProgram> program;
  std::unique_ptr<StoreSession> session;
};

}  // namespace heddle
