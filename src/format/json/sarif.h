// SARIF 2.1.0 (OASIS standard), the format in which tools tell editors and code hosts what is wrong
// with a program: one log with one run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/result.h"

namespace heddle {

// Texts are UTF-8 throughout.
struct SarifPlace {
  std::string file;         // as the user named it
  SourcePosition position;  // line 0: the whole file
  std::string text;         // that begins there; empty: only the position is known
};

struct SarifStep {
  SarifPlace place;
  std::string message;
  std::size_t order = 0;  // in time, over all sessions, from 1
};

struct SarifFlow {
  std::string session;
  std::vector<SarifStep> steps;
  std::string word = "session";  // what it is that goes through these steps
};

// A rule of its own, for results that are no anomaly of a history.
struct SarifRule {
  std::string id;       // "race-lost-update"
  std::string name;     // "race of requests: lost update"
  std::string meaning;  // one sentence
};

struct SarifResult {
  AnomalyKind kind = AnomalyKind::unserializable_outcome;
  std::optional<SarifRule> rule = {};  // in place of that of the kind
  bool grave = true;                   // an error, not a warning
  // Nobody knows whether it is a fault: a person should look.
  bool is_for_review = false;
  std::string message;
  SarifPlace place;
  std::vector<SarifStep> related;
  std::vector<SarifFlow> flows;
  std::string fingerprint;
  std::optional<std::string> suppressed;  // the reason
  std::vector<std::pair<std::string, std::string>> properties;
};

// What kept heddle from knowing, or what it warns of.
struct SarifNotification {
  bool grave = true;
  std::string message;
  SarifPlace place;
};

struct SarifLog {
  std::vector<SarifResult> results;
  std::vector<SarifNotification> notifications;
};

// The run counts as successful unless there is a grave notification.
std::string to_sarif(const SarifLog& log);

}  // namespace heddle
