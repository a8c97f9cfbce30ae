// Hashing the code of each panel with the cost of the product takes seconds, and changes no figure.
import '../../harness/mocha/hashing-cost.ts'
import { type HouseholdRecord, liveInHouseholds } from '../../harness/household/household.ts'
import { eventfulDays, quietDays } from '../../harness/household/household-plan.ts'
import { type NewsKind, newsKinds } from '../../harness/household/news-ages.ts'
import { seed } from '../../harness/mocha/seed.ts'
import { second } from '../../src/duration.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import { type Comparison, median, quantile } from '../comparison.ts'

/** A client that is compared: settings of a panel node. */
interface Client {
  name: string
  panel: RawSettings
}

const defaults: Client = { name: 'defaults', panel: {} }
const everyTenSeconds: Client = {
  name: 'all every 10 s',
  panel: { stateEvery: 10, eventsEvery: 10, devicesEvery: 10 },
}

/** Clients of other projects that poll this service, by their intervals. */
const peers: readonly Client[] = [
  { name: 'Nino6689: 10 s, events 300 s', panel: { stateEvery: 10, eventsEvery: 300, devicesEvery: 10 } },
  { name: 'nitaybz: 30 s', panel: { stateEvery: 30, eventsEvery: 30, devicesEvery: 30 } },
]

/** The number of days that are lived at each of so many panels. */
const daysOf: ReadonlyMap<number, number> = new Map([
  [1, 10],
  [3, 3],
  [5, 2],
  [10, 2],
])

/** Seconds: the median and the 95th percentile. */
type Bound = readonly [number, number]

const boundsOfOne: Partial<Record<NewsKind, Bound>> = {
  armed: [6, 14],
  disarmed: [6, 18],
  'alarm in state': [8, 18],
  'alarm event': [9, 19],
  incident: [9, 19],
  'next zone': [6, 12],
  'who armed': [9, 16],
  'opened >= 60 s': [10, 57],
}

const boundsOfTen: Partial<Record<NewsKind, Bound>> = { 'alarm in state': [25, 60] }

const maxRequests = 14_000
const maxQuietRequests = 12
const minNamed = 0.95
const minShortOpenings = 0.6

/**
 * Age of each kind of news of simulated households, in seconds, and the requests that it takes. All figures of all
 * clients are reported as the rows of a table; the bounds, and what a client that reads all every ten seconds does, are
 * the comparisons.
 */
export default async function newsAge({ progress }: BenchmarkOptions): Promise<Comparison[]> {
  progress(`| panels, client | requests a day, quiet minute | ${newsKinds.join(' | ')} | named |`)
  const live = async (panels: number, client: Client, days = daysOf.get(panels) ?? 1) => {
    const record = await liveInHouseholds({ panels, panel: client.panel }, { ...eventfulDays, days }, seed)
    const quiet = await liveInHouseholds({ panels, panel: client.panel }, { ...quietDays, days: 1 }, seed)
    progress(formatRow(`${panels}, ${client.name}`, record, quiet))
    return { record, quiet }
  }
  const comparisons: Comparison[] = []
  for (const panels of daysOf.keys()) {
    const { record, quiet } = await live(panels, defaults)
    const constant = await live(panels, everyTenSeconds, 1)
    if (panels === 1)
      comparisons.push(...boundsFor('1 panel', record, boundsOfOne), ...othersOfOne(record, quiet))
    else if (panels === 10) comparisons.push(...boundsFor('10 panels', record, boundsOfTen))
    comparisons.push(...besideConstant(`${panels} at 10 s`, record, constant.record))
  }
  for (const peer of peers) await live(1, peer, 3)
  return comparisons
}

function boundsFor(
  what: string,
  { news }: HouseholdRecord,
  bounds: Partial<Record<NewsKind, Bound>>,
): Comparison[] {
  return Object.entries(bounds).flatMap(([kind, [middle, most]]) => {
    const { ages } = news[kind as NewsKind]
    const of = { unit: 's', goal: 1 }
    return [
      { what: `${what}, ${kind}: median`, ours: median(ages) / second, theirs: middle, ...of },
      { what: `${what}, ${kind}: 95 %`, ours: quantile(ages, 0.95) / second, theirs: most, ...of },
    ]
  })
}

function othersOfOne({ news, namedShare }: HouseholdRecord, quiet: HouseholdRecord): Comparison[] {
  const of = { unit: '', goal: 1 }
  const unseen = 1 - seenShare(news['opened < 60 s'])
  return [
    { what: 'changes told within 20 s without a name', ours: 1 - namedShare, theirs: 1 - minNamed, ...of },
    { what: 'openings < 60 s unseen', ours: unseen, theirs: 1 - minShortOpenings, ...of },
    { what: 'requests a day', ours: quiet.requests, theirs: maxRequests, ...of },
    { what: 'requests in a quiet minute', ours: quiet.quietRequests, theirs: maxQuietRequests, ...of },
  ]
}

function besideConstant(what: string, { news }: HouseholdRecord, constant: HouseholdRecord): Comparison[] {
  const kinds: readonly NewsKind[] = ['alarm in state', 'alarm event']
  return kinds.map((kind) => ({
    what: `${what}, ${kind}: median`,
    ours: median(news[kind].ages) / second,
    theirs: median(constant.news[kind].ages) / second,
    unit: 's',
    goal: Number.POSITIVE_INFINITY,
  }))
}

function seenShare({ ages, missed }: { ages: readonly number[]; missed: number }): number {
  return ages.length / (ages.length + missed)
}

/** Returns the row of a table: the median and the 95th percentile of each kind in seconds, or the share that was seen. */
function formatRow(title: string, { news, namedShare }: HouseholdRecord, quiet: HouseholdRecord): string {
  const cells = newsKinds.map((kind) => {
    const { ages } = news[kind]
    const [middle, most] = [median(ages), quantile(ages, 0.95)].map((age) => (age / second).toFixed(0))
    const isSeldomSeen = kind === 'entry delay' || kind === 'opened < 60 s'
    return isSeldomSeen ? percent(seenShare(news[kind])) : `${middle} / ${most}`
  })
  const requests = `${Math.round(quiet.requests).toLocaleString('en')}, ${quiet.quietRequests.toFixed(1)}`
  return `| ${title} | ${requests} | ${cells.join(' | ')} | ${percent(namedShare)} |`
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}
