import { every } from '../../src/clock.ts'
import { day, hour, minute, second } from '../../src/duration.ts'
import { Panel } from '../../src/panel/panel.ts'
import { panelSettings } from '../../src/panel/panel-settings.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import { bodyText, withJsonText } from '../../src/simulator/http/http-response.ts'
import { Random } from '../../src/simulator/random.ts'
import type { Panel as SimulatedPanel } from '../../src/simulator/world/panel.ts'
import { type AccountHarness, startAccountHarness } from '../account.ts'
import type { FakeClock } from '../clock/fake-clock.ts'
import { type Act, furnish, type HouseholdHabits, planDays } from './household-plan.ts'
import { type Ages, NewsAges, type NewsKind, newsKinds } from './news-ages.ts'

/** The settings of the account and of its panels, as stored in a flow file. */
export interface HouseholdClient {
  panels: number
  account?: RawSettings
  panel?: RawSettings
  /** Called when the lives begin, and each hour after that. */
  everyHour?: () => void
  /** Called with the clock before anything begins. */
  begin?: (clock: FakeClock) => void
}

/** The measured figures of all panels. */
export interface HouseholdRecord {
  news: Readonly<Record<NewsKind, Ages>>
  /** The share of the messages about a change that tell who caused it, of those within 20 seconds. */
  namedShare: number
  /** The number in a day. */
  requests: number
  /** The number in a minute, while nothing happens and has happened for five minutes. */
  quietRequests: number
}

/** Milliseconds of an answer. */
const answerTime = 300

/** Milliseconds until everything was read once. */
const starting = 60 * second

/** Returns an answer with the data at the arrival of its request, which takes this many milliseconds. */
export function slowAnswer(delay: number): Fault {
  return {
    ...latency(delay),
    answer: (getOriginal) => {
      const said = getOriginal()
      return withJsonText(said, bodyText(said))
    },
  }
}

/**
 * Lets households live at simulated panels, with one account and a real client for each panel on a fake clock. The same
 * seed gives the same lives, whatever the client.
 */
export async function liveInHouseholds(
  client: HouseholdClient,
  habits: HouseholdHabits,
  seed: number,
): Promise<HouseholdRecord> {
  const requests: number[] = []
  const log = { debug: () => requests.push(harness.clock.monotonic()) }
  const harness = await startAccountHarness(
    { panels: client.panels },
    { requestsPerMinute: 30, ...client.account },
    log,
  )
  client.begin?.(harness.clock)
  try {
    const plans = harness.simulator.world.panels.map((panel, index) =>
      planDays(habits, furnish(panel), new Random(seed + index)),
    )
    for (const panel of harness.simulator.world.panels)
      perform(panel, { at: 0, what: 'arm', state: 'HOME', exitDelay: 0 })
    harness.simulator.faults.start(slowAnswer(answerTime))
    const lives = harness.simulator.world.panels.map((panel) => openPanel(harness, panel, client.panel))
    await harness.time.pass(starting * client.panels)
    const start = harness.clock.monotonic()
    requests.length = 0
    const { everyHour = () => {} } = client
    everyHour()
    const stopHours = every(harness.clock, hour, everyHour)
    for (const [index, plan] of plans.entries()) {
      const [life, panel] = [lives[index], harness.simulator.world.panels[index]]
      if (life === undefined || panel === undefined) continue
      for (const act of plan)
        harness.clock.after(act.at * second, () => {
          perform(panel, act)
          life.news.note(act)
        })
    }
    const lasted = second * Math.max(...plans.map((plan) => plan.at(-1)?.at ?? 0))
    await harness.time.advanceTo(start + lasted + 120 * second)
    stopHours()
    for (const { news, panel } of lives) {
      news.stop()
      await panel.close()
    }
    const sent = requests.map((at) => at - start).filter((at) => at < lasted)
    const acts = plans.flatMap((plan) => plan.map(({ at }) => at * second))
    const [told, named] = (['told', 'named'] as const).map((count) =>
      lives.reduce((sum, { news }) => sum + news.changes[count], 0),
    )
    return {
      news: joinNews(lives.map(({ news }) => news.of)),
      namedShare: (named ?? 0) / (told ?? 0),
      requests: (sent.length * day) / lasted,
      quietRequests: countQuietRequests(sent, acts, lasted),
    }
  } finally {
    await harness.close()
  }
}

function joinNews(lives: readonly Readonly<Record<NewsKind, Ages>>[]): Record<NewsKind, Ages> {
  const joined = newsKinds.map((kind): [NewsKind, Ages] => {
    const of = lives.map((life) => life[kind])
    return [
      kind,
      { ages: of.flatMap(({ ages }) => ages), missed: of.reduce((sum, { missed }) => sum + missed, 0) },
    ]
  })
  return Object.fromEntries(joined) as Record<NewsKind, Ages>
}

function countQuietRequests(sent: readonly number[], acts: readonly number[], lasted: number): number {
  const [lively, counts] = [new Set<number>(), new Map<number, number>()]
  for (const at of acts)
    for (let after = 0; after <= 5; after += 1) lively.add(Math.floor(at / minute) + after)
  for (const at of sent) counts.set(Math.floor(at / minute), (counts.get(Math.floor(at / minute)) ?? 0) + 1)
  const minutes = Array.from({ length: Math.floor(lasted / minute) }, (_, nth) => nth)
  const quiet = minutes.filter((nth) => !lively.has(nth))
  return quiet.reduce((sum, nth) => sum + (counts.get(nth) ?? 0), 0) / quiet.length
}

function openPanel(
  { account, folder, clock, panel: { userCode } }: AccountHarness,
  simulated: SimulatedPanel,
  raw: RawSettings = {},
) {
  const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
  const { serial } = simulated
  const settings = panelSettings({ id: serial, serial, userCode, ...raw }, undefined)
  const panel = new Panel(settings, account, folder, reports)
  const news = new NewsAges(simulated, clock)
  news.watch(panel)
  return { panel, news }
}

function perform(panel: SimulatedPanel, act: Act): void {
  const partition = panel.partitions[0]?.plan.id ?? -1
  switch (act.what) {
    case 'arm':
      // A zone that is still open would make the rest of the life another one.
      if (!panel.arm(partition, act.state, { exitDelay: act.exitDelay }))
        throw new Error(`Not armed at ${act.at}`)
      return
    case 'disarm':
      panel.disarm(partition)
      return
    case 'open':
      panel.open(act.zone)
      return
    case 'close':
      panel.close(act.zone)
      return
    case 'look':
  }
}
