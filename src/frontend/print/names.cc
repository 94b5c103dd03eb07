#include "frontend/print/names.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/sql/words/mysql_lexer.h"
#include "frontend/sql/words/postgres_words.h"

namespace heddle::sql {
namespace {

// What PostgreSQL reserves, and what it takes for a type or a construct where a name may stand.
constexpr std::string_view kPostgresWords =
    "all analyse analyze and any array as asc asymmetric authorization between bigint binary bit "
    "boolean both case cast char character check coalesce collate collation column concurrently "
    "constraint create cross current_catalog current_date current_role current_schema current_time "
    "current_timestamp current_user dec decimal default deferrable desc distinct do else end "
    "except "
    "exists extract false fetch float for foreign freeze from full grant greatest group grouping "
    "having ilike in initially inner inout int integer intersect interval into is isnull join "
    "lateral leading least left like limit localtime localtimestamp national natural nchar none "
    "normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay "
    "placing position precision primary real references returning right row select session_user "
    "setof similar smallint some substring symmetric table tablesample then time timestamp to "
    "trailing treat trim true union unique user using values varchar variadic verbose when where "
    "window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse "
    "xmlpi xmlroot xmlserialize xmltable";

constexpr std::string_view kMysqlWords =
    "accessible add all alter analyze and as asc asensitive before between bigint binary blob both "
    "by call cascade case change char character check collate column condition constraint continue "
    "convert create cross cube cume_dist current_date current_role current_time current_timestamp "
    "current_user cursor database databases day_hour day_microsecond day_minute day_second dec "
    "decimal declare default delayed delete delete_domain_id dense_rank desc describe "
    "deterministic distinct distinctrow div do_domain_ids double drop dual each else elseif empty "
    "enclosed escaped except exists exit explain false fetch first_value float float4 float8 for "
    "force foreign from fulltext function general generated get grant group grouping groups having "
    "high_priority hour_microsecond hour_minute hour_second if ignore ignore_domain_ids "
    "ignore_server_ids in index infile inner inout insensitive insert int int1 int2 int3 int4 int8 "
    "integer intersect interval into io_after_gtids io_before_gtids is iterate join json_table key "
    "keys kill lag last_value lateral lead leading leave left like limit linear lines load "
    "localtime localtimestamp lock long longblob longtext loop low_priority master_bind "
    "master_heartbeat_period master_ssl_verify_server_cert match maxvalue mediumblob mediumint "
    "mediumtext middleint minute_microsecond minute_second mod modifies natural not "
    "no_write_to_binlog nth_value ntile null numeric of offset on optimize optimizer_costs option "
    "optionally or order out outer outfile over page_checksum parse_vcol_expr partition "
    "percent_rank precision primary procedure purge range rank read read_write reads real "
    "recursive ref_system_id references regexp release rename repeat replace require resignal "
    "restrict return returning revoke right rlike row row_number rows schema schemas "
    "second_microsecond select sensitive separator set show signal slow smallint spatial specific "
    "sql sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning ssl "
    "starting stats_auto_recalc stats_persistent stats_sample_pages stored straight_join system "
    "table terminated then tinyblob tinyint tinytext to trailing trigger true undo union unique "
    "unlock unsigned update usage use using utc_date utc_time utc_timestamp values varbinary "
    "varchar varcharacter varying virtual when where while window with write xor year_month "
    "zerofill";

constexpr std::string_view kSqliteWords =
    "abort action add after all alter always analyze and as asc attach autoincrement before begin "
    "between by cascade case cast check collate column commit conflict constraint create cross "
    "current current_date current_time current_timestamp database default deferrable deferred "
    "delete desc detach distinct do drop each else end escape except exclude exclusive exists "
    "explain fail false filter first following for foreign from full generated glob group groups "
    "having if ignore immediate in index indexed initially inner insert instead intersect into is "
    "isnull join key last left like limit match materialized natural no not nothing notnull null "
    "nulls of offset on or order others outer over partition plan pragma preceding primary query "
    "raise range recursive references regexp reindex release rename replace restrict returning "
    "right rollback row rows savepoint select set table temp temporary then ties to transaction "
    "trigger true unbounded union unique update using vacuum values view virtual when where window "
    "with without";

std::set<std::string> words_of(std::string_view words) {
  std::set<std::string> result;
  for (const std::string& word : split(words, ' ')) result.insert(word);
  return result;
}

bool is_reserved(const std::string& word, Dialect dialect) {
  static const std::set<std::string> kPostgres = words_of(kPostgresWords);
  static const std::set<std::string> kMysql = words_of(kMysqlWords);
  static const std::set<std::string> kSqlite = words_of(kSqliteWords);
  if (dialect == Dialect::mysql) return kMysql.contains(word);
  return dialect == Dialect::sqlite ? kSqlite.contains(word) : kPostgres.contains(word);
}

std::string with_doubled_backslashes(std::string_view value) {
  std::string text;
  for (char c : value) {
    if (c == '\\') text += c;
    text += c;
  }
  return text;
}

}  // namespace

bool is_plain_name(std::string_view name) {
  if (name.empty() || is_digit(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

std::string print_name(std::string_view name, Dialect dialect) {
  const bool folds =
      dialect == Dialect::postgres &&
      std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (is_plain_name(name) && !folds && !is_reserved(to_lower(name), dialect)) {
    return std::string(name);
  }
  return quoted_by(name, dialect == Dialect::mysql ? '`' : '"');
}

std::string print_string(std::string_view value, Dialect dialect) {
  const bool has_backslash = value.find('\\') != std::string_view::npos;
  if (!has_backslash || dialect == Dialect::sqlite) return quote_string(value);
  const std::string doubled = quote_string(with_doubled_backslashes(value));
  return dialect == Dialect::postgres ? "E" + doubled : doubled;
}

std::string_view product_name(Dialect dialect) {
  if (dialect == Dialect::mysql) return "MySQL";
  return dialect == Dialect::sqlite ? "SQLite" : "PostgreSQL";
}

}  // namespace heddle::sql
