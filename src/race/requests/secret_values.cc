#include "race/requests/secret_values.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "frontend/config/system_command.h"
#include "record/redact/field_names.h"

namespace heddle {
namespace {

constexpr std::uint32_t kCommandMs = 30'000;

// What systems give, and nobody makes up.
const FieldNames& given_fields() {
  static const FieldNames names({"authorization", "proxy_authorization", "*token", "*csrf", "*xsrf",
                                 "csrfmiddlewaretoken", "*api_key", "*private_key", "*session_id",
                                 "*session_key", "*credentials", "client_secret",
                                 "client_assertion", "signature", "session", "sid"});
  return names;
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  const std::size_t begin = text.rfind('\n');
  return std::string(begin == text.npos ? text : text.substr(begin + 1));
}

class SecretSources {
 public:
  explicit SecretSources(Config config) : config_(std::move(config)) {}

  Result<std::optional<std::string>> find(const SecretQuestion& question) {
    const SecretSettings* const source = source_of(question);
    if (source == nullptr) return std::optional<std::string>();
    const auto known = values_.find(source);
    if (known != values_.end()) return std::optional(known->second);
    Result<std::string> value = read(*source, question);
    if (!value) return value.error();
    values_[source] = *value;
    return std::optional(std::move(*value));
  }

 private:
  const SecretSettings* source_of(const SecretQuestion& question) const {
    for (const SecretSettings& each : config_.race.secrets) {
      if (FieldNames({each.field.text}).has(question.field)) return &each;
    }
    const bool has_token = question.is_credential && !config_.race.token.empty();
    return has_token ? &config_.race.token.front() : nullptr;
  }

  Result<std::string> read(const SecretSettings& source, const SecretQuestion& question) const {
    if (!source.value.empty()) return source.value.front().text;
    if (!source.environment.empty()) return read_variable(source.environment.front());
    if (!source.file.empty()) return read_secret_file(source.file.front());
    return run(source, question);
  }

  Diagnostic trouble(const Setting& at, std::string what, std::string what_to_do) const {
    return {.what = std::move(what),
            .what_to_do = std::move(what_to_do),
            .file = config_.file,
            .position = at.position};
  }

  Result<std::string> read_variable(const Setting& name) const {
    auto value = environment_variable(name.text);
    if (value) return std::move(*value);
    return trouble(name, fmt::format("the variable {} is not set", name.text),
                   "set it: a request that is sent again needs it");
  }

  Result<std::string> read_secret_file(const Setting& name) const {
    std::error_code ignored;
    const auto folder = std::filesystem::absolute(config_.file, ignored).parent_path();
    const auto text = read_file((folder / name.text).string());
    if (!text) return trouble(name, text.error().what, text.error().what_to_do);
    std::string value = *text;
    while (value.ends_with('\n') || value.ends_with('\r')) value.pop_back();
    return value;
  }

  Result<std::string> run(const SecretSettings& source, const SecretQuestion& question) const {
    std::vector<std::string> environment = whole_environment();
    environment.push_back("HEDDLE_FIELD=" + question.field);
    environment.push_back("HEDDLE_ENDPOINT=" + question.endpoint);
    const auto command = system_command(config_, source.command, std::move(environment));
    if (!command) return command.error();
    const auto outcome = run_process(*command, kCommandMs);
    if (!outcome) return outcome.error();
    const std::string value = last_line(outcome->output);
    if (outcome->succeeded() && !value.empty()) return value;
    const std::string how = outcome->timed_out     ? "did not end within 30 s"
                            : outcome->succeeded() ? "printed nothing"
                                                   : "failed: " + value;
    return trouble(source.command.front(),
                   fmt::format("the command for \"{}\" {}", source.field.text, how),
                   "let it print the value as its last line and end with exit code 0");
  }

  Config config_;
  std::map<const SecretSettings*, std::string> values_ = {};
};

// Digits that are the same for the same placeholder.
std::string digits_of(std::string_view hash, std::size_t count) {
  std::string digits;
  for (const char c : hash.substr(0, count)) {
    digits += static_cast<char>('0' + static_cast<unsigned char>(c) % 10);
  }
  return digits;
}

}  // namespace

SecretLookup secrets_of(const Config& config) {
  const auto sources = std::make_shared<SecretSources>(config);
  return [sources](const SecretQuestion& question) { return sources->find(question); };
}

std::string made_up_value(const std::string& placeholder, const std::string& field,
                          std::uint64_t run) {
  const std::size_t colon = placeholder.find(':');
  const std::string hash = placeholder.substr(colon + 1, placeholder.size() - colon - 2);
  const std::string name = to_lower(field);
  const auto is_about = [&name](std::string_view word) { return name.find(word) != name.npos; };
  const std::string once = run == 0 ? "" : fmt::format("h{}", run);
  if (is_about("mail")) return fmt::format("u{}{}@example.org", hash, once);
  if (is_about("phone") || is_about("mobile")) {
    constexpr std::size_t kPlaces = 7;
    constexpr std::uint64_t kNumbers = 10'000'000;
    const std::uint64_t number = std::stoull(digits_of(hash, kPlaces)) + run;
    return fmt::format("+1555{:07}", number % kNumbers);
  }
  constexpr std::size_t kPin = 4;
  if (is_one_of(name, {"pin", "otp", "cvv", "cvc"})) return digits_of(hash, kPin);
  // It has characters of all kinds that rules for passwords ask for.
  return "Hd1-" + hash + (placeholder.starts_with("<masked:") ? once : "");
}

bool may_be_chosen(const std::string& field) { return !given_fields().has(field); }

}  // namespace heddle
