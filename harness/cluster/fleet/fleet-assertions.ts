import assert from 'node:assert/strict'
import { seed } from '../../mocha/seed.ts'
import type { RedisServer } from '../../redis-server.ts'
import {
  type DisturbedFleetFigures,
  type DisturbedFleetOptions,
  runDisturbedFleet,
} from './disturbed-fleet.ts'

/** A tenth of the window, and leases of 1.2 seconds. The quiet times are as long as the window and a reconnect. */
const times = {
  quiet: { blank: 8000, other: 4000 },
  membership: { heartbeat: 120, lease: 1200, validity: 960 },
  rateLimits: { window: 6000, margin: 1000, overdue: 3000, fresh: 1000 },
}
const limited = { cap: 30, window: 6000, callers: 4 }
const intervals = { stateEvery: 4, eventsEvery: 4, devicesEvery: 3600 }

/** Runs a fleet with the scaled times, and checks what the contract promises of it. */
export async function assertKept(
  server: RedisServer,
  options: Partial<DisturbedFleetOptions>,
): Promise<void> {
  check(await runDisturbedFleet({ server, times, limited, intervals, panels: 40, seed, ...options }))
}

/** Fails if an event was lost or came twice without its flag, or if there were more attempts than the cap. */
function check({ events, state, eventPolls, attempts, lasted }: DisturbedFleetFigures): void {
  const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`
  console.log(
    `      ${events.events} events: ${events.lost} lost, ${events.unflagged} unflagged, ${share(events.flagged, events.events)} flagged; ` +
      `polls ${share(state.polls + eventPolls.polls, state.due + eventPolls.due)} of the due ones, ` +
      `${share(state.doubles + eventPolls.doubles, state.polls + eventPolls.polls)} doubles, longest gap ${(eventPolls.longestGap / 1000).toFixed(1)} s; ` +
      `${attempts.most} of ${limited.cap} attempts in the fullest window, ${share(attempts.made, attempts.possible)} of the possible ones; ${(lasted / 1000).toFixed(0)} s`,
  )
  assert.deepEqual([events.lost, events.unflagged, events.gaps], [0, 0, 0])
  assert.ok(events.events > 100, `${events.events}`)
  assert.ok(attempts.most <= limited.cap, `${attempts.most}`)
  assert.ok(attempts.made > 2 * limited.cap, `${attempts.made}`)
}
