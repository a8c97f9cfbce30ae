import { day, hour } from '../../../duration.ts'
import { getLabel } from '../../world/device.ts'
import type { Panel } from '../../world/panel.ts'
import { isoSpace, type WorldTime } from '../../world/world-time.ts'

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
