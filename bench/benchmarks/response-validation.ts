import { devices as deviceList } from '../../src/service/responses/devices.ts'
import { panelEvents } from '../../src/service/responses/events.ts'
import { type Check, parse } from '../../src/service/schema.ts'
import type { Comparison } from '../comparison.ts'
import { devices, eventsFrom } from '../sample-responses.ts'
import { timeFunctions } from '../timing.ts'

/** Time to check an answer and to copy its known fields, compared with JSON.parse of it. */
export default async function checkedAnswers(): Promise<Comparison[]> {
  return [
    comparison('64 devices', deviceList, devices(64)),
    comparison('1,000 events', panelEvents, eventsFrom(0, 1000)),
  ]
}

function comparison(what: string, check: Check<unknown>, answer: object): Comparison {
  const json = JSON.stringify(answer)
  const { checked, parsed } = timeFunctions(1000, () => {
    const wire = JSON.parse(json)
    return { parsed: () => JSON.parse(json), checked: () => parse(check, wire) }
  })
  return { what, ours: checked, theirs: parsed, unit: 'µs', goal: 0.25 }
}
