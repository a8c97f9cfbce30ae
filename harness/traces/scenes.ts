import { hour, minute } from '../../src/duration.ts'
import { htmlPage, status } from '../../src/simulator/faults/response-faults.ts'
import { versionWithdrawn } from '../../src/simulator/faults/service-faults.ts'
import { writeHistory } from '../../src/simulator/scenarios/scenario.ts'
import type { Simulator, SimulatorOptions } from '../../src/simulator/simulator.ts'
import type { Panel } from '../../src/simulator/world/panel.ts'

/** The things that a scene is played with. */
export interface Stage {
  simulator: Simulator
  panel: Panel
}

/** A stretch of the life of a simulated panel, of which the corpus has a trace. */
export interface Scene {
  /** The file of its trace, without the ending. */
  name: string
  duration: number
  options?: SimulatorOptions
  /** `service`: recorded by an installer. */
  api?: 'service'
  /** Fields of the account node. */
  account?: object
  /** The milliseconds from the start at which each act happens. */
  acts: readonly (readonly [at: number, act: (stage: Stage) => void])[]
}

const s = 1000

const smokeZone = ({ devices }: Panel) =>
  devices.find(({ subtype }) => subtype.includes('SMOKE'))?.device_number ?? 1

/** The scenes of the corpus; `npm run traces:record` plays them. */
export const scenes: readonly Scene[] = [
  {
    name: 'quiet-day',
    duration: 24 * hour,
    acts: [
      [2 * hour, ({ panel }) => panel.arm(1, 'AWAY', { user: 'Anna', exitDelay: 30 })],
      [6 * hour, ({ panel }) => panel.measure(panel.zone(3).id, 'temperature', 17.5)],
      [9 * hour, ({ panel }) => panel.disarm(1, { user: 'Ben' })],
      [10 * hour, ({ panel }) => panel.lowBattery(panel.zone(2).id)],
      [12 * hour, ({ panel }) => panel.arm(1, 'HOME', { user: 'Anna', exitDelay: 0 })],
      [20 * hour, ({ panel }) => panel.disarm(1, { user: 'Anna' })],
      [21 * hour, ({ panel }) => panel.restoreBattery(panel.zone(2).id)],
    ],
  },
  {
    name: 'burglary',
    duration: 20 * minute,
    acts: [
      [minute, ({ panel }) => panel.arm(1, 'AWAY', { user: 'Anna', exitDelay: 0 })],
      [5 * minute, ({ panel }) => panel.open(2)],
      [5 * minute + 20 * s, ({ panel }) => panel.open(3)],
      [9 * minute, ({ panel }) => panel.close(2)],
      [10 * minute, ({ panel }) => panel.disarm(1, { user: 'Anna' })],
      [11 * minute, ({ panel }) => panel.close(3)],
    ],
  },
  {
    name: 'entry-delay',
    duration: 15 * minute,
    acts: [
      [minute, ({ panel }) => panel.arm(1, 'AWAY', { user: 'Ben', exitDelay: 45 })],
      [minute + 10 * s, ({ panel }) => panel.open(1)],
      [minute + 15 * s, ({ panel }) => panel.close(1)],
      [8 * minute, ({ panel }) => panel.open(1)],
      [8 * minute + 5 * s, ({ panel }) => panel.close(1)],
      [8 * minute + 20 * s, ({ panel }) => panel.disarm(1, { user: 'Ben' })],
    ],
  },
  {
    name: 'panel-offline',
    duration: 40 * minute,
    acts: [
      [2 * minute, ({ panel }) => panel.open(2)],
      [5 * minute, ({ panel }) => panel.goOffline()],
      [20 * minute, ({ panel }) => panel.goOnline()],
      [25 * minute, ({ panel }) => panel.close(2)],
    ],
  },
  {
    name: 'rate-limited',
    duration: 30 * minute,
    acts: [
      [
        3 * minute,
        ({ simulator }) => void simulator.faults.start(status(429, { retryAfter: '120' }), { times: 2 }),
      ],
      [4 * minute, ({ panel }) => panel.arm(1, 'AWAY', { user: 'Anna', exitDelay: 0 })],
      [12 * minute, ({ simulator }) => void simulator.faults.start(status(503), { times: 3 })],
      [20 * minute, ({ simulator }) => simulator.accounts.expireSessions()],
      [24 * minute, ({ simulator }) => simulator.accounts.expireUserTokens()],
      [26 * minute, ({ panel }) => panel.disarm(1, { user: 'Anna' })],
    ],
  },
  {
    name: 'maintenance-page',
    duration: 30 * minute,
    acts: [
      [4 * minute, ({ simulator }) => void simulator.faults.start(htmlPage(503), { times: 3 })],
      [6 * minute, ({ panel }) => panel.open(2)],
      [8 * minute, ({ panel }) => panel.close(2)],
      [20 * minute, ({ simulator }) => simulator.hang('status', 2)],
    ],
  },
  {
    name: 'old-version',
    duration: 10 * minute,
    options: { versions: ['9.0'], missingOperations: ['status', 'alarms', 'feature_set', 'locations'] },
    acts: [
      [2 * minute, ({ panel }) => panel.arm(1, 'AWAY', { user: 'Anna', exitDelay: 0 })],
      [4 * minute, ({ panel }) => panel.open(2)],
      [5 * minute, ({ panel }) => panel.disarm(1, { user: 'Anna' })],
      [6 * minute, ({ panel }) => panel.close(2)],
    ],
  },
  {
    name: 'specification-only',
    duration: 20 * minute,
    options: { onlySpecified: true, panels: 1 },
    account: { apiVersion: '14.0' },
    acts: [
      [2 * minute, ({ panel }) => panel.arm(-1, 'AWAY', { exitDelay: 0 })],
      [8 * minute, ({ panel }) => panel.lowBattery(panel.zone(2).id)],
      [14 * minute, ({ panel }) => panel.disarm(-1)],
    ],
  },
  {
    name: 'version-withdrawn',
    duration: 15 * minute,
    acts: [
      [3 * minute, ({ simulator }) => void simulator.faults.start(versionWithdrawn('14.0'))],
      [5 * minute, ({ panel }) => panel.open(2)],
      [9 * minute, ({ panel }) => panel.close(2)],
    ],
  },
  {
    name: 'smoke-and-mobile-line',
    duration: 15 * minute,
    acts: [
      [minute, ({ panel }) => panel.setLines({ broadband: false, mobile: true })],
      [3 * minute, ({ panel }) => panel.open(smokeZone(panel))],
      [5 * minute, ({ panel }) => panel.close(smokeZone(panel))],
      [6 * minute, ({ panel }) => panel.disarm(1, { user: 'Ben' })],
      [10 * minute, ({ panel }) => panel.setLines({ broadband: true })],
    ],
  },
  {
    name: 'installer',
    duration: 10 * minute,
    api: 'service',
    options: { installerVersions: ['8.0'] },
    acts: [
      [2 * minute, ({ panel }) => panel.arm(1, 'HOME', { user: 'Anna', exitDelay: 0 })],
      [4 * minute, ({ panel }) => panel.tamper(4)],
      [6 * minute, ({ panel }) => panel.restoreTamper(4)],
      [8 * minute, ({ panel }) => panel.disarm(1, { user: 'Anna' })],
    ],
  },
]

/** Gives the panel of a scene events of the day before. */
export function prepare({ simulator, panel }: Stage): void {
  writeHistory(panel, simulator.world.time.now())
}
