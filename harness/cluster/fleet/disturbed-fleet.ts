import { setTimeout as pause } from 'node:timers/promises'
import type { ClusterOptions } from '../../../src/cluster/cluster.ts'
import { Random } from '../../../src/simulator/random.ts'
import { connectScripts, stepServerClock } from '../connected-scripts.ts'
import { auditEvents, auditPolls, type EventFigures, type PollFigures } from './fleet-audit.ts'
import { mostWithin } from './instance-fleet.ts'
import { PanelFleet } from './panel-fleet.ts'
import type { AccountTask } from './panel-process.ts'
import { WatchedService } from './watched-service.ts'

const hour = 3_600_000
/** As many as an installer or a family has: polls of an account run one at a time. */
const panelsOfAnAccount = 10

/** The disturbances of a fleet: kills, stops and steps of the clock. */
export interface Disturbances {
  /** A random process is killed and started again. */
  kills?: { count: number; every: number }
  /** A random process is stopped for some milliseconds. */
  stalls?: { count: number; every: number; lasts: number }
  /** The clock of the server is set by an hour, on or back. */
  steps?: { count: number; every: number }
  /** Anything else; resolves at its end. */
  other?(): Promise<void>
}

/** A fleet and its work. Times are in milliseconds, except those of the intervals. */
export interface DisturbedFleetOptions extends Disturbances {
  /** The server; it must have had its first handshake. */
  server: Parameters<typeof connectScripts>[0]
  instances?: readonly string[]
  /** The address at which an instance reaches the server; by default that of the server. */
  addressFor?(instance: string): string
  times?: ClusterOptions['times']
  panels: number
  intervals: { stateEvery: number; eventsEvery: number; devicesEvery: number }
  /** The time between two events, each at a random panel. */
  eventEvery?: number
  /** The user who always wants more than the cap, and the window in which attempts are counted. */
  limited?: { cap: number; window: number; callers: number }
  seed: number
}

/** The result of a run with disturbances. */
export interface DisturbedFleetFigures {
  /** Milliseconds from the first disturbance to the last one. */
  lasted: number
  events: EventFigures
  state: PollFigures
  eventPolls: PollFigures
  /** The attempts in the fullest window, and all of them, beside those that the cap allows. */
  attempts: { most: number; made: number; possible: number }
}

/** Lets several processes poll panels and deliver events, disturbs them, and returns what the service and a flow saw. */
export async function runDisturbedFleet(options: DisturbedFleetOptions): Promise<DisturbedFleetFigures> {
  const { server, times, panels, intervals, eventEvery = 40, limited, seed } = options
  const { instances = ['one', 'two', 'three', 'four'], addressFor, kills, stalls, steps, other } = options
  const random = new Random(seed)
  const services = await Promise.all(
    Array.from({ length: Math.ceil(panels / panelsOfAnAccount) }, (_, nth) =>
      WatchedService.start(
        { panels: Math.min(panelsOfAnAccount, panels - nth * panelsOfAnAccount), seed: nth + 1 },
        20,
      ),
    ),
  )
  const another = await WatchedService.start({ panels: 1 }, 150)
  const accounts: AccountTask[] = services.map((service) => {
    return { ...userOf(service), requestsPerMinute: 1_000_000, intervals }
  })
  if (limited) {
    accounts.push({ ...userOf(another), requestsPerMinute: limited.cap, callers: limited.callers })
  }
  const fleet = new PanelFleet((instance) => ({
    redis: addressFor?.(instance) ?? server.address,
    instance,
    accounts,
    ...(times === undefined ? {} : { times }),
  }))
  const lateness = measureLateness()
  const driver = steps && (await connectScripts(server))
  const watched = services.flatMap((service) =>
    service.simulator.world.panels.map((panel) => ({ panel, name: service.nameOf(panel.serial) })),
  )
  // With its event, each node tells that it works.
  for (const { panel } of watched) panel.addEvents(1)
  const happened = watched.flatMap(({ panel, name }) =>
    panel.events.map(({ event }) => ({ panel: name, event: `${event}` })),
  )
  let isOver = false
  const interval = 1000 * Math.max(intervals.stateEvery, intervals.eventsEvery)
  const addEvents = async () => {
    while (!isOver) {
      const { panel, name } = oneOf(random, watched)
      panel.addEvents(1)
      happened.push({ panel: name, event: `${panel.events.at(-1)?.event}` })
      await pause(eventEvery)
    }
  }
  const disturb = async (plan: { count: number; every: number } | undefined, what: () => unknown) => {
    const { count, every } = plan ?? { count: 0, every: 0 }
    for (let nth = 0; nth < count; nth += 1) {
      await pause(every)
      await what()
    }
  }
  try {
    await Promise.all(instances.map((name) => fleet.launch(name)))
    await waitFor(() => fleet.told.length >= panels, 60_000)
    await pause(interval)
    const from = performance.now()
    const adding = addEvents()
    await Promise.all([
      disturb(kills, () => void fleet.replace(oneOf(random, fleet.running))),
      disturb(stalls, async () => {
        const name = oneOf(random, fleet.running)
        fleet.stop(name)
        await pause(stalls?.lasts)
        fleet.wake(name)
      }),
      disturb(steps, async () => {
        if (driver) await stepServerClock(driver, random.between(0, 1) === 0 ? hour : -hour)
      }),
      other?.(),
    ])
    const to = performance.now()
    isOver = true
    await adding
    const audited = () => auditEvents(happened, fleet.told)
    await waitFor(() => audited().lost === 0, 3 * interval + 15_000)
    // What is told twice may come after the last one.
    await pause(interval)
    const attempts = another.requests.length
    // None of the callers hangs after all that.
    if (limited) await waitFor(() => another.requests.length > attempts + limited.cap, 3 * limited.window)
    const polls = (operation: string, seconds: number) =>
      auditPolls(
        services.flatMap((service) => service.of(operation)),
        watched.map(({ name }) => name),
        1000 * seconds,
        from,
        to,
      )
    const arrivals = another.requests.map(({ at }) => at)
    const window = limited?.window ?? 0
    return {
      lasted: to - from,
      events: audited(),
      state: polls('status', intervals.stateEvery),
      eventPolls: polls('events', intervals.eventsEvery),
      attempts: {
        // An arrival may be noted late, when this process is busy.
        most: mostWithin(arrivals, window - lateness()),
        made: arrivals.length,
        possible: (((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / window) * (limited?.cap ?? 0),
      },
    }
  } finally {
    isOver = true
    driver?.close()
    await fleet.close()
    await Promise.all([...services, another].map((service) => service.close()))
  }
}

/** Returns the user of a service and its panels. */
export function userOf({ simulator }: WatchedService): Omit<AccountTask, 'requestsPerMinute'> {
  const { url, email, password, userCode, serials } = simulator
  return { url, email, password, userCode, serials }
}

/** Waits in real time for a condition, but not for ever; the figures tell if it did not hold. */
export async function waitFor(condition: () => boolean, longest: number): Promise<void> {
  const latest = performance.now() + longest
  while (!condition() && performance.now() < latest) await pause(50)
}

/** Returns a function that ends the measurement and returns the longest delay of a timer of this process, in milliseconds. */
export function measureLateness(): () => number {
  let latest = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - latest)
    latest = performance.now()
  }, 10)
  return () => {
    clearInterval(timer)
    return longest
  }
}

/** Returns one of several things; throws if there are none. */
function oneOf<T>(random: Random, list: readonly T[]): T {
  const one = random.pick(list)
  if (one === undefined) throw new Error('There is nothing to choose from.')
  return one
}
