import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { minute, second } from '../../../src/duration.ts'
import {
  type PaceFacts,
  type PaceSituation,
  type PollTargets,
  paces,
  situationOf,
  targetsOf,
} from '../../../src/panel/polling/pace.ts'

const never = Number.NEGATIVE_INFINITY
const facts = (known: Partial<PaceFacts> = {}): PaceFacts => ({
  ...{ delay: null, armed: null, alarmAt: never, awaitedUntil: never, doubtedUntil: never, changedAt: never },
  isRemote: false,
  ...known,
})

/** Hours of a day of the simulated household in each situation; the others take minutes. */
const typicalHours: Readonly<Partial<Record<PaceSituation, number>>> = {
  away: 8.6,
  home: 7.4,
  busy: 6,
  recent: 1.3,
  quiet: 0.7,
}

describe('The pace of a panel', () => {
  const at = (now: number, known: Partial<PaceFacts>) => situationOf(facts(known), now)

  it('is that of an alarm while one is seen, and for five minutes after', () => {
    assert.equal(at(0, { alarmAt: 0, isRemote: true }), 'alarm')
    assert.equal(at(0, { alarmAt: 0, delay: 'exit', isRemote: true }), 'unsettled')
    assert.equal(at(5 * minute - 1, { alarmAt: 0, isRemote: true, armed: 'away' }), 'alarm')
    assert.equal(at(5 * minute, { alarmAt: 0 }), 'quiet')
    assert.equal(at(0, { delay: 'entry', alarmAt: 0, isRemote: true }), 'entryDelay')
  })

  it('is fast in an exit delay, after a command and in doubt, whatever way the panel has to the service', () => {
    assert.equal(at(0, { delay: 'exit', isRemote: true, armed: 'away' }), 'change')
    assert.equal(at(0, { awaitedUntil: minute, isRemote: true }), 'change')
    assert.equal(at(minute, { awaitedUntil: minute, isRemote: true }), 'remote')
    assert.equal(at(0, { doubtedUntil: minute, isRemote: true }), 'unsettled')
  })

  it('slows down after a change, step by step', () => {
    const seen = (known: Partial<PaceFacts>) =>
      [0, 2 * minute, 30 * minute].map((now) => at(now, { changedAt: 0, ...known }))
    assert.deepEqual(seen({}), ['recent', 'busy', 'quiet'])
    assert.deepEqual(seen({ armed: 'home' }), ['recent', 'busy', 'home'])
    assert.deepEqual(seen({ armed: 'away' }), ['recent', 'away', 'away'])
    assert.deepEqual(seen({ isRemote: true }), ['remote', 'remote', 'remote'])
  })

  it('needs at most 21 requests a minute in an alarm, 12 while nothing happens, 3,900 a day on mobile data', () => {
    const aMinute = (targets: Readonly<Record<string, number>>) =>
      Object.values(targets).reduce((sum, seconds) => sum + 60 / seconds, 0)
    assert.ok(aMinute(paces.alarm) <= 21)
    for (const calm of [paces.away, paces.home, paces.busy, paces.quiet]) assert.ok(aMinute(calm) <= 12)
    // Descriptions of the panel are read too.
    assert.ok(24 * 60 * aMinute(paces.remote) <= 3_900 - 40)
  })

  it('leaves a fixed interval as it is, but for the state while it changes', () => {
    const fixed = { stateEvery: 30 * second, eventsEvery: minute, devicesEvery: 5 * minute }
    const usual = { state: 30 * second, alarms: 30 * second, events: minute, devices: 5 * minute }
    for (const situation of ['alarm', 'quiet', 'remote', 'recent'] as const)
      assert.deepEqual(targetsOf(situation, fixed, { paceFactor: 3, pollLoad: 3 }), usual)
    for (const situation of ['entryDelay', 'change', 'unsettled'] as const)
      assert.deepEqual(targetsOf(situation, fixed), { ...usual, state: 5 * second })
    assert.equal(targetsOf('change', { ...fixed, stateEvery: second }).state, second)
  })

  it('is slower by the factor of the day, where no interval is fixed', () => {
    const fixed = { stateEvery: null, eventsEvery: minute, devicesEvery: null }
    assert.deepEqual(targetsOf('quiet', fixed, { paceFactor: 2, pollLoad: 1.8 }), {
      state: 30 * second,
      alarms: 34 * second,
      events: minute,
      devices: 4 * minute,
    })
  })

  it('ignores the factor of the day in an entry delay, an alarm, a doubt and a change', () => {
    const paced = { stateEvery: null, eventsEvery: null, devicesEvery: null }
    const day = { paceFactor: 10, pollLoad: 2 }
    for (const situation of ['entryDelay', 'alarm', 'unsettled', 'change'] as const)
      assert.deepEqual(
        targetsOf(situation, paced, day),
        targetsOf(situation, paced, { paceFactor: 1, pollLoad: 2 }),
      )
  })

  it('grows at most fourfold for status and alarms by the factor of the day: they show the next danger', () => {
    const paced = { stateEvery: null, eventsEvery: null, devicesEvery: null }
    assert.deepEqual(targetsOf('away', paced, { paceFactor: 10, pollLoad: 0 }), {
      ...{ state: minute, alarms: minute },
      ...{ events: 30 * minute, devices: 60 * minute },
    })
  })

  it('leaves room in the minute where the polls want more, and slows the alarms down least and the devices most', () => {
    const paced = { stateEvery: null, eventsEvery: null, devicesEvery: null }
    const at = (pollLoad: number) => Object.values(targetsOf('busy', paced, { paceFactor: 1, pollLoad }))
    const wanted = (targets: readonly number[]) => targets.reduce((sum, target) => sum + minute / target, 0)
    const usual = at(0)
    for (const fits of [0.3, 0.9]) assert.deepEqual(at(fits), usual)
    for (const pollLoad of [1, 2, 4]) {
      const [state = 0, alarms = 0, events = 0, devices = 0] = at(pollLoad).map(
        (target, nth) => target / (usual[nth] ?? 0),
      )
      assert.ok(1 < alarms && alarms < state && state < events && events < devices)
      const used = (pollLoad * wanted(at(pollLoad))) / wanted(usual)
      assert.ok(used > 0.85 && used < 1, `${used}`)
    }
  })

  it('is told in the dialog of the panel and in the README as it is', async () => {
    const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
    const dialog = await read('resources/config-dialogs.mjs')
    const readme = await read('README.md')
    const stretches = Object.entries(typicalHours).map(([situation, hours]) => ({
      pace: paces[situation as PaceSituation],
      hours,
    }))
    const sum = (of: (pace: PollTargets) => number) =>
      stretches.reduce((total, { pace, hours }) => total + hours * of(pace), 0)
    const resources = ['state', 'alarms', 'events', 'devices'] as const
    const counts = resources.map(
      (resource) => `${resource}: ${Math.round(sum((pace) => 3600 / pace[resource]))}`,
    )
    const alarmAfter = Math.round(sum(({ alarms }) => alarms / 2) / sum(() => 1))
    assert.match(dialog, new RegExp(`requests: \\{ ${counts.join(', ')} \\},\\s+alarmAfter: ${alarmAfter},`))
    const doorWithin = Math.max(...[paces.recent, paces.busy, paces.quiet].map(({ devices }) => devices))
    assert.ok(
      readme.includes(
        `an alarm is told after about ${alarmAfter} seconds, an open door in a disarmed house within ${doorWithin}.`,
      ),
    )
  })
})
