// For tests: a program of which everything is scripted, in memory. Its driver says what the test
// lets it say, and its worker what the test lets come of the call.
//
//   auto program = std::make_shared<ScriptedProgram>();
//   program->first = statement("BEGIN") + statement("UPDATE t SET a = $1", {"7"}) + sync_bytes();
//   session = GatedSession::open(..., program, {.method = "pay", .arguments = {}}, timeout_ms);
//   session->send_called(...);        // calls: the driver connects and sends that
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/epoll.h>
#include <utility>
#include <vector>

#include "base/file.h"
#include "control/controlled_program.h"
#include "stream/memory_stream.h"
#include "wire/postgres/messages.h"

namespace heddle {

// What a driver sends to execute one statement with values in text.
inline std::string statement(const std::string& text, const std::vector<std::string>& values = {}) {
  const auto number16 = [](std::size_t number) {
    return std::string{static_cast<char>(number >> 8), static_cast<char>(number & 0xff)};
  };
  std::string bound = std::string(2, '\0') + number16(0) + number16(values.size());
  for (const std::string& value : values) bound += number16(0) + number16(value.size()) + value;
  return postgres::to_bytes({'P', std::string(1, '\0') + text + '\0' + number16(0)}) +
         postgres::to_bytes({'B', bound + number16(0)}) +
         postgres::to_bytes({'D', std::string("P") + '\0'}) +
         postgres::to_bytes({'E', std::string(1, '\0') + std::string(4, '\0')});
}

// With what a driver begins.
inline std::string startup(const std::string& user) {
  const std::string version = {0, 3, 0, 0};
  return postgres::to_bytes({0, version + "user" + '\0' + user + '\0' + '\0'});
}

class ScriptedProgram : public ControlledProgram {
 public:
  // ---- What the test decides before the call.
  std::string first;                  // what the driver sends at once, behind its beginning
  std::optional<WorkerWord> why_not;  // said in place of a connection
  std::function<void(ScriptedProgram&, const DriverPlace&)> before = {};  // it connects

  // ---- And in the call.
  void say(WorkerWord word) {
    words_.push_back(std::move(word));
    has_words_.tell(true);
  }
  void end() { has_ended_ = true; }
  void send(const std::string& bytes) const {
    driver_->write_all(bytes, std::chrono::steady_clock::now() + std::chrono::seconds(20));
  }
  void disconnect() { driver_.reset(); }
  std::unique_ptr<Stream> connect() { return listener_->connect(); }
  // What the driver has been answered since the last time.
  std::vector<postgres::WireMessage> messages() {
    hear();
    std::vector<postgres::WireMessage> messages;
    while (true) {
      auto message = heard_.next();
      if (!message || !*message) return messages;
      messages.push_back(std::move(**message));
    }
  }
  // The types of it: "12CZ".
  std::string answers() {
    std::string types;
    for (const postgres::WireMessage& message : messages()) types += message.type;
    return types;
  }
  const std::vector<ProgramCall>& calls() const { return calls_; }

  const ProgramWords& words() const override {
    static const ProgramWords words = {.runtime = "the script",
                                       .on_refusal = "write another script",
                                       .on_difference = "read the script again"};
    return words;
  }
  std::string why_not_callable(const ProgramCall& /*call*/) const override { return ""; }
  Result<std::unique_ptr<StreamListener>> listen() override {
    auto listener = std::make_unique<MemoryListener>();
    listener_ = listener.get();
    return std::unique_ptr<StreamListener>(std::move(listener));
  }
  Result<std::unique_ptr<ProgramWorker>> open_worker() override {
    has_ended_ = false;
    return std::unique_ptr<ProgramWorker>(std::make_unique<Worker>(*this));
  }

 private:
  class Worker : public ProgramWorker {
   public:
    explicit Worker(ScriptedProgram& program)
        : program_(program), events_(::epoll_create1(EPOLL_CLOEXEC)) {
      watch({.descriptor = program.has_words_.descriptor(), .events = EPOLLIN});
    }

    bool begin(const ProgramCall& call, const DriverPlace& driver) override {
      program_.calls_.push_back(call);
      if (program_.why_not) {
        program_.say(*program_.why_not);
        return true;
      }
      if (program_.before) program_.before(program_, driver);
      program_.heard_ = postgres::MessageReader();
      program_.driver_ = program_.connect();
      program_.send(startup(driver.user) + program_.first);
      program_.say({.kind = WorkerWord::Kind::ready});
      watch(program_.driver_->readable());
      return true;
    }
    bool ask_place() override {
      program_.say({.kind = WorkerWord::Kind::place, .text = "Script:7"});
      return true;
    }
    std::optional<WorkerWord> next() override {
      program_.hear();
      if (program_.words_.empty()) return std::nullopt;
      WorkerWord word = std::move(program_.words_.front());
      program_.words_.pop_front();
      program_.has_words_.tell(!program_.words_.empty());
      return word;
    }
    bool has_ended() const override { return program_.has_ended_ && program_.words_.empty(); }
    Watched readable() const override { return {.descriptor = events_.get(), .events = EPOLLIN}; }

   private:
    void watch(Watched watched) const {
      epoll_event event{};
      event.events = static_cast<std::uint32_t>(watched.events);
      ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, watched.descriptor, &event);
    }

    ScriptedProgram& program_;
    FileDescriptor events_;  // epoll: what is to be said, the driver
  };

  // A program whose connection is closed throws.
  void hear() {
    std::string bytes;
    if (!driver_) return;
    const bool goes_on = driver_->read_available(bytes);
    heard_.append(bytes);
    if (goes_on) return;
    driver_.reset();
    say({.kind = WorkerWord::Kind::threw, .text = "closed", .type = "Lost"});
  }

  MemoryListener* listener_ = nullptr;  // the session's
  std::unique_ptr<Stream> driver_;
  postgres::MessageReader heard_;
  std::deque<WorkerWord> words_;
  ReadySignal has_words_;
  bool has_ended_ = false;
  std::vector<ProgramCall> calls_;
};

}  // namespace heddle
