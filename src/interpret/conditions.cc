// PostgreSQL's names of error conditions: its manual, appendix A.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "heddle/interpret.h"

namespace heddle {

namespace {

struct Condition {
  std::string_view name;
  std::string_view state;
};

// By name; some have more than one state. PL/pgSQL knows errors only, no warnings.
constexpr std::array kConditions = {
    Condition{"active_sql_transaction", "25001"},
    Condition{"admin_shutdown", "57P01"},
    Condition{"ambiguous_alias", "42P09"},
    Condition{"ambiguous_column", "42702"},
    Condition{"ambiguous_function", "42725"},
    Condition{"ambiguous_parameter", "42P08"},
    Condition{"array_subscript_error", "2202E"},
    Condition{"assert_failure", "P0004"},
    Condition{"bad_copy_file_format", "22P04"},
    Condition{"branch_transaction_already_active", "25002"},
    Condition{"cannot_coerce", "42846"},
    Condition{"cannot_connect_now", "57P03"},
    Condition{"cant_change_runtime_param", "55P02"},
    Condition{"cardinality_violation", "21000"},
    Condition{"case_not_found", "20000"},
    Condition{"character_not_in_repertoire", "22021"},
    Condition{"check_violation", "23514"},
    Condition{"collation_mismatch", "42P21"},
    Condition{"config_file_error", "F0000"},
    Condition{"configuration_limit_exceeded", "53400"},
    Condition{"connection_does_not_exist", "08003"},
    Condition{"connection_exception", "08000"},
    Condition{"connection_failure", "08006"},
    Condition{"containing_sql_not_permitted", "38001"},
    Condition{"crash_shutdown", "57P02"},
    Condition{"data_corrupted", "XX001"},
    Condition{"data_exception", "22000"},
    Condition{"database_dropped", "57P04"},
    Condition{"datatype_mismatch", "42804"},
    Condition{"datetime_field_overflow", "22008"},
    Condition{"deadlock_detected", "40P01"},
    Condition{"dependent_objects_still_exist", "2BP01"},
    Condition{"dependent_privilege_descriptors_still_exist", "2B000"},
    Condition{"diagnostics_exception", "0Z000"},
    Condition{"disk_full", "53100"},
    Condition{"division_by_zero", "22012"},
    Condition{"duplicate_alias", "42712"},
    Condition{"duplicate_column", "42701"},
    Condition{"duplicate_cursor", "42P03"},
    Condition{"duplicate_database", "42P04"},
    Condition{"duplicate_file", "58P02"},
    Condition{"duplicate_function", "42723"},
    Condition{"duplicate_json_object_key_value", "22030"},
    Condition{"duplicate_object", "42710"},
    Condition{"duplicate_prepared_statement", "42P05"},
    Condition{"duplicate_schema", "42P06"},
    Condition{"duplicate_table", "42P07"},
    Condition{"error_in_assignment", "22005"},
    Condition{"escape_character_conflict", "2200B"},
    Condition{"event_trigger_protocol_violated", "39P03"},
    Condition{"exclusion_violation", "23P01"},
    Condition{"external_routine_exception", "38000"},
    Condition{"external_routine_invocation_exception", "39000"},
    Condition{"fdw_column_name_not_found", "HV005"},
    Condition{"fdw_dynamic_parameter_value_needed", "HV002"},
    Condition{"fdw_error", "HV000"},
    Condition{"fdw_function_sequence_error", "HV010"},
    Condition{"fdw_inconsistent_descriptor_information", "HV021"},
    Condition{"fdw_invalid_attribute_value", "HV024"},
    Condition{"fdw_invalid_column_name", "HV007"},
    Condition{"fdw_invalid_column_number", "HV008"},
    Condition{"fdw_invalid_data_type", "HV004"},
    Condition{"fdw_invalid_data_type_descriptors", "HV006"},
    Condition{"fdw_invalid_descriptor_field_identifier", "HV091"},
    Condition{"fdw_invalid_handle", "HV00B"},
    Condition{"fdw_invalid_option_index", "HV00C"},
    Condition{"fdw_invalid_option_name", "HV00D"},
    Condition{"fdw_invalid_string_format", "HV00A"},
    Condition{"fdw_invalid_string_length_or_buffer_length", "HV090"},
    Condition{"fdw_invalid_use_of_null_pointer", "HV009"},
    Condition{"fdw_no_schemas", "HV00P"},
    Condition{"fdw_option_name_not_found", "HV00J"},
    Condition{"fdw_out_of_memory", "HV001"},
    Condition{"fdw_reply_handle", "HV00K"},
    Condition{"fdw_schema_not_found", "HV00Q"},
    Condition{"fdw_table_not_found", "HV00R"},
    Condition{"fdw_too_many_handles", "HV014"},
    Condition{"fdw_unable_to_create_execution", "HV00L"},
    Condition{"fdw_unable_to_create_reply", "HV00M"},
    Condition{"fdw_unable_to_establish_connection", "HV00N"},
    Condition{"feature_not_supported", "0A000"},
    Condition{"floating_point_exception", "22P01"},
    Condition{"foreign_key_violation", "23503"},
    Condition{"function_executed_no_return_statement", "2F005"},
    Condition{"generated_always", "428C9"},
    Condition{"grouping_error", "42803"},
    Condition{"held_cursor_requires_same_isolation_level", "25008"},
    Condition{"idle_in_transaction_session_timeout", "25P03"},
    Condition{"idle_session_timeout", "57P05"},
    Condition{"in_failed_sql_transaction", "25P02"},
    Condition{"inappropriate_access_mode_for_branch_transaction", "25003"},
    Condition{"inappropriate_isolation_level_for_branch_transaction", "25004"},
    Condition{"indeterminate_collation", "42P22"},
    Condition{"indeterminate_datatype", "42P18"},
    Condition{"index_corrupted", "XX002"},
    Condition{"indicator_overflow", "22022"},
    Condition{"insufficient_privilege", "42501"},
    Condition{"insufficient_resources", "53000"},
    Condition{"integrity_constraint_violation", "23000"},
    Condition{"internal_error", "XX000"},
    Condition{"interval_field_overflow", "22015"},
    Condition{"invalid_argument_for_logarithm", "2201E"},
    Condition{"invalid_argument_for_nth_value_function", "22016"},
    Condition{"invalid_argument_for_ntile_function", "22014"},
    Condition{"invalid_argument_for_power_function", "2201F"},
    Condition{"invalid_argument_for_sql_json_datetime_function", "22031"},
    Condition{"invalid_argument_for_width_bucket_function", "2201G"},
    Condition{"invalid_authorization_specification", "28000"},
    Condition{"invalid_binary_representation", "22P03"},
    Condition{"invalid_catalog_name", "3D000"},
    Condition{"invalid_character_value_for_cast", "22018"},
    Condition{"invalid_column_definition", "42611"},
    Condition{"invalid_column_reference", "42P10"},
    Condition{"invalid_cursor_definition", "42P11"},
    Condition{"invalid_cursor_name", "34000"},
    Condition{"invalid_cursor_state", "24000"},
    Condition{"invalid_database_definition", "42P12"},
    Condition{"invalid_datetime_format", "22007"},
    Condition{"invalid_escape_character", "22019"},
    Condition{"invalid_escape_octet", "2200D"},
    Condition{"invalid_escape_sequence", "22025"},
    Condition{"invalid_foreign_key", "42830"},
    Condition{"invalid_function_definition", "42P13"},
    Condition{"invalid_grant_operation", "0LP01"},
    Condition{"invalid_grantor", "0L000"},
    Condition{"invalid_indicator_parameter_value", "22010"},
    Condition{"invalid_json_text", "22032"},
    Condition{"invalid_locator_specification", "0F001"},
    Condition{"invalid_name", "42602"},
    Condition{"invalid_object_definition", "42P17"},
    Condition{"invalid_parameter_value", "22023"},
    Condition{"invalid_password", "28P01"},
    Condition{"invalid_preceding_or_following_size", "22013"},
    Condition{"invalid_prepared_statement_definition", "42P14"},
    Condition{"invalid_recursion", "42P19"},
    Condition{"invalid_regular_expression", "2201B"},
    Condition{"invalid_role_specification", "0P000"},
    Condition{"invalid_row_count_in_limit_clause", "2201W"},
    Condition{"invalid_row_count_in_result_offset_clause", "2201X"},
    Condition{"invalid_savepoint_specification", "3B001"},
    Condition{"invalid_schema_definition", "42P15"},
    Condition{"invalid_schema_name", "3F000"},
    Condition{"invalid_sql_json_subscript", "22033"},
    Condition{"invalid_sql_statement_name", "26000"},
    Condition{"invalid_sqlstate_returned", "39001"},
    Condition{"invalid_table_definition", "42P16"},
    Condition{"invalid_tablesample_argument", "2202H"},
    Condition{"invalid_tablesample_repeat", "2202G"},
    Condition{"invalid_text_representation", "22P02"},
    Condition{"invalid_time_zone_displacement_value", "22009"},
    Condition{"invalid_transaction_initiation", "0B000"},
    Condition{"invalid_transaction_state", "25000"},
    Condition{"invalid_transaction_termination", "2D000"},
    Condition{"invalid_use_of_escape_character", "2200C"},
    Condition{"invalid_xml_comment", "2200S"},
    Condition{"invalid_xml_content", "2200N"},
    Condition{"invalid_xml_document", "2200M"},
    Condition{"invalid_xml_processing_instruction", "2200T"},
    Condition{"io_error", "58030"},
    Condition{"locator_exception", "0F000"},
    Condition{"lock_file_exists", "F0001"},
    Condition{"lock_not_available", "55P03"},
    Condition{"modifying_sql_data_not_permitted", "2F002"},
    Condition{"modifying_sql_data_not_permitted", "38002"},
    Condition{"more_than_one_sql_json_item", "22034"},
    Condition{"most_specific_type_mismatch", "2200G"},
    Condition{"name_too_long", "42622"},
    Condition{"no_active_sql_transaction", "25P01"},
    Condition{"no_active_sql_transaction_for_branch_transaction", "25005"},
    Condition{"no_data_found", "P0002"},
    Condition{"no_sql_json_item", "22035"},
    Condition{"non_numeric_sql_json_item", "22036"},
    Condition{"non_unique_keys_in_a_json_object", "22037"},
    Condition{"nonstandard_use_of_escape_character", "22P06"},
    Condition{"not_an_xml_document", "2200L"},
    Condition{"not_null_violation", "23502"},
    Condition{"null_value_no_indicator_parameter", "22002"},
    Condition{"null_value_not_allowed", "22004"},
    Condition{"null_value_not_allowed", "39004"},
    Condition{"numeric_value_out_of_range", "22003"},
    Condition{"object_in_use", "55006"},
    Condition{"object_not_in_prerequisite_state", "55000"},
    Condition{"operator_intervention", "57000"},
    Condition{"out_of_memory", "53200"},
    Condition{"plpgsql_error", "P0000"},
    Condition{"program_limit_exceeded", "54000"},
    Condition{"prohibited_sql_statement_attempted", "2F003"},
    Condition{"prohibited_sql_statement_attempted", "38003"},
    Condition{"protocol_violation", "08P01"},
    Condition{"query_canceled", "57014"},
    Condition{"raise_exception", "P0001"},
    Condition{"read_only_sql_transaction", "25006"},
    Condition{"reading_sql_data_not_permitted", "2F004"},
    Condition{"reading_sql_data_not_permitted", "38004"},
    Condition{"reserved_name", "42939"},
    Condition{"restrict_violation", "23001"},
    Condition{"savepoint_exception", "3B000"},
    Condition{"schema_and_data_statement_mixing_not_supported", "25007"},
    Condition{"sequence_generator_limit_exceeded", "2200H"},
    Condition{"serialization_failure", "40001"},
    Condition{"singleton_sql_json_item_required", "22038"},
    Condition{"snapshot_too_old", "72000"},
    Condition{"sql_json_array_not_found", "22039"},
    Condition{"sql_json_item_cannot_be_cast_to_target_type", "2203G"},
    Condition{"sql_json_member_not_found", "2203A"},
    Condition{"sql_json_number_not_found", "2203B"},
    Condition{"sql_json_object_not_found", "2203C"},
    Condition{"sql_json_scalar_required", "2203F"},
    Condition{"sql_routine_exception", "2F000"},
    Condition{"sql_statement_not_yet_complete", "03000"},
    Condition{"sqlclient_unable_to_establish_sqlconnection", "08001"},
    Condition{"sqlserver_rejected_establishment_of_sqlconnection", "08004"},
    Condition{"srf_protocol_violated", "39P02"},
    Condition{"stacked_diagnostics_accessed_without_active_handler", "0Z002"},
    Condition{"statement_completion_unknown", "40003"},
    Condition{"statement_too_complex", "54001"},
    Condition{"string_data_length_mismatch", "22026"},
    Condition{"string_data_right_truncation", "22001"},
    Condition{"substring_error", "22011"},
    Condition{"syntax_error", "42601"},
    Condition{"syntax_error_or_access_rule_violation", "42000"},
    Condition{"system_error", "58000"},
    Condition{"too_many_arguments", "54023"},
    Condition{"too_many_columns", "54011"},
    Condition{"too_many_connections", "53300"},
    Condition{"too_many_json_array_elements", "2203D"},
    Condition{"too_many_json_object_members", "2203E"},
    Condition{"too_many_rows", "P0003"},
    Condition{"transaction_integrity_constraint_violation", "40002"},
    Condition{"transaction_resolution_unknown", "08007"},
    Condition{"transaction_rollback", "40000"},
    Condition{"trigger_protocol_violated", "39P01"},
    Condition{"triggered_action_exception", "09000"},
    Condition{"triggered_data_change_violation", "27000"},
    Condition{"trim_error", "22027"},
    Condition{"undefined_column", "42703"},
    Condition{"undefined_file", "58P01"},
    Condition{"undefined_function", "42883"},
    Condition{"undefined_object", "42704"},
    Condition{"undefined_parameter", "42P02"},
    Condition{"undefined_table", "42P01"},
    Condition{"unique_violation", "23505"},
    Condition{"unsafe_new_enum_value_usage", "55P04"},
    Condition{"unterminated_c_string", "22024"},
    Condition{"untranslatable_character", "22P05"},
    Condition{"windowing_error", "42P20"},
    Condition{"with_check_option_violation", "44000"},
    Condition{"wrong_object_type", "42809"},
    Condition{"zero_length_character_string", "2200F"},
};

// PL/pgSQL's "others" leaves these two alone: who cancels a statement means it.
constexpr std::string_view kCanceled = "57014";
constexpr std::string_view kAssertFailure = "P0004";

bool is_state(std::string_view text) {
  return text.size() == 5 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

}  // namespace

std::vector<std::string> condition_states(std::string_view condition) {
  std::string_view written = trim(condition);
  constexpr std::string_view kPrefix = "sqlstate";
  if (equal_ignoring_case(written.substr(0, kPrefix.size()), kPrefix)) {
    written = trim(written.substr(kPrefix.size()));
    if (written.size() >= 2 && written.front() == '\'') {
      written = written.substr(1, written.size() - 2);
    }
  }
  if (is_state(written)) return {std::string(written)};
  std::vector<std::string> states;
  const std::string name = to_lower(written);
  const auto [first, last] =
      std::ranges::equal_range(kConditions, std::string_view(name), {}, &Condition::name);
  for (auto row = first; row != last; ++row) states.emplace_back(row->state);
  return states;
}

bool is_handled(std::string_view condition, std::string_view sqlstate) {
  if (equal_ignoring_case(trim(condition), "others")) {
    return sqlstate != kCanceled && sqlstate != kAssertFailure;
  }
  return std::ranges::any_of(condition_states(condition), [&](const std::string& state) {
    const bool is_class = state.ends_with("000");
    return state == sqlstate || (is_class && sqlstate.substr(0, 2) == state.substr(0, 2));
  });
}

}  // namespace heddle
