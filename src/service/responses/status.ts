import { type Check, dictionary, integer, list, misfit, or, record, text } from './check.ts'
import { flagOrNull, textOrEmpty, textOrNull, texts } from './fallbacks.ts'

/** One way by which the panel reaches the service, such as broadband; null is what the service does not say. */
export interface Transport {
  is_connected: boolean | null
  /** `online`, `offline` or a word not known yet. */
  state: string | null
}

/** What one partition is doing. */
export interface PartitionStatus {
  /** -1 is the whole panel. */
  id: number
  /** A state of the panel (interface specification 3), or a word not known yet. */
  state: string
  /** `EXIT` while the exit delay runs, usually empty. */
  status: string
  /** Whether it could be armed now; null where the service does not say. */
  ready: boolean | null
  options: string[]
}

/**
 * The panel's state of the moment. Field fact: the interface specification names no operation for it; every
 * service seen answers GET /status with this shape.
 */
export interface PanelStatus {
  /** Whether a live link stands this very moment; it flaps on panels that are well (field fact). */
  connected: boolean | null
  /** Transports by the service's name for them, such as `bba` and `gprs`; any may be missing. */
  connected_status: Map<string, Transport>
  partitions: PartitionStatus[]
}

const wireTransport = record({ is_connected: flagOrNull, connected: flagOrNull, state: textOrNull })

// Field fact: the member is is_connected or connected, and a transport may be null: then it says nothing.
const transport: Check<Transport> = (value, tally) => {
  const wire = wireTransport(value, tally)
  if (wire === misfit) return { is_connected: null, state: null }
  return { is_connected: wire.is_connected ?? wire.connected, state: wire.state }
}

const partitionStatus: Check<PartitionStatus> = record({
  id: integer,
  state: text,
  status: textOrEmpty,
  ready: flagOrNull,
  options: texts,
})

/** The largest panels have eight. */
const mostPartitions = 32

const wireStatus = record({
  connected: flagOrNull,
  connected_status: or(dictionary(transport), new Map<string, Transport>()),
  partitions: or(list(partitionStatus, mostPartitions), []),
  bba: transport,
  gprs: transport,
  wifi: transport,
})

/** The answer to GET /status, of the end-user or the installer service (field fact). */
export const status: Check<PanelStatus> = (value, tally) => {
  const checked = wireStatus(value, tally)
  if (checked === misfit) return misfit
  const { connected, connected_status, partitions, ...beside } = checked
  // Field fact: the installer service keeps its transports beside the partitions instead of in a member.
  const installer = Object.entries(beside).filter(
    ([, { is_connected, state }]) => is_connected !== null || state !== null,
  )
  return { connected, connected_status: new Map([...installer, ...connected_status]), partitions }
}
