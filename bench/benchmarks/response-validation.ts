import { costOfResponse } from '../../harness/oversized-responses/response-cost.ts'
import { devices as deviceList } from '../../src/service/responses/devices.ts'
import { panelEvents } from '../../src/service/responses/events.ts'
import { type Check, parse } from '../../src/service/schema.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import type { Comparison } from '../comparison.ts'
import { devices, eventsFrom } from '../sample-responses.ts'
import { timeFunctions } from '../timing.ts'

/**
 * Time to check an answer and to copy its known fields, compared with JSON.parse of it; and the longest time for which the
 * longest answers block the event loop until their messages are made, compared with JSON.parse of 4 MB.
 */
export default async function checkedAnswers(): Promise<Comparison[]> {
  return [
    comparison('64 devices', deviceList, devices(64)),
    comparison('1,000 events', panelEvents, eventsFrom(0, 1000)),
    await blockOf('block of 1,000 events', 'events', eventsFrom(0, 1000)),
    await blockOf('block of 250 devices', 'devices', devices(250)),
  ]
}

async function blockOf(what: string, operation: 'events' | 'devices', list: object[]): Promise<Comparison> {
  const simulator = await startSimulator()
  try {
    const { url, email, password, serials, userCode } = simulator
    const account = { email, password, serial: serials[0] ?? '', userCode }
    const task = { ask: operation, url, timeout: 60, account, hasYardstick: true }
    const { blocked, yardstick } = await costOfResponse(task, () =>
      simulator.respondOnce(operation, {
        status: 200,
        body: JSON.stringify(list),
        times: Number.POSITIVE_INFINITY,
      }),
    )
    return { what, ours: blocked, theirs: yardstick, unit: 'ms', goal: 2 }
  } finally {
    await simulator.close()
  }
}

function comparison(what: string, check: Check<unknown>, answer: object): Comparison {
  const json = JSON.stringify(answer)
  const { checked, parsed } = timeFunctions(1000, () => {
    const wire = JSON.parse(json)
    return { parsed: () => JSON.parse(json), checked: () => parse(check, wire) }
  })
  return { what, ours: checked, theirs: parsed, unit: 'µs', goal: 0.25 }
}
