import { day, hour, second } from '../../../duration.ts'
import { getLabel } from '../../world/device.ts'
import type { Panel } from '../../world/panel.ts'
import { isoSpace, isoT, type WorldTime } from '../../world/world-time.ts'

interface Detail {
  detail_name: string
  description: string
  timestamp: string
}

const noDetail: Detail = { detail_name: '', description: '', timestamp: '' }
const noTimestamp = '0000-00-00 00:00:00'

/**
 * Test types that pass without details, unlike the three below (interface specification 2.13: meaning not
 * shown).
 */
const plainTestTypes = [1, 3, 4, 5, 9, 10]
const lastArming = 2
const weakSignals = 6
const notOnThisModel = 8

/**
 * GET rri_results (interface specification 2.13): a panel inspection a few nights before the start of the
 * simulated world.
 */
export function remoteInspection(panel: Panel, time: WorldTime) {
  const inspected = Math.floor(time.start / day) * day - 5 * day + 3.25 * hour
  const weak = panel.plan.devices.filter(({ traits }) => traits.rssi?.current === 'poor')
  const armed = { detail_name: 'Arm Away', description: 'User 1', timestamp: isoSpace(inspected - day) }
  const details = weak.map((device) => ({
    detail_name: String(device.device_number),
    description: getLabel(device),
    timestamp: noTimestamp,
  }))
  const tests = [
    ...plainTestTypes.map((type) => createTest(type, 'pass', [noDetail])),
    createTest(lastArming, 'pass', [armed]),
    details.length > 0
      ? createTest(weakSignals, 'fail', details)
      : createTest(weakSignals, 'pass', [noDetail]),
    createTest(notOnThisModel, 'not_available', [noDetail]),
  ]
  return {
    rri_timestamp: isoSpace(inspected),
    tests: tests.sort((one, other) => one.test_type - other.test_type),
  }
}

function createTest(test_type: number, state: 'pass' | 'fail' | 'not_available', details: readonly Detail[]) {
  return { test_type, state, details }
}

const offset = hour

/** Configuration downloads of every panel: days ago, and if it is kept as a backup. */
const downloads: readonly (readonly [daysAgo: number, backup: boolean])[] = [
  [249.9, false],
  [120.4, true],
  [9.3, false],
]
const firstId = 39

/** GET configuration_list (interface specification 2.14), oldest first (field fact). */
export function configurationList({ start }: WorldTime) {
  return downloads.map(([daysAgo, backup], index) => ({
    id: firstId + index,
    date: isoWithOffset(start - daysAgo * day),
    verified_at: isoWithOffset(start - daysAgo * day + 40 * second),
    backup,
  }))
}

/** Formats a time as `YYYY-MM-DDTHH:MM:SS+HHMM`, one hour east of Greenwich. */
function isoWithOffset(time: number): string {
  return `${isoT(time + offset)}+0100`
}
