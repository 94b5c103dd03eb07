// Recorded requests with the values of a run of their own.
//
//   ReplayBindings bindings(trace, dependencies, plan, secrets_of(config));
//   for (const std::uint64_t unit : plan.before) {
//     const Result<HttpToSend> request = bindings.make(unit);
//     if (!request) return request.error();
//     bindings.take(unit, send(*request));
//   }
//
// Where a value of the recorded request came from an answer, the value at that place in this run's
// answer stands. A secret that the client chose (the password of a user that the plan itself
// creates) is made up, once for each placeholder. No other secret is known: heddle.yaml names it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "heddle/trace.h"
#include "race/requests/dependencies.h"
#include "race/requests/http_texts.h"
#include "race/requests/pair_plan.h"
#include "race/requests/secret_values.h"

namespace heddle {

// One run. A further run has bindings of its own.
class ReplayBindings {
 public:
  // REQUIRES: `trace` and `dependencies` outlive it.
  ReplayBindings(const Trace& trace, const RequestDependencies& dependencies, const PairPlan& plan,
                 SecretLookup lookup);

  // The request to send. Errors: an answer that it needs was not taken, or has nothing at that
  // place (environment); a secret that nobody knows, with the line of heddle.yaml to add; a body of
  // which only the beginning was recorded (bad_input). REQUIRES: `unit` is a request of the plan.
  Result<HttpToSend> make(std::uint64_t unit);

  // The answer to `unit` in this run; the last one counts. From several threads neither this nor
  // `make` may be called at once.
  void take(std::uint64_t unit, HttpAnswer answer);

 private:
  const Trace& trace_;
  const RequestDependencies& dependencies_;
  PairPlan plan_;
  SecretLookup lookup_;
  std::map<std::uint64_t, HttpAnswer> answers_ = {};
  std::map<std::string, std::string> secrets_ = {};  // by placeholder
};

}  // namespace heddle
