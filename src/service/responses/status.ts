import { flagOrNull, textOrEmpty, textOrNull, texts } from '../optional-fields.ts'
import { type Check, dictionary, integer, invalid, list, record, text, withDefault } from '../schema.ts'

/**
 * One connection of the panel to the service, such as broadband; null for values that the service leaves out.
 */
export interface Transport {
  is_connected: boolean | null
  /** `online`, `offline` or a word not known yet. */
  state: string | null
}

/** The current state of one partition. */
export interface PartitionStatus {
  /** -1 is the whole panel. */
  id: number
  /** A state of the panel (interface specification 3), or a word not known yet. */
  state: string
  /** `EXIT` during the exit delay, usually empty. */
  status: string
  /** True if it could be armed now; null if the service leaves it out. */
  ready: boolean | null
  options: string[]
}

/**
 * The current state of the panel. Field fact: the interface specification names no operation for it; every
 * known service answers GET /status with this shape.
 */
export interface PanelStatus {
  /** True if the panel has a live connection now; changes often on panels that work well (field fact). */
  connected: boolean | null
  /** Transports by the service's name for them, such as `bba` and `gprs`; any of them can be missing. */
  connected_status: Map<string, Transport>
  partitions: PartitionStatus[]
}

const wireTransport = record({ is_connected: flagOrNull, connected: flagOrNull, state: textOrNull })

// Field fact: the member is is_connected or connected, and a transport can be null: its members are then null
// too.
const transport: Check<Transport> = (value, tally) => {
  const wire = wireTransport(value, tally)
  if (wire === invalid) return { is_connected: null, state: null }
  return { is_connected: wire.is_connected ?? wire.connected, state: wire.state }
}

const partitionStatus: Check<PartitionStatus> = record({
  id: integer,
  state: text,
  status: textOrEmpty,
  ready: flagOrNull,
  options: texts,
})

/** The maximum length of the list. The largest panels have eight partitions. */
const maxPartitions = 32

const wireStatus = record({
  connected: flagOrNull,
  connected_status: withDefault(dictionary(transport), new Map<string, Transport>()),
  partitions: withDefault(list(partitionStatus, maxPartitions), []),
  bba: transport,
  gprs: transport,
  wifi: transport,
})

/** The answer to GET /status, of the end-user or the installer service (field fact). */
export const status: Check<PanelStatus> = (value, tally) => {
  const checked = wireStatus(value, tally)
  if (checked === invalid) return invalid
  const { connected, connected_status, partitions, ...beside } = checked
  // Field fact: the installer service has its transports next to the partitions instead of in one member.
  const installer = Object.entries(beside).filter(
    ([, { is_connected, state }]) => is_connected !== null || state !== null,
  )
  return { connected, connected_status: new Map([...installer, ...connected_status]), partitions }
}

/** The partition id of the whole panel (interface specification 2.5). */
export const wholePanel = -1

/**
 * Returns true if an object with the given `partitions` concerns the partition `id`.
 *
 * An empty list or the whole panel means all partitions. Every object concerns the whole panel.
 */
export function concerns(partitions: readonly number[], id: number): boolean {
  return (
    id === wholePanel || partitions.length === 0 || partitions.includes(wholePanel) || partitions.includes(id)
  )
}
