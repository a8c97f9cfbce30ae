import assert from 'node:assert/strict'
import fc from 'fast-check'
import { minute } from '../../src/duration.ts'
import {
  type ConditionKind,
  conditionKinds,
  type PanelCondition,
} from '../../src/panel/conditions/condition.ts'
import type { ConditionChoice } from '../../src/panel/conditions/condition-choice.ts'
import { ConditionFeed } from '../../src/panel/conditions/condition-feed.ts'
import { bundled } from '../../src/service/catalogue/en-us.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import { device, event, panelDevices } from '../fixtures/samples.ts'
import { openKilledDelivery, settleDelivery } from '../kills/killed-delivery.ts'

/** The faults, each with the warning that shows it and the types of its start and its end. */
const faults = {
  open: { warning: 'OPENED', start: null, end: null },
  tamper: { warning: 'TAMPER', start: 8, end: 26 },
  battery: { warning: 'LOW_BATTERY', start: 45, end: 46 },
  lost: { warning: 'INACTIVE', start: 43, end: 44 },
  // No list shows it: the events decide.
  trouble: { warning: null, start: 47, end: 48 },
} as const

/** Something that is wrong for a while; seconds. */
interface Fault {
  kind: keyof typeof faults
  zone: number
  from: number
  to: number
}

const pollEvery = 30
const zero = Date.parse('2026-01-01T00:00:00Z')

/** Faults of one place, one after another; the pauses are longer than an event can be late. */
const spells = fc.array(
  fc.record({ pause: fc.integer({ min: 240, max: 900 }), length: fc.integer({ min: 10, max: 2500 }) }),
  { minLength: 1, maxLength: 4 },
)

const anyFaults: fc.Arbitrary<Fault[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...(Object.keys(faults) as Fault['kind'][])),
      zone: fc.integer({ min: 1, max: 3 }),
      spells,
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((places) => {
    const unique = new Map(places.map((place) => [placeOf(place), place]))
    return [...unique.values()].flatMap(({ kind, zone, spells: some }) => {
      let at = 0
      return some.map(({ pause, length }): Fault => {
        const from = at + pause
        at = from + length
        return { kind, zone, from, to: at }
      })
    })
  })

function placeOf({ kind, zone }: Pick<Fault, 'kind' | 'zone'>): string {
  return kind === 'trouble' ? kind : `${kind} ${zone}`
}

const choice: ConditionChoice = {
  kinds: new Set<ConditionKind>(conditionKinds),
  after: { open: 3 * minute },
  remindAfter: 2 * minute,
  inspectionDays: 365,
  backupDays: 365,
}

/** A message that a node sent; seconds. */
interface Told {
  list: readonly PanelCondition[]
  isReminder: boolean
  redelivered: boolean
  second: number
}

/** The dice of a run: how late an event is, whether its end is lost, and at which step the process is killed. */
interface Dice {
  delays: fc.Stream<number>
  losses: fc.Stream<number>
  kills: fc.Stream<number>
}

/** Returns the events of the faults, with the seconds at which they are listed. */
function arrivalsOf(all: readonly Fault[], { delays, losses }: Dice) {
  const lateBy = () => pollEvery * ((delays.next().value ?? 0) % 4)
  return all
    .flatMap(({ kind, zone, from, to }) => {
      const { start, end, warning } = faults[kind]
      // The list of devices also shows what ends without a restore.
      const isLost = warning !== null && (losses.next().value ?? 0) % 3 === 0
      const entry = (typeId: number | null, second: number, isLeftOut = false) =>
        typeId === null || isLeftOut ? [] : [{ typeId, second, kind, zone, at: second + lateBy() }]
      return [...entry(start, from), ...entry(end, to, isLost)]
    })
    .sort((one, other) => one.at - other.at)
    .map(({ typeId, second, kind, zone, at }, index) => ({
      at,
      second,
      typeId,
      event: event({
        event: 1 + index,
        type_id: typeId,
        datetime: new Date(zero + 1000 * second).toISOString().slice(0, 19).replace('T', ' '),
        zone: kind === 'trouble' ? 0 : zone,
        device_type: kind === 'trouble' ? 'CONTROL_PANEL' : 'ZONE',
        partitions: [1],
      }),
    }))
}

/** Lives through the faults, with kills; calls `check` after each poll that a process has survived. */
async function live(
  all: readonly Fault[],
  dice: Dice,
  check: (poll: { second: number; list: readonly PanelCondition[]; told: readonly Told[] }) => void,
): Promise<void> {
  const arrivals = arrivalsOf(all, dice)
  const told: Told[] = []
  const clock = new FakeClock()
  let text = ''
  let second = 0
  const open = () => {
    const { cursor, delivery } = openKilledDelivery(text, (dice.kills.next().value ?? 0) % 25, clock)
    const feed = new ConditionFeed<number>(
      {
        context: () => ({ catalogue: bundled, timeZone: 'UTC', readAt: zero + 1000 * second }),
        tell: (telling) => void delivery.tell('n', telling),
        send: ({ conditions: list, isReminder, redelivered }) => {
          if (!cursor.isDead) told.push({ list: structuredClone(list), isReminder, redelivered, second })
        },
      },
      choice,
    )
    delivery.subscribe('n', feed.subscriber)
    return { cursor, delivery, feed }
  }
  let process = open()
  const poll = async () => {
    const { delivery, feed } = process
    const list = arrivals.filter(({ at }) => at <= second).map((one) => one.event)
    const warnings = (zone: number) =>
      all
        .filter((one) => one.zone === zone && one.from <= second && second < one.to)
        .flatMap(({ kind }) => faults[kind].warning ?? [])
        .map((type) => ({ type, severity: 'TROUBLE', in_memory: false }))
    const listed = [1, 2, 3].map((zone) =>
      device({ id: zone, device_number: zone, name: `Zone ${zone}`, warnings: warnings(zone) }),
    )
    feed.readDevices(panelDevices(listed), zero + 1000 * second)
    void delivery.accept(list, 0)
    await settleDelivery(clock)
    feed.catchUp()
    feed.readState({ online: true, partitions: [] })
    await settleDelivery(clock)
  }
  const end = Math.max(...all.map(({ to }) => to)) + 6 * pollEvery
  while (second < end) {
    second += pollEvery
    await poll()
    while (process.cursor.isDead) {
      text = process.cursor.text
      process = open()
      await poll()
    }
    check({ second, list: process.feed.conditions, told })
  }
}

