// The tables of a MariaDB or MySQL database, as the server itself says them in CREATE statements.
#include "store/mariadb/schema.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/control.h"
#include "store/mariadb/database.h"
#include "store/quote.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// Settings of the session that change what SHOW CREATE prints.
constexpr std::string_view kBeginMariadbReading =
    "SET SESSION sql_mode = '', SESSION sql_quote_show_create = 1; START TRANSACTION READ ONLY";

// Views hold no rows.
constexpr std::string_view kMariadbTables = R"sql(
SELECT table_name, table_type FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_type NOT LIKE '%VIEW' AND table_type NOT LIKE 'TEMPORARY%'
ORDER BY table_type = 'SEQUENCE' DESC, table_name)sql";

// Whoever may not look at one is told an empty text.
constexpr std::string_view kMariadbViews = R"sql(
SELECT table_name, view_definition, DATABASE() FROM information_schema.views
WHERE table_schema = DATABASE() ORDER BY table_name)sql";

// The names of tables without that of their database.
std::string without_database(std::string text, const std::string& database) {
  const std::string name = quote_with(database, '`') + ".";
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at)) {
    text.erase(at, name.size());
  }
  return text;
}

class MariadbCatalogue {
 public:
  explicit MariadbCatalogue(MariadbDatabase& database) : database_(database) {
    result_.dialect = Dialect::mysql;
  }

  Result<SchemaText> read() {
    if (auto begun = ask(std::string(kBeginMariadbReading)); !begun) return begun.error();
    auto tables = ask(std::string(kMariadbTables));
    if (!tables) return tables.error();
    if (tables->error) return refused("does not tell its tables", *tables->error);
    if (!tables->result) return std::move(result_);
    bool has_tables = false;
    for (const Row& row : tables->result->rows) {
      const bool is_sequence = row.at(1) == "SEQUENCE";
      has_tables = has_tables || !is_sequence;
      auto added = add(row.at(0).value_or(""), is_sequence ? "SEQUENCE" : "TABLE");
      if (!added) return added.error();
    }
    if (!has_tables) {
      result_.text.clear();
      return std::move(result_);
    }
    if (auto added = add_views(); !added) return added.error();
    return std::move(result_);
  }

 private:
  static Diagnostic refused(const std::string& what, const StepError& error) {
    const std::string reason = in_one_line(error.text);
    return store_trouble(fmt::format("the server {}: {}", what, reason), advice_for(reason));
  }

  // The reply to the last statement of the text.
  Result<Reply> ask(const std::string& text) {
    auto replies = database_.execute(text, kOwnQueryTimeoutMs);
    if (!replies) return replies.error();
    return replies->empty() ? Reply() : std::move(replies->back());
  }

  Result<void> add_views() {
    auto views = ask(std::string(kMariadbViews));
    if (!views) return views.error();
    if (views->error) return refused("does not tell its views", *views->error);
    if (!views->result) return {};
    for (const Row& row : views->result->rows) {
      const std::string name = row.at(0).value_or("");
      const std::string query = without_database(row.at(1).value_or(""), row.at(2).value_or(""));
      if (query.empty()) {
        result_.notes.push_back({.what = "the server does not tell what the view " + name + " is",
                                 .what_to_do = "give a user who may read it"});
        continue;
      }
      result_.text += "CREATE VIEW " + quote_with(name, '`') + " AS " + query + ";\n";
    }
    return {};
  }

  // A table that may not be looked at is missing, which is said.
  Result<void> add(const std::string& name, std::string_view kind) {
    auto shown = ask(fmt::format("SHOW CREATE {} {}", kind, quote_with(name, '`')));
    if (!shown) return shown.error();
    if (shown->error) {
      if (is_store_trouble(*shown->error)) return refused("does not answer", *shown->error);
      Diagnostic note = refused("does not tell what " + name + " is", *shown->error);
      note.what_to_do = "give a user who may read it";
      result_.notes.push_back(std::move(note));
    } else if (shown->result && !shown->result->rows.empty()) {
      result_.text += shown->result->rows[0].at(1).value_or("") + ";\n";
    }
    return {};
  }

  MariadbDatabase& database_;
  SchemaText result_;
};

}  // namespace

Result<SchemaText> read_mariadb_schema(const MariadbAddress& address) {
  auto database = MariadbDatabase::connect(address);
  if (!database) {
    Diagnostic trouble = database.error();
    if (trouble.what_to_do.empty()) {
      trouble.what_to_do = "check the address, and that the server runs";
    }
    return trouble;
  }
  return MariadbCatalogue(**database).read();
}

}  // namespace heddle
