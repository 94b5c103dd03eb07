// One table: names of functions by what they are. A function that is not in it may be anyone's and
// do anything. Users who give a function of their own the name of a built-in one in a schema that
// is searched first are not followed.
#include "frontend/sql/words/functions.h"

#include <string>
#include <unordered_map>

namespace heddle::sql {
namespace {

enum class Row : std::uint8_t { pure, generated, aggregate, set_returning };
enum class Where : std::uint8_t { all, postgres, mysql, sqlite };

struct KnownNames {
  Row row;
  Where where;
  std::string_view names;  // separated by white space
};

constexpr KnownNames kFunctions[] = {
    {Row::generated, Where::all,
     "now current_timestamp current_date current_time localtime "
     "localtimestamp"},
    {Row::generated, Where::postgres,
     "nextval currval lastval clock_timestamp statement_timestamp transaction_timestamp timeofday "
     "random random_normal setseed gen_random_uuid gen_random_bytes gen_salt uuid_generate_v1 "
     "uuid_generate_v1mc uuid_generate_v4 uuidv4 uuidv7 txid_current txid_current_if_assigned "
     "txid_current_snapshot pg_current_xact_id pg_current_xact_id_if_assigned pg_current_snapshot "
     "pg_export_snapshot pg_backend_pid pg_current_wal_lsn pg_current_wal_insert_lsn "
     "pg_postmaster_start_time pg_conf_load_time inet_client_port inet_server_port"},
    {Row::generated, Where::mysql,
     "sysdate curdate curtime utc_timestamp utc_date utc_time unix_timestamp rand uuid uuid_short "
     "sys_guid last_insert_id connection_id random_bytes nextval lastval next_value"},
    {Row::generated, Where::sqlite, "random randomblob last_insert_rowid"},
    {Row::aggregate, Where::all,
     "count sum avg min max bit_and bit_or bit_xor every any_value "
     "stddev stddev_pop stddev_samp variance var_pop var_samp"},
    {Row::aggregate, Where::postgres,
     "bool_and bool_or string_agg array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg "
     "xmlagg range_agg range_intersect_agg corr covar_pop covar_samp regr_avgx regr_avgy "
     "regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy mode "
     "percentile_cont percentile_disc grouping"},
    {Row::aggregate, Where::mysql, "group_concat json_arrayagg json_objectagg std"},
    {Row::aggregate, Where::sqlite, "group_concat total json_group_array json_group_object"},
    {Row::aggregate, Where::all,
     "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value "
     "nth_value"},
    {Row::set_returning, Where::postgres,
     "generate_series generate_subscripts unnest regexp_matches regexp_split_to_table "
     "string_to_table json_array_elements json_array_elements_text jsonb_array_elements "
     "jsonb_array_elements_text json_each json_each_text jsonb_each jsonb_each_text "
     "json_object_keys jsonb_object_keys json_populate_recordset jsonb_populate_recordset "
     "json_to_recordset jsonb_to_recordset jsonb_path_query jsonb_path_query_tz "
     "pg_listening_channels aclexplode pg_options_to_table xmltable"},
    {Row::set_returning, Where::sqlite, "json_each json_tree"},
    // Text.
    {Row::pure, Where::all,
     "ascii char_length character_length chr concat concat_ws lower upper left right length lpad "
     "rpad ltrim rtrim btrim trim md5 octet_length bit_length overlay position substring substr "
     "repeat replace reverse translate initcap format strpos split_part starts_with to_hex "
     "quote_ident quote_literal quote_nullable regexp_match regexp_replace regexp_count "
     "regexp_instr regexp_like regexp_substr regexp_split_to_array string_to_array "
     "array_to_string encode decode convert convert_from convert_to normalize is_normalized "
     "unistr sha224 sha256 sha384 sha512 crc32 collation_for similar_to_escape like_escape "
     "like notlike parse_ident to_ascii unaccent similarity word_similarity levenshtein "
     "soundex metaphone crypt digest hmac"},
    // Numbers.
    {Row::pure, Where::all,
     "abs cbrt ceil ceiling degrees div exp factorial floor gcd lcm ln log log10 min_scale mod "
     "power pow radians round scale sign sqrt trim_scale trunc width_bucket acos acosd asin asind "
     "atan atand atan2 atan2d cos cosd cot cotd sin sind tan tand sinh cosh tanh asinh acosh "
     "atanh pi int2 int4 int8 float4 float8 numeric num_nonnulls num_nulls bit_count get_bit "
     "set_bit get_byte set_byte hashtext hashtextextended hash_numeric"},
    // Date and time.
    {Row::pure, Where::all,
     "age date_bin date_part date_trunc extract isfinite justify_days justify_hours "
     "justify_interval make_date make_interval make_time make_timestamp make_timestamptz "
     "timezone to_timestamp to_date to_char to_number overlaps date time timestamp timestamptz "
     "interval"},
    // JSON and XML.
    {Row::pure, Where::all,
     "to_json to_jsonb array_to_json row_to_json json_build_array jsonb_build_array "
     "json_build_object jsonb_build_object json_object jsonb_object json_array_length "
     "jsonb_array_length json_extract_path jsonb_extract_path json_extract_path_text "
     "jsonb_extract_path_text json_typeof jsonb_typeof json_strip_nulls jsonb_strip_nulls "
     "jsonb_set jsonb_set_lax jsonb_insert jsonb_pretty jsonb_path_exists jsonb_path_match "
     "jsonb_path_query_array jsonb_path_query_first json_populate_record jsonb_populate_record "
     "json_to_record jsonb_to_record jsonb_contains jsonb_exists jsonb_concat jsonb_delete "
     "hstore xmlcomment xmlconcat xmlelement xmlforest xmlpi xmlroot xmlexists xpath "
     "xpath_exists xml_is_well_formed"},
    // Arrays, ranges, networks, geometry, search, comparison.
    {Row::pure, Where::all,
     "array_append array_cat array_dims array_fill array_length array_lower array_ndims "
     "array_position array_positions array_prepend array_remove array_replace array_upper "
     "trim_array cardinality int4range int8range numrange tsrange tstzrange daterange "
     "int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange "
     "isempty lower_inc upper_inc lower_inf upper_inf range_merge multirange abbrev broadcast "
     "family host hostmask inet_merge inet_same_family masklen netmask network set_masklen text "
     "area center diagonal diameter height isclosed isopen npoints pclose popen radius slope "
     "width box circle line lseg path point polygon to_tsvector to_tsquery plainto_tsquery "
     "phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd ts_headline ts_delete ts_filter "
     "setweight strip numnode querytree tsvector_to_array array_to_tsvector tsquery_phrase "
     "st_distance st_dwithin st_contains st_intersects st_makepoint st_setsrid st_x st_y "
     "coalesce nullif greatest least row cast uuid_nil uuid_ns_dns uuid_generate_v3 "
     "uuid_generate_v5"},
    // Locks, settings and the like: effects of their own kind, but none on tables.
    {Row::pure, Where::postgres,
     "pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_shared "
     "pg_advisory_unlock_all pg_advisory_xact_lock pg_advisory_xact_lock_shared "
     "pg_try_advisory_lock pg_try_advisory_lock_shared pg_try_advisory_xact_lock "
     "pg_try_advisory_xact_lock_shared set_config current_setting pg_sleep pg_sleep_for "
     "pg_sleep_until pg_notify setval pg_cancel_backend pg_terminate_backend pg_typeof "
     "pg_column_size pg_client_encoding current_user current_role session_user user "
     "current_catalog current_database current_schema current_schemas version obj_description "
     "col_description shobj_description format_type to_regclass to_regtype pg_get_expr "
     "pg_get_indexdef pg_get_viewdef pg_get_constraintdef pg_get_functiondef pg_get_triggerdef "
     "pg_get_serial_sequence pg_get_userbyid pg_table_is_visible pg_is_in_recovery "
     "pg_isolation_test_session_is_blocked pg_blocking_pids pg_safe_snapshot_blocking_pids "
     "has_table_privilege has_column_privilege has_schema_privilege has_database_privilege "
     "has_function_privilege has_sequence_privilege pg_has_role inet_client_addr "
     "inet_server_addr pg_encoding_to_char txid_status pg_xact_status pg_trigger_depth "
     "pg_my_temp_schema pg_partition_tree pg_partition_root "
     "suppress_redundant_updates_trigger heddle_get_lock heddle_release_lock "
     "heddle_release_all_locks"},
    {Row::pure, Where::mysql,
     "ifnull isnull if concat_ws date_add date_sub adddate subdate addtime subtime datediff "
     "timediff timestampdiff timestampadd date_format str_to_date from_unixtime from_days to_days "
     "to_seconds time_format time_to_sec sec_to_time year quarter month week weekday weekofyear "
     "yearweek day dayofmonth dayofweek dayofyear dayname monthname hour minute second "
     "microsecond last_day makedate maketime period_add period_diff get_format convert_tz elt "
     "field find_in_set instr locate mid insert lcase ucase space hex unhex bin oct conv ord char "
     "quote export_set make_set substring_index strcmp truncate log2 sha sha1 sha2 aes_encrypt "
     "aes_decrypt compress uncompress to_base64 from_base64 inet_aton inet_ntoa inet6_aton "
     "inet6_ntoa is_ipv4 is_ipv6 is_uuid uuid_to_bin bin_to_uuid json_extract json_unquote "
     "json_set json_insert json_replace json_remove json_array json_array_append "
     "json_array_insert json_contains json_contains_path json_keys json_length json_depth "
     "json_merge json_merge_patch json_merge_preserve json_quote json_search json_type json_valid "
     "json_value json_pretty match values default interval charset collation coercibility "
     "database schema user current_user session_user system_user found_rows row_count version "
     "current_setting get_lock release_lock release_all_locks is_free_lock is_used_lock sleep "
     "benchmark name_const regexp_like any_value weight_string"},
};

FunctionTraits traits_of(Row row) {
  return {.known = true,
          .generated = row == Row::generated,
          .aggregate = row == Row::aggregate,
          .set_returning = row == Row::set_returning};
}

using FunctionTable = std::unordered_map<std::string, FunctionTraits>;

FunctionTable build_table(Where dialect) {
  FunctionTable table;
  for (const KnownNames& names : kFunctions) {
    if (names.where != Where::all && names.where != dialect) continue;
    std::string_view rest = names.names;
    while (!rest.empty()) {
      std::size_t end = rest.find(' ');
      std::string_view name = rest.substr(0, end);
      if (!name.empty()) table.try_emplace(std::string(name), traits_of(names.row));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  return table;
}

}  // namespace

FunctionTraits find_function(std::string_view name, Dialect dialect) {
  static const FunctionTable kPostgres = build_table(Where::postgres);
  static const FunctionTable kMysql = build_table(Where::mysql);
  static const FunctionTable kSqlite = build_table(Where::sqlite);
  const FunctionTable& table = dialect == Dialect::mysql    ? kMysql
                               : dialect == Dialect::sqlite ? kSqlite
                                                            : kPostgres;
  auto found = table.find(std::string(name));
  if (found != table.end()) return found->second;
  // In SQLite's language nobody can define a function, and heddle loads no extension.
  FunctionTraits unlisted;
  unlisted.known = dialect == Dialect::sqlite;
  return unlisted;
}

bool is_system_column(std::string_view name) {
  return name == "ctid" || name == "xmin" || name == "xmax" || name == "cmin" || name == "cmax" ||
         name == "tableoid";
}

}  // namespace heddle::sql