/** Returns the places of the faults that a poll must list, by what the lists show and which events have come. */
function shownAt(all: readonly Fault[], arrivals: ReturnType<typeof arrivalsOf>, second: number): string[] {
  const ofLists = all.filter(({ kind, from, to }) => kind !== 'trouble' && from <= second && second < to)
  const come = arrivals.filter(({ typeId, at }) => (typeId === 47 || typeId === 48) && at <= second)
  const open = come.filter(
    ({ typeId, second: from }) =>
      typeId === 47 && !come.some((one) => one.typeId === 48 && one.second > from),
  )
  return [...ofLists.map(placeOf), ...(open.length > 0 ? ['trouble'] : [])]
}

const placeOfCondition = ({ kind, zone }: PanelCondition) => (kind === 'trouble' ? kind : `${kind} ${zone}`)
const idsOf = (list: readonly PanelCondition[]) => list.map(({ id, since }) => `${id} ${since}`).join()

/** Adds a test of the promises for the list of conditions, over faults that come and go and kills at every step. */
export function testConditions(runs: number): void {
  const streams = {
    delays: fc.infiniteStream(fc.nat()),
    losses: fc.infiniteStream(fc.nat()),
    kills: fc.infiniteStream(fc.nat()),
  }
  it(`are in the list exactly while they are there, from one begin, told once and reminded by plan: ${runs} histories with kills`, async () => {
    await fc.assert(
      fc.asyncProperty(anyFaults, fc.record(streams), async (all, dice) => {
        const fixed = { ...dice, delays: repeatable(dice.delays), losses: repeatable(dice.losses) }
        const arrivals = arrivalsOf(all, {
          ...fixed,
          delays: fixed.delays.again(),
          losses: fixed.losses.again(),
        })
        const run = { ...dice, delays: fixed.delays.again(), losses: fixed.losses.again() }
        /** By place: the begin of what is there, and the poll that first showed it. */
        const begins = new Map<string, { seen: number; since: number | undefined }>()
        const plans = new Map<string, { at: number; reminders: number }>()
        let checked = 0
        await live(all, run, ({ second, list, told }) => {
          const now = zero + 1000 * second
          const shown = new Set(shownAt(all, arrivals, second))
          for (const place of begins.keys()) if (!shown.has(place)) begins.delete(place)
          for (const place of shown)
            if (!begins.has(place)) begins.set(place, { seen: now, since: undefined })
          const lasting = [...shown].filter(
            (place) => !place.startsWith('open') || now - (begins.get(place)?.seen ?? now) >= 3 * minute,
          )
          assert.deepEqual(list.map(placeOfCondition).toSorted(), lasting.toSorted(), `at ${second}`)
          assert.equal(idsOf(told.at(-1)?.list ?? []), idsOf(list), `not told by ${second}`)
          for (const condition of list) {
            const begin = begins.get(placeOfCondition(condition)) ?? assert.fail()
            begin.since ??= condition.since
            assert.equal(condition.since, begin.since, 'a begin has moved')
            assert.ok(condition.since <= begin.seen, 'it began after it was seen')
          }
          for (const [at, message] of told.entries()) {
            if (at < checked) continue
            checked = at + 1
            const before = idsOf(told[at - 1]?.list ?? [])
            const isSame = idsOf(message.list) === before
            const time = zero + 1000 * message.second
            if (!message.redelivered) assert.equal(isSame, message.isReminder, 'a list came twice')
            const isDue = (id: string) => {
              const telling = plans.get(id)
              return telling !== undefined && telling.at + choice.remindAfter * 2 ** telling.reminders <= time
            }
            const ids = message.list.map(({ id, since }) => `${id} ${since}`)
            if (message.isReminder && !message.redelivered) assert.ok(ids.some(isDue), 'reminded too early')
            for (const id of ids) {
              const reminders = (plans.get(id)?.reminders ?? -1) + 1
              if (!plans.has(id) || isDue(id)) plans.set(id, { at: time, reminders })
            }
          }
        })
      }),
      { numRuns: runs },
    )
  }).timeout(1_800_000)
}

/** Returns a stream that can be read again from its begin. */
function repeatable(stream: fc.Stream<number>) {
  const values: number[] = []
  function* read() {
    for (let at = 0; ; at += 1) {
      if (at === values.length) values.push(stream.next().value ?? 0)
      yield values[at] ?? 0
    }
  }
  return { again: () => new fc.Stream(read()) }
}
