#include "frontend/history/jepsen_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/interrupt.h"
#include "frontend/history/forms/edn_form_reader.h"
#include "frontend/history/forms/json_form_reader.h"

namespace heddle {

namespace {

// Maps, in any nesting of lists and vectors. Commas between them are white space.
class NestedOperations : public OperationSource {
 public:
  NestedOperations(std::unique_ptr<FormReader> reader, bool is_edn)
      : OperationSource(std::move(reader)), is_edn_(is_edn) {}

  bool next(JepsenOperation& operation) override {
    operation.clear();
    while (!interrupted() && skip_to_value()) {
      const char c = reader_->peek();
      if (c == '{') {
        operation.at = reader_->at();
        return reader_->read_operation(operation);
      }
      if (!enter_or_leave(c)) return false;
    }
    return false;
  }

 private:
  static constexpr std::size_t kDeepest = 16;

  struct Opened {
    char close;
    std::size_t at;
  };

  bool skip_to_value() {
    do {
      if (!skip_space()) return false;
      if (reader_->is_at_end()) return check_end();
      if (reader_->peek() != ',') return true;
      reader_->advance();
    } while (true);
  }

  bool skip_space() {
    if (is_edn_) return static_cast<EdnFormReader&>(*reader_).skip_prefixes();
    return reader_->skip_space();
  }

  bool check_end() {
    if (!opened_.empty()) {
      reader_->fail(opened_.back().at, "the list of operations that begins here has no end",
                    "the file seems to be cut off; close it or give the whole file");
    }
    return false;
  }

  bool enter_or_leave(char c) {
    const bool is_list = c == '[' || (is_edn_ && c == '(');
    if (is_list && opened_.size() < kDeepest) {
      opened_.push_back({c == '[' ? ']' : ')', reader_->at()});
    } else if (!opened_.empty() && c == opened_.back().close) {
      opened_.pop_back();
    } else {
      return reader_->fail(
          reader_->at(), fmt::format("\"{}\" stands where an operation is due", printable(c)),
          is_edn_ ? "write operations as {:process 0, :type :invoke, :f :read, :value nil}"
                  : R"(write operations as {"process":0,"type":"invoke","f":"read","value":null})");
    }
    reader_->advance();
    return true;
  }

  bool is_edn_;
  std::vector<Opened> opened_;
};

// "INFO  jepsen.util - 0\t:invoke\t:read\tnil"; lines that say anything else are passed over.
class LoggedOperations : public OperationSource {
 public:
  explicit LoggedOperations(std::unique_ptr<FormReader> reader)
      : OperationSource(std::move(reader)), size_(reader_->end()) {}

  bool next(JepsenOperation& operation) override {
    while (!interrupted() && !reader_->trouble() && next_line_ < size_) {
      begin_line();
      operation.clear();
      if (read_line(operation)) return true;
    }
    return false;
  }

 private:
  static constexpr std::string_view kLogger = "jepsen.util";

  void begin_line() {
    const std::size_t end = std::min(reader_->bytes().find('\n', next_line_), size_);
    reader_->go_to(next_line_, end);
    next_line_ = end + 1;
  }

  bool read_line(JepsenOperation& operation) {
    const std::string_view line =
        reader_->bytes().substr(reader_->at(), reader_->end() - reader_->at());
    const std::size_t logger = line.find(kLogger);
    if (logger == std::string_view::npos) return false;
    operation.at = reader_->at();
    reader_->advance(logger + kLogger.size());
    while (reader_->peek() == ' ' || reader_->peek() == '-') reader_->advance();
    if (!is_operation(line.substr(reader_->at() - operation.at))) return false;
    for (Form* form : {&operation.process, &operation.type, &operation.function}) {
      if (!reader_->read_form(form)) return false;
    }
    reader_->skip_space();
    return reader_->is_at_end() || reader_->read_form(&operation.value);
  }

  // Whether a type of operation follows on the first word.
  static bool is_operation(std::string_view text) {
    constexpr std::string_view kSpace = " \t";
    const std::size_t word_end = text.find_first_of(kSpace);
    if (word_end == std::string_view::npos || word_end == 0) return false;
    const std::size_t type = text.find_first_not_of(kSpace, word_end);
    if (type == std::string_view::npos) return false;
    const std::string_view rest = text.substr(type);
    return std::ranges::any_of(std::vector<std::string_view>{":invoke", ":ok", ":fail", ":info"},
                               [&](std::string_view name) { return rest.starts_with(name); });
  }

  std::size_t size_;
  std::size_t next_line_ = 0;
};

}  // namespace

void OperationSource::read_again(std::size_t at, Form& form) {
  const std::size_t here = reader_->at();
  const std::size_t end = reader_->end();
  form.clear();
  reader_->go_to(at, reader_->bytes().size());
  const bool was_read = reader_->read_form(&form);
  HEDDLE_ASSERT(was_read);
  reader_->go_to(here, end);
}

std::uint32_t OperationSource::line_of(std::size_t at) {
  const std::string_view bytes = reader_->bytes();
  HEDDLE_ASSERT(counted_to_ <= at && at <= bytes.size());
  // Lines are long: to look for their ends is faster than to look at each byte.
  const std::string_view passed = bytes.substr(counted_to_, at - counted_to_);
  for (std::size_t end = passed.find('\n'); end != std::string_view::npos;
       end = passed.find('\n', end + 1)) {
    ++line_;
  }
  counted_to_ = at;
  return line_;
}

std::unique_ptr<OperationSource> make_operation_source(HistoryFormat format, std::string_view bytes,
                                                       const std::string& name) {
  if (format == HistoryFormat::jepsen_json) {
    return std::make_unique<NestedOperations>(std::make_unique<JsonFormReader>(bytes, name), false);
  }
  auto edn = std::make_unique<EdnFormReader>(bytes, name);
  if (format == HistoryFormat::jepsen_log) {
    return std::make_unique<LoggedOperations>(std::move(edn));
  }
  HEDDLE_ASSERT(format == HistoryFormat::jepsen_edn);
  return std::make_unique<NestedOperations>(std::move(edn), true);
}

}  // namespace heddle
