import type { AccountHarness } from '../../harness/account.ts'
import { Panel } from '../../src/panel/panel.ts'
import { panelSettings } from '../../src/panel/panel-settings.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import { bodyText, withJsonText } from '../../src/simulator/http/http-response.ts'
import { type Comparison, mean, quantile } from '../comparison.ts'
import { withFakeClock } from '../fake-clock-harness.ts'

/** Milliseconds. */
const interval = 60_000
const delay = 12_000
const count = 100

/** Creates the response when the request arrives and then delays it, so its data gets older by the delay. */
const slow: Fault = {
  ...latency(delay),
  answer: (getOriginal) => {
    const said = getOriginal()
    return withJsonText(said, bodyText(said))
  },
}

/**
 * Age of an event at its delivery, in poll intervals, compared with the unavoidable age of polling: the
 * latency, plus half an interval on average, a whole one at most.
 *
 * A fake clock is used and each event happens at another point of the interval, so the result is not random.
 */
export default async function eventAge(): Promise<Comparison[]> {
  // The default timeout is shorter than the delay.
  const told = await withFakeClock({ panels: 1 }, { timeout: 30 }, agesOf)
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

/** Milliseconds from each event to its delivery to a node. */
async function agesOf({ simulator, clock, account, folder, panel: key, time }: AccountHarness) {
  const every = { stateEvery: 3600, eventsEvery: interval / 1000, devicesEvery: 3600 }
  const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
  const panel = new Panel(
    panelSettings({ id: 'panel', ...key, ...every }, undefined),
    account,
    folder,
    reports,
  )
  const [house] = simulator.world.panels
  const happened = new Map<number, number>()
  const ages: number[] = []
  const leave = panel.eventDeliveries.subscribe(
    { id: 'node', instances: 'one' },
    {
      policy: { first: 'skip', missed: 'deliver' },
      events: (deliveries) => {
        for (const { event } of deliveries)
          ages.push(clock.monotonic() - (happened.get(event.event ?? 0) ?? 0))
      },
      gap: () => {},
    },
  )
  const stop = panel.events.subscribe({ snapshot: () => {}, condition: () => {} })
  simulator.faults.start(slow)
  await time.pass(5 * interval)
  // Start at the time of a poll.
  const start = simulator.requests.findLast(({ path }) => path.endsWith('/events'))?.at ?? 0
  for (let nth = 1; nth <= count; nth += 1) {
    await time.advanceTo(start + interval * (nth + (nth - 0.5) / count))
    house?.addEvents(1)
    happened.set(house?.events.at(-1)?.event ?? 0, clock.monotonic())
  }
  await time.pass(2 * interval)
  stop()
  leave()
  await panel.eventDeliveries.close()
  if (ages.length !== count) throw new Error(`${ages.length} of ${count} events were told`)
  return ages
}
