// Whatever a body, a head or a statement may hold: where nothing is to be redacted every byte
// stays, a value that is known stands in nothing that is written, and what was redacted stays as it
// is.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "record/redact/redact_content.h"
#include "record/redact/redact_http.h"

namespace {

using heddle::Redactor;

constexpr std::string_view kCanary = "canary-7";

using Redact = std::string (*)(Redactor& redactor, std::string_view text);
constexpr Redact kAll[] = {
    heddle::redact_json,
    heddle::redact_form,
    heddle::redact_url,
    heddle::redact_markup,
    heddle::redact_statement,
    [](Redactor& redactor, std::string_view text) { return redactor.value(text); },
    [](Redactor& redactor, std::string_view text) {
      return heddle::redact_content(redactor, "multipart/form-data; boundary=b", text);
    },
    [](Redactor& redactor, std::string_view text) {
      return heddle::redact_content(redactor, "text/event-stream", text);
    },
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  RedactSettings nothing;
  nothing.redact = {};
  for (const Redact redact : kAll) {
    // A password in a URL and a JSON Web Token are secrets whatever the settings are.
    Redactor without_names(nothing, "key");
    const std::string same = redact(without_names, text);
    const bool has_secret = text.find("://") != text.npos || without_names.known() > 0;
    HEDDLE_ASSERT(has_secret || same == text);

    Redactor redactor(RedactSettings(), "key");
    redactor.remember(kCanary);
    const std::string redacted = redact(redactor, text);
    HEDDLE_ASSERT(redacted.find(kCanary) == redacted.npos);
    HEDDLE_ASSERT(redactor.text(redacted) == redactor.text(redactor.text(redacted)));
  }
  Redactor redactor(RedactSettings(), "key");
  for (const char* const name : {"Authorization", "Cookie", "Set-Cookie", "X"}) {
    redact_headers(redactor, {{name, std::string(text)}});
  }
  return 0;
}
