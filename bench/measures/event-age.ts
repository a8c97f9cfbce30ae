import { Panel } from '../../src/panel/panel.ts'
import { panelSettings } from '../../src/panel/settings.ts'
import type { Fault } from '../../src/simulator/faults/fault.ts'
import { latency } from '../../src/simulator/faults/wire.ts'
import { textOf, withJsonText } from '../../src/simulator/http/answer.ts'
import type { Stage } from '../../test/support/account-at-simulator.ts'
import type { TimeLapse } from '../../test/support/week/time-lapse.ts'
import { type Comparison, mean, quantile } from '../comparison.ts'
import { onDrivenClock } from '../driven-stage.ts'

/** Milliseconds. */
const interval = 60_000
const delay = 12_000
const count = 100

/** An answer shows how things were when the request arrived: the later half of the way makes it older. */
const slow: Fault = {
  ...latency(delay),
  answer: (truth) => {
    const said = truth()
    return withJsonText(said, textOf(said))
  },
}

/**
 * How old an event is when it is told, in intervals between polls, beside what polls must leave: the latency, and half
 * an interval on the mean, a whole one at most.
 *
 * The clock is driven and each event happens at another point of the interval, so that chance has no part in it.
 */
export default async function eventAge(): Promise<Comparison[]> {
  const told = await onDrivenClock({ panels: 1 }, {}, agesOf)
  const ages = told.map((age) => age / interval)
  const share = delay / interval
  return [
    {
      what: `mean, with a latency of ${share} intervals`,
      ours: mean(ages),
      theirs: 0.5 + share,
      unit: '',
      goal: 1,
    },
    { what: 'p99', ours: quantile(ages, 0.99), theirs: 1 + share, unit: '', goal: 1 },
  ]
}

/** Milliseconds from each event to the moment in which a node is told of it. */
async function agesOf({ simulator, clock, account, folder, panel: key }: Stage, lapse: TimeLapse) {
  const every = { stateEvery: 3600, eventsEvery: interval / 1000, devicesEvery: 3600 }
  const reports = { loss: () => {}, recovery: () => {}, notice: () => {} }
  const panel = new Panel(
    panelSettings({ id: 'panel', ...key, ...every }, undefined, 10),
    account,
    folder,
    reports,
  )
  const [house] = simulator.world.panels
  const happened = new Map<number, number>()
  const ages: number[] = []
  const leave = panel.stream.join('node', {
    policy: { first: 'skip', missed: 'deliver' },
    events: (deliveries) => {
      for (const { event } of deliveries) ages.push(clock.monotonic() - (happened.get(event.event ?? 0) ?? 0))
    },
    gap: () => {},
  })
  const stop = panel.events.listen({ news: () => {}, condition: () => {} })
  simulator.faults.start(slow)
  await lapse.until(clock.monotonic() + 5 * interval)
  // From the moment of a poll on.
  const start = simulator.requests.findLast(({ path }) => path.endsWith('/events'))?.at ?? 0
  for (let nth = 1; nth <= count; nth += 1) {
    await lapse.until(start + interval * (nth + (nth - 0.5) / count))
    house?.addEvents(1)
    happened.set(house?.events.at(-1)?.event ?? 0, clock.monotonic())
  }
  await lapse.until(clock.monotonic() + 2 * interval)
  stop()
  leave()
  await panel.stream.close()
  if (ages.length !== count) throw new Error(`${ages.length} of ${count} events were told`)
  return ages
}
