/**
 * The names of all fields of the service that are known, from the interface specification, field facts and the
 * errors. A name that is not here may be data, such as the name of a person.
 */
export const knownFields: ReadonlySet<string> = new Set(
  `
  active alarm_type alert_type alerts alias all allowed android appointment apptype average
  backup bba bba_over_gprs brightness bypass bypass_mode
  cameras can_disable can_enable can_get can_set changed channel class code_cid code_length code_sia code_vis colors
  completed configuration connected connected_status created current current_user customization
  data date datetime default delivery description description_original description_placeholder_arguments
  detail_name details device_number device_type devices diagnostic disabling disabling_siren discovery
  editable_features email emergency emergency_actions enabled enabling enabling_siren enroll enrollment_id
  enrollment_prefix error event events evt_id exit_delay exit_delay_time
  failed family faults feature features firmware force_discovery
  gprs gradient gsm gsm_rssi_level_on_request has_alarms has_alerts has_troubles has_upgrade has_video hel_id hmac
  home_automation_devices id in_memory in_queue indoor_temperature info installer_allowed_to_remove_panels ios
  is_basic_available is_connected is_default is_discoverable is_downloadable is_editable is_enabled is_enrollable
  is_labels_editable is_labels_enabled is_linkable is_support_specified_partitions is_uploadable is_zone_applicable
  is_zone_type_applicable
  label label_description last_discovery last_updated level license limit limits local_wakeup_needed location
  locations logs manufacturer max_partitions max_users_count meteo_info model name network not_after not_before
  options outputs_setup owner panel_hw_version panel_model panel_serial panel_sw_last_upgraded panel_sw_version
  parent partition partitions partitions_required phone port powerlink_hw_version powerlink_sw_last_upgraded
  powerlink_sw_version preenroll preview_path primary processing profile
  queue rarely_used ready remote_inspections remote_switch_to_programming_mode_requires_user_acceptance removable
  removing renamable repeater reserved_ids retry role rri_timestamp rssi
  serial server set_date_time settable setting severity signal_level sirens soak stage stages state state_set
  state_sets status statuses subtype success supported_commands supported_timezones
  temperature test_type tests themes time timestamp toggling traits transitions triggered trouble_type type type_id
  types usb user user_names users users_required valid validation_rules value verified_at version video
  video_on_demand virtual_panel_support vod
  walktest warnings wi_fi_connection wifi zone zone_name zone_type zone_types
  `
    .trim()
    .split(/\s+/),
)

/** The fields whose numbers have a known meaning and are small: numbers on the panel, counts, seconds, degrees. */
export const numberFields: ReadonlySet<string> = new Set(
  `
  channel code_length device_number event evt_id exit_delay exit_delay_time failed hel_id id in_queue limit
  max_partitions max_users_count partitions port processing queue repeater reserved_ids retry stages success
  test_type type_id value zone
  `
    .trim()
    .split(/\s+/),
)
