/**
 * The types of what the nodes send to a flow and of what the service answers, for programs that are written around
 * a flow; and the error that every failure comes as. Nothing in here asks the service anything.
 *
 * The messages follow the public contract: times are ISO 8601 in UTC, the service's own text stands beside them in
 * a field ending in `Raw`. The resources follow the interface specification, in the service's own field names, as
 * they are after their check: a member that the service leaves out is null, empty or false there, as each says. The
 * query node sends answers unchecked in their parts, as `Json`: what is absent is absent.
 *
 * @module
 */
import type { gapMessage } from './messages/gap.ts'

export type { CommandMessage } from './messages/command.ts'
export type { EventMessage, EventPayload } from './messages/events.ts'
export type { ToldEdge } from './messages/gap.ts'
export type { HealthMessage, HealthPayload, PollHealth, Versions } from './messages/health.ts'
export type { HealthStatus } from './messages/health-status.ts'
export type { ReadingMessage } from './messages/readings.ts'
export type { Message } from './messages/source.ts'
export type { StateMessage } from './messages/state.ts'
export type { Vocabulary } from './messages/vocabularies.ts'
export type { Kind, Reading, ReadingDevice } from './panel/readings.ts'
export type { ActiveAlarm } from './panel/state.ts'
export type { Unknown } from './panel/unknown-words.ts'
export { type ErrorCode, errorCodes, KeyholderError } from './service/error.ts'

/** The events node's word that the service's list no longer reaches back to the last known event. */
export type GapMessage = ReturnType<typeof gapMessage>

export type { PanelAlarm } from './service/alarms.ts'
export type { PanelAlert } from './service/alerts.ts'
export type { EventType } from './service/catalogue.ts'
export type { ConfigurationRecord } from './service/configuration-list.ts'
export type { Customization, CustomizationData, Theme } from './service/customization.ts'
export type { Device, Measurement, Rssi, Traits, Warning } from './service/devices.ts'
export type { Delivery, PanelEvent } from './service/events.ts'
export type { Json } from './service/faithful.ts'
export type {
  Capability,
  DeviceFeatures,
  DeviceTypeDescriptor,
  FaultFeatures,
  FeatureSet,
  HomeAutomationFeatures,
  PartitionFeatures,
  UserFeatures,
} from './service/feature-set.ts'
export type { Licence, LicenceFeature } from './service/licence.ts'
export type { PanelLocation } from './service/locations.ts'
export type { PanelFeatures, PanelInfo, PanelPartition, StateDefinition } from './service/panel-info.ts'
export type { AccountPanel } from './service/panels.ts'
export type { ProcessStatus } from './service/process-status.ts'
export type { QueryableName } from './service/queryable.ts'
export type { InspectionDetail, InspectionTest, RemoteInspection } from './service/rri-results.ts'
export type { LogEntry } from './service/standard-log.ts'
export type { PanelStatus, PartitionStatus, Transport } from './service/status.ts'
export type { Trouble } from './service/troubles.ts'
export type { ServerAbilities, SessionDetails, UserInfo, UserSession } from './service/user-session.ts'
export type { PanelUser, PanelUsers } from './service/users.ts'
