#include "record/redact_trace.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "record/redact/redact_http.h"

namespace heddle {
namespace {

// A body that says more when it is decoded is kept as far as this.
constexpr std::size_t kMostDecoded = std::size_t{4} << 20;
constexpr std::size_t kMostTexts = 4096;

void redact_parameters(Redactor& redactor, const std::map<std::size_t, Hiding>& hidden,
                       TraceStatement& statement) {
  for (std::size_t i = 0; i < statement.parameters.size(); ++i) {
    TraceValue& value = statement.parameters[i].value;
    if (!value.text) continue;
    const auto found = hidden.find(i + 1);
    value.text = found == hidden.end() ? redactor.value(*value.text)
                                       : redactor.hide(*value.text, found->second);
  }
}

// What was hidden in a row could be guessed by the hash of all of them.
void redact_rows(Redactor& redactor, TraceResult& result) {
  std::vector<std::optional<Hiding>> hidden;
  for (const TraceColumn& column : result.columns) {
    hidden.push_back(redactor.hiding_of(column.name));
  }
  bool is_changed = std::ranges::any_of(hidden, [](const auto& each) { return each.has_value(); });
  for (std::vector<TraceValue>& row : result.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!row[i].text) continue;
      const bool is_hidden = i < hidden.size() && hidden[i];
      std::string shown =
          is_hidden ? redactor.hide(*row[i].text, *hidden[i]) : redactor.value(*row[i].text);
      is_changed = is_changed || shown != *row[i].text;
      row[i].text = std::move(shown);
    }
  }
  if (is_changed) result.hash = 0;
}

void redact_passed(Redactor& redactor, const std::vector<HttpHeader>& headers, PassedBody& body) {
  if (body.bytes.empty()) return;
  RedactedBody redacted = redact_body(redactor, headers, body.bytes, kMostDecoded);
  body.is_whole = body.is_whole && redacted.is_whole;
  body.is_decoded = body.is_decoded || redacted.is_decoded;
  body.bytes = std::move(redacted.bytes);
}

}  // namespace

const TraceRedactor::RedactedText& TraceRedactor::redacted(const std::string& text) {
  if (texts_.size() >= kMostTexts || std::exchange(texts_know_, known()) != known()) {
    texts_.clear();
  }
  const auto found = texts_.find(text);
  if (found != texts_.end()) return found->second;
  auto parameters = hidden_parameters(redactor_, text);
  std::string shown = redact_statement(redactor_, text);
  return texts_.emplace(text, RedactedText{std::move(shown), std::move(parameters)}).first->second;
}

void TraceRedactor::redact(TraceStatement& statement) {
  const RedactedText& text = redacted(statement.text);
  redact_parameters(redactor_, text.parameters, statement);
  if (text.text != statement.text) {
    // What was cut off stays so many bytes; a placeholder has another size than what it hides.
    statement.text_size = statement.text_size - statement.text.size() + text.text.size();
    statement.text = text.text;
  }
  for (TraceResult& result : statement.results) redact_rows(redactor_, result);
  if (!statement.error) return;
  statement.error->message = redactor_.text(statement.error->message);
  statement.error->detail = redactor_.text(statement.error->detail);
}

void TraceRedactor::redact(HttpExchange& exchange) {
  redact_passed(redactor_, exchange.request.headers, exchange.body);
  exchange.request = redact_head(redactor_, std::move(exchange.request));
  if (!exchange.response) return;
  redact_passed(redactor_, exchange.response->headers, exchange.response_body);
  exchange.response = redact_head(redactor_, std::move(*exchange.response));
}

}  // namespace heddle
