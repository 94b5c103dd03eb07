// A program under heddle's control: heddle calls its methods, and its driver connects to heddle in
// place of the store. What language it is written in, and how it is started, only the
// implementation knows (src/jvm).
//
//   auto worker = program.open_worker();
//   auto listener = program.listen();
//   (*worker)->begin({.method = "bank.Accounts.pay(Connection, int)", .arguments = {"1"}},
//                    {.address = (*listener)->address(), .user = token});
//   while (auto word = (*worker)->next()) ...   // ready, and later how it ended
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "stream/stream.h"

namespace heddle {

// What a session of a program calls.
struct ProgramCall {
  std::string method;  // bank.Accounts.pay(Connection, int, BigDecimal)
  std::vector<std::optional<std::string>> arguments;  // in PostgreSQL's text format
};

// Where the driver connects for a call, and what it says to be let in.
struct DriverPlace {
  std::string address;  // of the listener
  std::string user;
};

// What a worker says.
struct WorkerWord {
  enum class Kind : std::uint8_t {
    ready,     // the driver is connected, and the program's own code begins
    place,     // where the code is; it was asked
    refused,   // the call cannot be made
    returned,  // the call has ended
    threw,     // so
  };

  Kind kind = Kind::ready;
  std::string text = {};  // the place, Bank.java:19; why not; the message of what was thrown
  std::string type = {};  // of what was thrown
  std::optional<std::string> value = {};  // that was returned; none: it is not plain, or null
};

// Makes one call after another. When it goes, so does a call that has not ended.
class ProgramWorker {
 public:
  ProgramWorker() = default;
  ProgramWorker(const ProgramWorker&) = delete;
  ProgramWorker& operator=(const ProgramWorker&) = delete;
  virtual ~ProgramWorker();

  // False: the worker has gone. REQUIRES: no call under way.
  virtual bool begin(const ProgramCall& call, const DriverPlace& driver) = 0;
  // Asks where the code is. False: the worker has gone.
  virtual bool ask_place() = 0;
  // The next that it has said, or none; never waits.
  virtual std::optional<WorkerWord> next() = 0;
  // It will say no more.
  virtual bool has_ended() const = 0;
  // Ready where next() may give something.
  virtual Watched readable() const = 0;
};

// How messages speak of a program.
struct ProgramWords {
  std::string runtime;        // what runs it: the Java machine
  std::string on_refusal;     // what to do where a call cannot be made
  std::string on_difference;  // what to do where it does not do what was read of it
};

class ControlledProgram {
 public:
  ControlledProgram() = default;
  ControlledProgram(const ControlledProgram&) = delete;
  ControlledProgram& operator=(const ControlledProgram&) = delete;
  virtual ~ControlledProgram();

  virtual const ProgramWords& words() const = 0;
  // Why the program cannot be called so; empty: it can be tried.
  virtual std::string why_not_callable(const ProgramCall& call) const = 0;
  // Where its driver can connect. Thread-safe.
  virtual Result<std::unique_ptr<StreamListener>> listen() = 0;
  // Thread-safe.
  virtual Result<std::unique_ptr<ProgramWorker>> open_worker() = 0;
};

}  // namespace heddle
