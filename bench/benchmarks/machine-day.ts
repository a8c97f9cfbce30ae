// Hashing the code of each panel with the cost of the product takes seconds, and changes no figure.
import '../../harness/mocha/hashing-cost.ts'
import { liveInHouseholds } from '../../harness/household/household.ts'
import { quietDays } from '../../harness/household/household-plan.ts'
import { type DiskFigures, DiskWrites } from '../../harness/metrics/disk-writes.ts'
import { seed } from '../../harness/mocha/seed.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import type { Comparison } from '../comparison.ts'

/** The same before one write noted several attempts: at intervals of 30, 60 and 60 s, with 8,697 requests a day. */
const before: Record<'day' | 'rest' | 'busy', DiskFigures> = {
  day: { writes: 17_437, bytes: 498_998, syncs: 21, commits: 4344 },
  rest: { writes: 721, bytes: 20_377, syncs: 0, commits: 180 },
  busy: { writes: 754, bytes: 23_259, syncs: 5, commits: 190 },
}

const goals: Readonly<Record<keyof DiskFigures, number>> = { writes: 0.5, bytes: 0.5, syncs: 1, commits: 0.5 }

/** The default intervals of 0.1, with open doors. */
const formerIntervals = { stateEvery: 30, eventsEvery: 60, devicesEvery: 60 }

/**
 * Costs of a day of a household for the machine: writes to the disk in a day, in its quietest hour and in its busiest one;
 * processor time and heap at the pace and at the intervals of 0.1. The processor time includes the simulator and the fake
 * clock.
 */
export default async function machineDay({ progress }: BenchmarkOptions): Promise<Comparison[]> {
  const former = await liveDay(formerIntervals)
  const { day, rest, busy, processor, heap, requests } = await liveDay({})
  progress(`${JSON.stringify({ day, rest, busy })}, ${requests} requests`)
  const beside = { goal: Number.POSITIVE_INFINITY }
  return [
    ...compare('day', day),
    ...compare('rest', rest),
    ...compare('busy', busy),
    { what: 'processor, day', ours: processor, theirs: former.processor, unit: 's', ...beside },
    { what: 'heap after the day', ours: heap, theirs: former.heap, unit: 'MB', ...beside },
  ]
}

/** Lives a day without an alarm, with settings of the panel node. */
async function liveDay(panel: RawSettings) {
  const looks: { disk: DiskFigures; processor: number; heap: number }[] = []
  let disk = new DiskWrites(() => 0)
  const look = () => {
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    looks.push({
      disk: disk.figures,
      processor: (user + system) / 1e6,
      heap: process.memoryUsage().heapUsed / 1e6,
    })
  }
  const client = {
    panels: 1,
    panel,
    begin: (clock: { monotonic(): number }) => {
      disk = new DiskWrites(() => clock.monotonic())
      disk.start()
    },
    everyHour: look,
  }
  const { requests } = await liveInHouseholds(client, { ...quietDays, days: 1 }, seed)
  disk.stop()
  const hours = looks.slice(1).map(({ disk: now }, nth) => difference(now, looks[nth]?.disk ?? now))
  const byWrites = hours.toSorted((one, other) => one.syncs - other.syncs || one.writes - other.writes)
  const [rest, busy] = [byWrites[0], byWrites.at(-1)]
  const [first, last] = [looks[0], looks.at(-1)]
  if (!rest || !busy || !first || !last) throw new Error('The day has no hours.')
  const scale = 24 / hours.length
  const whole = difference(last.disk, first.disk)
  const day = Object.fromEntries(
    Object.entries(whole).map(([figure, count]) => [figure, Math.round(count * scale)]),
  ) as unknown as DiskFigures
  const processor = (last.processor - first.processor) * scale
  return { day, rest, busy, processor, heap: last.heap, requests: Math.round(requests) }
}

function compare(what: keyof typeof before, ours: DiskFigures): Comparison[] {
  const figures = (['writes', 'bytes', 'syncs', 'commits'] as const).filter(
    (figure) => before[what][figure] > 0,
  )
  return figures.map((figure) => ({
    what: `${figure}, ${what}`,
    ours: ours[figure],
    theirs: before[what][figure],
    unit: '',
    goal: goals[figure],
  }))
}

function difference(now: DiskFigures, then: DiskFigures): DiskFigures {
  return {
    writes: now.writes - then.writes,
    bytes: now.bytes - then.bytes,
    syncs: now.syncs - then.syncs,
    commits: now.commits - then.commits,
  }
}
