// Units of a trace without their secrets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "heddle/trace.h"
#include "proxy/observer.h"
#include "record/redact/redactor.h"

namespace heddle {

// Both may be called again when more is known: placeholders stay.
class TraceRedactor {
 public:
  explicit TraceRedactor(Redactor redactor) : redactor_(std::move(redactor)) {}

  void redact(TraceStatement& statement);
  // `is_decoded` of a body tells that what was compressed is not any more.
  void redact(HttpExchange& exchange);
  std::uint64_t known() const { return redactor_.known(); }

 private:
  // What came of a text, as long as nothing more is known.
  struct RedactedText {
    std::string text;
    std::map<std::size_t, Hiding> parameters;
  };

  const RedactedText& redacted(const std::string& text);

  Redactor redactor_;
  std::unordered_map<std::string, RedactedText> texts_;
  std::uint64_t texts_know_ = 0;  // how many secrets were known for these
};

}  // namespace heddle
