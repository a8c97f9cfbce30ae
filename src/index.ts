/**
 * The types of the messages that the nodes send to a flow, the types of the answers of the service, and the
 * class of all errors, for programs built around a flow. Nothing in this module sends a request.
 *
 * The messages follow the public contract: times are ISO 8601 in UTC, and the original text of the service is
 * in a second field whose name ends in `Raw`. The resources follow the interface specification and use the
 * field names of the service. They describe checked answers: a member that the service leaves out is null,
 * empty or false, as documented for each member. The query node does not check the members of an answer and
 * sends it as `JsonValue`: an absent member stays absent.
 *
 * @module
 */
import type { gapMessage } from './messages/event-message.ts'

export type { LicenseHealth, LicenseLimit } from './account/license.ts'
export type { CommandMessage } from './messages/command-message.ts'
export type { ConditionsMessage, ToldCondition } from './messages/conditions-message.ts'
export type { EventMessage, EventPayload, GapEvent } from './messages/event-message.ts'
export type { HealthMessage, HealthPayload, PollHealth, Versions } from './messages/health-message.ts'
export type { HealthStatus } from './messages/health-status.ts'
export type { IncidentMessage, IncidentPayload, UserActionPayload } from './messages/incident-message.ts'
export type { Message } from './messages/message.ts'
export type { ReadingMessage } from './messages/readings-messages.ts'
export type { StateMessage } from './messages/state-message.ts'
export type { Vocabulary } from './messages/state-words.ts'
export type { ConditionKind } from './panel/conditions/condition.ts'
export type { ReadingDevice } from './panel/devices/device.ts'
export type { Reading, ReadingKind } from './panel/devices/readings.ts'
export type { UnknownTypes } from './panel/events/event-catalogue.ts'
export type { ActiveAlarm, ChangedBy } from './panel/state/partition-state.ts'
export { type ErrorCode, errorCodes, KeyholderError } from './service/error.ts'

/** The events node's message that the service's list no longer reaches back to the last known event. */
export type GapMessage = ReturnType<typeof gapMessage>

export type { EventType } from './service/catalogue/catalogue.ts'
export type { QueryableName } from './service/operations.ts'
export type { PanelAlarm, PanelAlert, Trouble } from './service/responses/alarms.ts'
export type {
  Device,
  Measurement,
  PanelLocation,
  Rssi,
  Traits,
  Warning,
} from './service/responses/devices.ts'
export type { Delivery, LogEntry, PanelEvent } from './service/responses/events.ts'
export type {
  Capability,
  DeviceFeatures,
  DeviceTypeDescriptor,
  FaultFeatures,
  FeatureSet,
  HomeAutomationFeatures,
  PartitionFeatures,
  UserFeatures,
} from './service/responses/feature-set.ts'
export type { License, LicenseFeature } from './service/responses/license.ts'
export type {
  ConfigurationRecord,
  InspectionDetail,
  InspectionTest,
  RemoteInspection,
} from './service/responses/maintenance.ts'
export type {
  PanelFeatures,
  PanelInfo,
  PanelPartition,
  StateDefinition,
} from './service/responses/panel-info.ts'
export type { AccountPanel, Customization, CustomizationData, Theme } from './service/responses/panels.ts'
export type { ProcessStatus } from './service/responses/process-status.ts'
export type {
  ServerAbilities,
  UserInfo,
  UserSession,
} from './service/responses/sessions.ts'
export type { PanelStatus, PartitionStatus, Transport } from './service/responses/status.ts'
export type { PanelUser, PanelUsers } from './service/responses/users.ts'
export type { JsonValue } from './service/schema.ts'
