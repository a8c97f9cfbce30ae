import type { Failure } from '../account/failure.ts'
import type { ErrorCode } from '../service/error.ts'
import type { PollFigures } from './poll-record.ts'
import type { Unknown } from './unknown-words.ts'
import type { Condition, Watch } from './watch.ts'

/** What of a panel is polled. */
export type Polled = 'state' | 'events' | 'devices'

/** How a panel is, from what is known already: nothing in here is asked for. */
export interface PanelHealth {
  /** Whether the service reaches the panel; true as long as nothing says the opposite. */
  online: boolean
  /** The polls as a whole: where the worst of them stands, `idle` while nobody listens to any. */
  state: Condition['state'] | 'idle'
  /** What polls fail with now. */
  failing: ErrorCode[]
  /** Whether the file cannot be written that says how far events were told. */
  cursorFails: boolean
  /** Whether serial or user code were rejected and are not tried again. */
  isRejected: boolean
  /** Nothing for what nobody listens to. */
  polls: Record<Polled, PollFigures | undefined>
  /** The latest failure of a poll or the cursor, also when all is well again. */
  latestFailure: Failure | undefined
  unknown: Unknown
}

/** A panel that cannot be opened, as long as its settings are what they are. */
export const unopenedPanel: PanelHealth = {
  online: false,
  state: 'idle',
  failing: [],
  cursorFails: false,
  isRejected: false,
  polls: { state: undefined, events: undefined, devices: undefined },
  latestFailure: undefined,
  unknown: { typeIds: [], subtypes: [], warnings: [] },
}

type Observable = Pick<Watch<never>, 'condition' | 'figures' | 'isListenedTo'>

const worstFirst = ['failing', 'stale', 'reading', 'fine'] as const

/** The part of a panel's health that its watches tell. */
export function pollHealth(
  watches: Record<Polled, Observable>,
): Pick<PanelHealth, 'state' | 'failing' | 'polls'> {
  const { state, events, devices } = watches
  const conditions = [state, events, devices]
    .filter(({ isListenedTo }) => isListenedTo)
    .map(({ condition }) => condition)
  return {
    state: worstFirst.find((word) => conditions.some((condition) => condition.state === word)) ?? 'idle',
    failing: conditions.flatMap((condition) => (condition.state === 'failing' ? [condition.error.code] : [])),
    polls: { state: state.figures, events: events.figures, devices: devices.figures },
  }
}
