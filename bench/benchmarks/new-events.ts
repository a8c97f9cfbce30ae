import { parseValid } from '../../harness/fixtures/samples.ts'
import { findNewEvents } from '../../src/panel/events/new-events.ts'
import { panelEvents } from '../../src/service/responses/events.ts'
import type { Comparison } from '../comparison.ts'
import { eventsFrom } from '../sample-responses.ts'
import { timeFunctions } from '../timing.ts'

const length = 1000
const snapshot = 5

/** Time to find the new events of a list, compared with JSON.parse of the list. */
export default async function newEvents(): Promise<Comparison[]> {
  const before = JSON.stringify(eventsFrom(0, length))
  const after = JSON.stringify(eventsFrom(snapshot, length))
  const list = (json: string) => parseValid(panelEvents, JSON.parse(json))
  const { parse, first, changed, unchanged } = timeFunctions(1000, () => {
    const known = findNewEvents(null, 'A1B2C3', list(before)).memory
    const [one, same, grown] = [list(before), list(before), list(after)]
    return {
      parse: () => JSON.parse(after),
      first: () => findNewEvents(null, 'A1B2C3', one),
      changed: () => findNewEvents(known, 'A1B2C3', grown),
      unchanged: () => findNewEvents(known, 'A1B2C3', same),
    }
  })
  const beside = { theirs: parse, unit: 'µs' }
  return [
    { what: `${length} events, ${snapshot} of them new`, ours: changed, ...beside, goal: 0.4 },
    { what: `${length} events, the first list ever`, ours: first, ...beside, goal: 0.4 },
    { what: `${length} events, unchanged`, ours: unchanged, ...beside, goal: 0.25 },
  ]
}
