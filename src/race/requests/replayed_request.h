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
#include <utility>
#include <vector>

#include "heddle/result.h"
#include "heddle/trace.h"
#include "race/requests/answer_values.h"
#include "race/requests/dependencies.h"
#include "race/requests/fresh_names.h"
#include "race/requests/http_texts.h"
#include "race/requests/message_values.h"
#include "race/requests/pair_plan.h"
#include "race/requests/secret_values.h"

namespace heddle {

// A secret that stood in a request first, and for which a value was made up.
struct MadeUpSecret {
  std::string placeholder;
  std::string field;
  std::uint64_t unit = 0;  // the request in which it stood first
  std::string value;
};

// One run. A further run has bindings of its own. Not safe to use from several threads at once.
class ReplayBindings {
 public:
  // REQUIRES: `trace` and `dependencies` outlive it.
  ReplayBindings(const Trace& trace, const RequestDependencies& dependencies, const PairPlan& plan,
                 SecretLookup lookup);

  // From now on what the plan creates has these names, also where they are part of a longer text.
  void rename(FreshNames names) { names_ = std::move(names); }

  // The request to send. Errors: an answer that it needs was not taken, or has nothing at that
  // place (environment); a secret that nobody knows, with the line of heddle.yaml to add; a body of
  // which only the beginning was recorded (bad_input). REQUIRES: `unit` is a request of the plan.
  Result<HttpToSend> make(std::uint64_t unit);

  // The answer to `unit` in this run; the last one counts.
  void take(std::uint64_t unit, const HttpAnswer& answer);

  // What was made up so far.
  const std::vector<MadeUpSecret>& made_up() const { return made_up_; }

 private:
  // Bytes of a message that are replaced.
  struct Replacement {
    MessagePart part = MessagePart::body;
    std::size_t header = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text = {};
  };
  // A recorded request, as it is filled in.
  struct Draft {
    const TraceRequest& request;
    MessageText message;
    std::vector<MessageValue> values;
    std::vector<Replacement> replacements = {};
  };
  Result<void> bind_links(Draft& draft) const;
  Result<const MessageValue*> answered_value(const ValueLink& link, const Draft& draft) const;
  void bind_names(Draft& draft) const;
  std::string renamed(const std::string& recorded) const;
  Result<void> bind_secrets(Draft& draft);
  Result<void> bind_secrets_of(Draft& draft, MessagePart part, std::size_t header);
  Result<std::string> secret_of(const Draft& draft, const std::string& placeholder,
                                const MessageValue* value);
  std::string endpoint_of(const TraceRequest& request) const;

  const Trace& trace_;
  const RequestDependencies& dependencies_;
  SecretLookup lookup_;
  std::map<std::uint64_t, const TraceRequest*> requests_ = {};  // of the plan
  std::map<std::uint64_t, AnswerValues> recorded_ = {};
  std::map<std::uint64_t, AnswerValues> answers_ = {};
  std::map<std::string, std::string> secrets_ = {};  // by placeholder
  std::vector<MadeUpSecret> made_up_ = {};
  FreshNames names_ = {};
};

}  // namespace heddle
