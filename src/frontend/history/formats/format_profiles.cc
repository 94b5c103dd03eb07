#include "frontend/history/formats/format_profiles.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "frontend/history/awdit.h"
#include "frontend/history/dbcop.h"
#include "frontend/history/jepsen.h"
#include "frontend/history/lines.h"
#include "frontend/history/plume.h"
#include "frontend/history/stream/line_streams.h"
#include "frontend/history/textbook.h"
#include "frontend/history/write/write_formats.h"

namespace heddle {

namespace {

using Beginning = HistoryBeginning;
using BeginningForm = HistoryBeginning::Form;

// Fields of the objects with which dbcop's JSON may begin.
constexpr std::array<std::string_view, 8> kDbcopFields = {
    "params", "info", "start", "end", "data", "events", "committed", "success"};

bool is_dbcop_object(const Beginning& beginning) {
  return beginning.form == BeginningForm::object &&
         std::ranges::find(kDbcopFields, beginning.key) != kDbcopFields.end();
}

bool is_heddle_object(const Beginning& beginning) {
  return beginning.form == BeginningForm::object && beginning.key == "heddle";
}

bool is_cobra_log(const Beginning& beginning) {
  constexpr std::string_view kKinds = "SWRC";
  return beginning.form == BeginningForm::binary && beginning.text.size() > 9 &&
         beginning.text[0] == 'S' && kKinds.find(beginning.text[9]) != std::string_view::npos;
}

bool is_read_or_write(const Beginning& beginning) {
  return beginning.is_words() && (beginning.word() == "r" || beginning.word() == "w");
}

bool begins_awdit(const Beginning& beginning) {
  const char next = beginning.behind_word();
  if (is_read_or_write(beginning)) return next == ' ' || (next >= '\t' && next <= '\r');
  return beginning.is_words() &&
         (beginning.text.starts_with("---") || beginning.text.starts_with("==="));
}

bool begins_textbook(const Beginning& beginning) {
  if (!beginning.is_words()) return false;
  const std::string_view word = beginning.word();
  return word == "session" || word == "initial" || word == "times" ||
         (!word.empty() && is_digit(beginning.behind_word()));
}

template <HistoryFormat format>
Result<RecordedHistory> read_jepsen_as(std::string_view bytes, const std::string& name,
                                       const ReadHistoryOptions& options) {
  return read_jepsen(bytes, name, format, options);
}

template <Result<TransactionHistory> (*reader)(std::string_view, const std::string&)>
Result<RecordedHistory> read_transactions(std::string_view bytes, const std::string& name,
                                          const ReadHistoryOptions& /*options*/) {
  return recorded(reader(bytes, name));
}

Result<RecordedHistory> refuse_cobra(std::string_view /*bytes*/, const std::string& name,
                                     const ReadHistoryOptions& /*options*/) {
  return Diagnostic{.what = "one log of Cobra is not a whole history",
                    .what_to_do = "give the folder with the logs of all sessions",
                    .file = name};
}

constexpr std::array kProfiles = {
    HistoryFormatProfile{
        .format = HistoryFormat::jepsen_edn,
        .meaning = "Jepsen's history.edn",
        .begins =
            [](const Beginning& beginning) {
              return beginning.form == BeginningForm::edn ||
                     (beginning.form == BeginningForm::list && beginning.depth < 2);
            },
        .read = read_jepsen_as<HistoryFormat::jepsen_edn>,
        .write = [](const TransactionHistory& history) -> Result<std::string> {
          return write_jepsen(history, HistoryFormat::jepsen_edn);
        },
        .write_calls = [](const ObjectHistory& history) -> Result<std::string> {
          return write_jepsen(history, HistoryFormat::jepsen_edn);
        },
        .follow = make_jepsen_line_stream,
    },
    HistoryFormatProfile{
        .format = HistoryFormat::jepsen_json,
        .meaning = "Jepsen's history as JSON",
        .begins =
            [](const Beginning& beginning) {
              return beginning.form == BeginningForm::object && !is_heddle_object(beginning) &&
                     !is_dbcop_object(beginning);
            },
        .read = read_jepsen_as<HistoryFormat::jepsen_json>,
        .write = [](const TransactionHistory& history) -> Result<std::string> {
          return write_jepsen(history, HistoryFormat::jepsen_json);
        },
        .write_calls = [](const ObjectHistory& history) -> Result<std::string> {
          return write_jepsen(history, HistoryFormat::jepsen_json);
        },
    },
    HistoryFormatProfile{
        .format = HistoryFormat::jepsen_log,
        .meaning = "Jepsen's log lines, as porcupine reads them",
        .begins = [](const Beginning& beginning) { return beginning.form == BeginningForm::log; },
        .read = read_jepsen_as<HistoryFormat::jepsen_log>,
    },
    HistoryFormatProfile{
        .format = HistoryFormat::plume,
        .meaning = "r(key,value,session,transaction) lines",
        .begins =
            [](const Beginning& beginning) {
              return is_read_or_write(beginning) && beginning.behind_word() == '(';
            },
        .read = read_transactions<read_plume>,
        .write = write_plume,
    },
    HistoryFormatProfile{
        .format = HistoryFormat::awdit,
        .meaning = "AWDIT's r and w lines",
        .begins = begins_awdit,
        .read = read_transactions<read_awdit>,
        .write = write_awdit,
    },
    HistoryFormatProfile{
        .format = HistoryFormat::dbcop_bincode,
        .meaning = "dbcop's binary histories",
        .begins =
            [](const Beginning& beginning) {
              return beginning.form == BeginningForm::binary && !is_cobra_log(beginning);
            },
        .read = read_transactions<read_dbcop_bincode>,
        .write = write_dbcop_bincode,
        .is_binary = true,
    },
    HistoryFormatProfile{
        .format = HistoryFormat::dbcop_json,
        .meaning = "dbcop's histories as JSON",
        .begins =
            [](const Beginning& beginning) {
              return is_dbcop_object(beginning) ||
                     (beginning.form == BeginningForm::list && beginning.depth > 1);
            },
        .read = read_transactions<read_dbcop_json>,
        .write = write_dbcop_json,
    },
    HistoryFormatProfile{
        .format = HistoryFormat::cobra,
        .meaning = "a folder of Cobra's session logs",
        .begins = is_cobra_log,
        .read = refuse_cobra,
        .is_folder = true,
    },
    HistoryFormatProfile{
        .format = HistoryFormat::heddle_lines,
        .meaning = "heddle's own JSON Lines",
        .begins = is_heddle_object,
        .read = [](std::string_view bytes, const std::string& name,
                   const ReadHistoryOptions& /*options*/) -> Result<RecordedHistory> {
          return read_heddle_lines(bytes, name);
        },
        .write = [](const TransactionHistory& history) -> Result<std::string> {
          return write_heddle_lines(history);
        },
        .write_calls = [](const ObjectHistory& history) -> Result<std::string> {
          return write_heddle_lines(history);
        },
        .follow = [](const std::string& name, const ReadHistoryOptions& /*options*/)
            -> std::unique_ptr<LineStream> { return make_heddle_line_stream(name); },
    },
    HistoryFormatProfile{
        .format = HistoryFormat::textbook,
        .meaning = "r1[x=0] w1[x=1] c1",
        .begins = begins_textbook,
        .read = read_transactions<read_textbook>,
        .write = write_textbook,
        .follow = make_textbook_line_stream,
    },
};

}  // namespace

std::span<const HistoryFormatProfile> history_format_profiles() { return kProfiles; }

const HistoryFormatProfile& profile_of(HistoryFormat format) {
  return kProfiles[static_cast<std::size_t>(format)];
}

}  // namespace heddle
