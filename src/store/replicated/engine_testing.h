// An engine that is asked and answers in text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "store/replicated/engine.h"

namespace heddle::replicated {

// "1,2;3,NULL" for rows, "INSERT 0 1" for what has none, "ERROR 40001: ..." for what is refused.
inline std::string reply_text(const Reply& reply) {
  if (reply.error) return "ERROR " + reply.error->code + ": " + reply.error->message;
  if (!reply.result->has_rows) return reply.result->command_tag;
  std::vector<std::string> rows;
  for (const Row& row : reply.result->rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell.value_or("NULL"));
    rows.push_back(join(cells, ","));
  }
  return join(rows, ";");
}

class TestStore {
 public:
  explicit TestStore(std::size_t replicas, const std::string& setup = "") {
    auto engine = Engine::create(replicas);
    EXPECT_TRUE(engine) << to_string(engine.error());
    engine_ = std::move(*engine);
    for (const Reply& reply : engine_->run_everywhere(setup)) {
      EXPECT_FALSE(reply.error) << reply_text(reply);
    }
    EXPECT_TRUE(engine_->take_snapshot());
  }

  void open(const std::string& name, IsolationLevel level) {
    numbers_[name] = engine_->open_session(name, level);
  }

  // What the last statement gave.
  std::string run(const std::string& session, const std::string& text) {
    const std::vector<Reply> replies = engine_->run(numbers_.at(session), text);
    return replies.empty() ? "" : reply_text(replies.back());
  }

  // What the replicas converge to.
  std::string converged(const std::string& query) {
    return reply_text(engine_->run_everywhere(query).back());
  }

  std::string seen(const std::string& session) {
    return join(engine_->last_seen(numbers_.at(session)), " ");
  }

  Engine& engine() { return *engine_; }
  SessionNumber number(const std::string& session) const { return numbers_.at(session); }

 private:
  std::unique_ptr<Engine> engine_;
  std::map<std::string, SessionNumber> numbers_;
};

}  // namespace heddle::replicated
