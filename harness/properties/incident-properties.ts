import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type IncidentTexts, summaryOf, titleOf } from '../../src/messages/incident-message.ts'
import { IncidentFeed } from '../../src/panel/incidents/incident-feed.ts'
import type { News } from '../../src/panel/incidents/incident-news.ts'
import type { IncidentView } from '../../src/panel/incidents/incident-view.ts'
import type { ActiveAlarm } from '../../src/panel/state/partition-state.ts'
import { bundled } from '../../src/service/catalogue/en-us.ts'
import type { PanelEvent } from '../../src/service/responses/events.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import { openKilledDelivery, settleDelivery } from '../kills/killed-delivery.ts'

/** The alarms of each kind of story, each with its restore. */
const kinds = {
  burglary: [
    [1, 19],
    [2, 20],
    [3, 21],
  ],
  fire: [
    [36, 37],
    [147, 148],
  ],
  panic: [[13, 42]],
} as const

/** A burglary, a fire or a false alarm; seconds after its begin. */
interface Story {
  kind: keyof typeof kinds
  isArmed: boolean
  alarms: { type: number; zone: number; second: number; isRestored: boolean }[]
  end: 'disarm' | 'cancel' | 'restores' | 'none'
  hasDuress: boolean
}

const anyStory: fc.Arbitrary<Story> = fc.record({
  kind: fc.constantFrom('burglary' as const, 'fire' as const, 'panic' as const),
  isArmed: fc.boolean(),
  alarms: fc.uniqueArray(
    fc.record({
      type: fc.nat(2),
      zone: fc.integer({ min: 1, max: 6 }),
      second: fc.integer({ min: 10, max: 200 }),
      isRestored: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5, selector: ({ zone }) => zone },
  ),
  end: fc.constantFrom('disarm' as const, 'cancel' as const, 'restores' as const, 'none' as const),
  hasDuress: fc.boolean(),
})

/** Something that happens at the panel. */
interface Deed {
  second: number
  typeId: number
  zone: number
  deviceType: string
  partition: number
  actor: string
}

/** Returns what happens in a story, in its own partition, and whether the panel then says that it is over. */
function play({ kind, isArmed, alarms, end, hasDuress }: Story, nth: number) {
  const [offset, partition] = [450 * nth, 1 + nth]
  const user = (second: number, typeId: number, actor: string): Deed => ({
    ...{ second: offset + second, typeId, zone: 5, deviceType: 'USER', partition, actor },
  })
  const zone = (second: number, typeId: number, number: number): Deed => ({
    ...{ second: offset + second, typeId, zone: 10 * nth + number, deviceType: 'ZONE', partition, actor: '' },
  })
  const typesOf = (type: number) => kinds[kind][type % kinds[kind].length] ?? kinds[kind][0]
  const isRestored = (one: Story['alarms'][number]) => end === 'restores' || one.isRestored
  const deeds = [
    user(0, isArmed ? 86 : 89, 'Tom'),
    ...alarms.map(({ type, zone: number, second }) => zone(second, typesOf(type)[0], number)),
    ...(hasDuress ? [user(210, 15, 'Anna')] : []),
    ...alarms
      .filter(isRestored)
      .map(({ type, zone: number }) => zone(220 + number, typesOf(type)[1], number)),
    ...(end === 'disarm' || end === 'cancel' ? [user(300, end === 'disarm' ? 89 : 31, 'Anna')] : []),
  ].sort((one, other) => one.second - other.second)
  const isDisarmed = hasDuress || end === 'disarm' || end === 'cancel'
  const isOver = isDisarmed || (!isArmed && alarms.every(isRestored))
  return { deeds, isOver, partition }
}

const zero = Date.parse('2026-01-01T00:00:00Z')
const textOf = (second: number) => new Date(zero + 1000 * second).toISOString().slice(0, 19).replace('T', ' ')

function entry(deed: Deed, id: number): PanelEvent {
  const { second, typeId, zone, deviceType, partition, actor } = deed
  return {
    ...{
      event: id,
      type_id: typeId,
      label: '',
      description: '',
      appointment: actor,
      datetime: textOf(second),
    },
    ...{ video: false, device_type: deviceType, zone, zone_name: `Zone ${zone}`, partitions: [partition] },
  }
}

const isAlarm = ({ typeId }: Deed) =>
  Object.values(kinds).some((pairs) => pairs.some(([id]) => id === typeId))

/** Returns the panel's list of alarms at a second: as the panel has it, whatever events have arrived. */
function alarmsAt(stories: readonly ReturnType<typeof play>[], second: number): ActiveAlarm[] {
  return stories.flatMap(({ deeds }) => {
    const done = deeds.filter((deed) => deed.second <= second)
    const isArmed = done.some(({ typeId }) => typeId === 86)
    const isDisarmed = done.some((deed, at) => at > 0 && [89, 31, 15].includes(deed.typeId))
    return done.filter(isAlarm).map((alarm): ActiveAlarm => {
      const isRestored = done.some(
        (deed) => deed.zone === alarm.zone && !isAlarm(deed) && deed.deviceType === 'ZONE',
      )
      const inMemory = isDisarmed || (isRestored && !isArmed)
      return {
        ...{ type: 'ALARM', inMemory, deviceType: 'ZONE', zone: alarm.zone, zoneName: '', location: '' },
        ...{
          partitions: [alarm.partition],
          time: new Date(zero + 1000 * alarm.second).toISOString(),
          timeRaw: '',
        },
      }
    })
  })
}

/** A message that a node sent. */
interface Told {
  view: IncidentView
  news: News
  redelivered: boolean
  /** The second of the poll. */
  second: number
}

/**
 * The dice of a run: when an event arrives, whether its entry comes twice, whether the list of alarms can be read, and at
 * which step the process is killed.
 */
interface Dice {
  delays: fc.Stream<number>
  twins: fc.Stream<number>
  lists: fc.Stream<number>
  kills: fc.Stream<number>
}

const pollEvery = 30

const texts: IncidentTexts = {
  language: 'en-US',
  text: (part) => `${part} __kind__ __place__ __name__ __zone__ __zones__ __day__ __time__ __back__`,
}

/** Returns what a message says: one with the same is none. */
function toldOf(view: IncidentView): string {
  const moment = { now: zero, timeZone: 'UTC' }
  const timeline = view.timeline.map(({ key, time }) => [key, time])
  return JSON.stringify([titleOf(view, '', texts), summaryOf(view, texts, moment), view.status, timeline])
}

/** Lives through the stories, with kills, and returns all messages. */
async function live(stories: readonly ReturnType<typeof play>[], { delays, twins, lists, kills }: Dice) {
  const told: Told[] = []
  const clock = new FakeClock()
  const arrivals = stories
    .flatMap(({ deeds }) => deeds)
    .map((deed) => ({ deed, at: deed.second + pollEvery * ((delays.next().value ?? 0) % 4) }))
    .sort((one, other) => one.at - other.at)
    .map(({ deed, at }, index) => ({ event: entry(deed, 1 + index), at, deed }))
  let text = ''
  let second = 0
  const open = () => {
    // Few processes live for long.
    const { cursor, delivery } = openKilledDelivery(text, (kills.next().value ?? 0) % 12, clock)
    const feed = new IncidentFeed<number>({
      context: () => ({ catalogue: bundled, timeZone: 'UTC', readAt: zero + 1000 * second }),
      tell: (telling) => void delivery.tell('n', telling),
      send: (due) => {
        if (cursor.isDead) return
        for (const { incident, news, redelivered } of due)
          told.push({ view: structuredClone(incident), news, redelivered, second })
      },
    })
    delivery.subscribe('n', feed.subscriber)
    return { cursor, delivery, feed }
  }
  let process = open()
  const end = Math.max(...arrivals.map(({ at }) => at)) + 3 * pollEvery
  const poll = async () => {
    const list = arrivals.filter(({ at }) => at <= second).map(({ event }) => event)
    const twice = list.filter(() => (twins.next().value ?? 0) % 5 === 0).map((one) => ({ ...one }))
    const shown = [...list, ...twice].slice(-300)
    void process.delivery.accept(shown, 0)
    await settleDelivery(clock)
    if (second < end && (lists.next().value ?? 0) % 4 === 0) return
    process.feed.readAlarms({ alarms: alarmsAt(stories, second), isWhole: true })
    await settleDelivery(clock)
  }
  while (second < end) {
    second += pollEvery
    await poll()
    // A new process reads at once.
    while (process.cursor.isDead) {
      text = process.cursor.text
      process = open()
      await poll()
    }
  }
  for (let last = 0; last < 3; last += 1) {
    process.cursor.isKilledAt = () => false
    second += pollEvery
    await poll()
  }
  return { told, arrivals }
}

/** Adds a test of the promises for incidents, over burglaries, fires and false alarms with kills at every step. */
export function testIncidents(runs: number, storiesPerRun: number): void {
  const streams = {
    delays: fc.infiniteStream(fc.nat()),
    twins: fc.infiniteStream(fc.nat()),
    lists: fc.infiniteStream(fc.nat()),
    kills: fc.infiniteStream(fc.nat()),
  }
  it(`are the same over kills at each step, with late, twin and unordered events and lists of alarms that cannot be read: ${runs} runs of ${storiesPerRun} alarms`, async () => {
    const lives = fc.record({
      stories: fc.array(anyStory, { minLength: storiesPerRun, maxLength: storiesPerRun, size: 'max' }),
      ...streams,
    })
    await fc.assert(
      fc.asyncProperty(lives, async ({ stories, ...dice }) => {
        const played = stories.map(play)
        const { told, arrivals } = await live(played, dice)
        const ids = new Set(told.map(({ view }) => view.id))
        assert.equal(ids.size, stories.length, 'an incident has two ids, or none')
        for (const { deeds, isOver, partition } of played) {
          const own = told.filter(({ view }) => view.partitions[0] === partition)
          const latest = own.at(-1)?.view ?? assert.fail('no message')
          assert.deepEqual(new Set(own.map(({ view }) => view.id)), new Set([latest.id]))
          const keys = latest.timeline.map(({ key }) => key)
          assert.equal(new Set(keys).size, keys.length, 'an event is there twice')
          const missing = deeds
            .filter((deed) => isAlarm(deed) || deed.typeId === 15)
            .filter(
              ({ typeId, second }) =>
                !latest.timeline.some((one) => one.typeId === typeId && one.time === zero + 1000 * second),
            )
          assert.deepEqual(missing, [])
          assert.equal(latest.status === 'closed', isOver, JSON.stringify(latest))
          const first = arrivals.filter(
            ({ deed }) => deed.partition === partition && (isAlarm(deed) || deed.typeId === 15),
          )
          const due = Math.min(...first.map(({ at }) => at)) + pollEvery
          assert.ok((own[0]?.second ?? Infinity) <= due, 'the first message is late')
          const isRunning = ({ view }: Told) => view.status !== 'closed' && view.kind !== 'duress'
          const rings = own.filter(({ news }) => news === 'alarm' || news === 'zone')
          assert.ok(rings.length > 0 || !own.some(isRunning), 'an alarm does not ring')
          const isAfterEnd = (one: Told) => own[own.indexOf(one) - 1]?.view.status === 'closed'
          assert.ok(
            // A kill may have swallowed the message of the end, after which an alarm that was not told rings.
            rings.every((one) => isRunning(one) || isAfterEnd(one) || one.redelivered),
            'it rings for what is over and was told',
          )
          const afterEnd = own.filter((one) => isAfterEnd(one) && !isRunning(one) && !one.redelivered)
          assert.ok(
            afterEnd.every(({ news, view }) => news === 'alarm' || view.threat !== null),
            'a quiet message comes after the end',
          )
          const texts = own.map(({ view, redelivered }) => (redelivered ? '' : toldOf(view)))
          assert.ok(
            texts.every((text, at) => !text || text !== texts[at - 1]),
            'nothing is new',
          )
          const unflagged = own
            .filter(({ redelivered }) => !redelivered)
            .map(({ view }) => JSON.stringify(view))
          assert.equal(new Set(unflagged).size, unflagged.length, 'a message came twice without a flag')
        }
      }),
      { numRuns: runs },
    )
  }).timeout(1_800_000)
}
