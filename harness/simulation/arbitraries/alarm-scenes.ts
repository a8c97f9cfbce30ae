import fc from 'fast-check'
import { hour, minute, second } from '../../../src/duration.ts'
import type { Lack } from '../../disturbances/incomplete-answer.ts'
import type { Deed, Step } from '../life.ts'
import { person } from './any-deed.ts'

/** Contacts and glass of the house, without an entry delay. */
const perimeter = fc.constantFrom(2, 3, 8)

/** The smoke detector, which guards always. */
const smoke = 6

/** Milliseconds between an alarm and what belongs to it: in the same second, within a poll, or some polls. */
const moment = fc.constantFrom(0, second, 10 * second, 20 * second, 40 * second, 70 * second)

/** Milliseconds in which all nodes have read twice what has happened. */
const seen = fc.constantFrom(90 * second, 150 * second, 4 * minute)

const arming: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('arm'),
  partition: fc.constant(1),
  state: fc.constantFrom('AWAY', 'HOME'),
  person,
  exitDelay: fc.constant(0),
} as const)

const disarm: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('disarm'),
  partition: fc.constant(1),
  person,
  isThreatened: fc.constantFrom(false, false, false, true),
} as const)

/** A deed that raises an alarm also in a house that is disarmed. */
const danger: fc.Arbitrary<Deed> = fc.oneof(
  fc.constant({ what: 'open', zone: smoke } as const),
  fc.record({ what: fc.constant('tamper'), zone: fc.constantFrom(2, 8, 10) } as const),
  fc.constant({ what: 'panic button' } as const),
)

/** An entry that a list lacks, or all of them. */
const lack = fc.constantFrom<Lack>(0, 1, 'all')

/** A deed that nodes meet while an alarm lasts. */
const interruption: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    what: fc.constant('incomplete answer'),
    operation: fc.constantFrom('alarms', 'alarms', 'status', 'events'),
    lack,
  } as const),
  fc.record({
    what: fc.constant('thin session'),
    operation: fc.constantFrom('alarms', 'alarms', 'devices'),
    lack,
  } as const),
  fc
    .record({
      what: fc.constant('service fault'),
      fault: fc.constantFrom(
        'copies of a thin answer, with their age',
        'copies of an answer, with their age',
        'one status disarmed',
        'one status disarmed',
      ),
      operation: fc.constantFrom(undefined, 'alarms', 'status'),
      lasts: fc.constantFrom(3 * minute, 6 * minute),
    } as const)
    .map((deed) => (deed.fault === 'one status disarmed' ? { ...deed, operation: 'status' } : deed)),
  fc.record({ what: fc.constant('restart'), lasts: fc.constantFrom(0, 30 * second) } as const),
  fc.record({
    what: fc.constant('kill'),
    steps: fc.nat({ max: 60 }),
    lasts: fc.constantFrom(second, 30 * second),
  } as const),
  fc.record({
    what: fc.constant('tokens expire'),
    tokens: fc.constantFrom('session', 'user'),
    status: fc.constantFrom('440', '401'),
  } as const),
  fc.record({
    what: fc.constant('machine clock'),
    offset: fc.constantFrom(hour, 2 * hour, -hour),
    lasts: fc.constant(Number.POSITIVE_INFINITY),
  } as const),
  fc.record({ what: fc.constant('panel offline'), lasts: fc.constantFrom(minute, 5 * minute) } as const),
  fc.constant({ what: 'ask' } as const),
)

interface Part {
  readonly after: fc.Arbitrary<number>
  readonly deed: fc.Arbitrary<Deed | null>
}

/** Returns the steps of some deeds that follow each other; null is none. */
function inOrder(...parts: Part[]): fc.Arbitrary<Step[]> {
  return fc
    .tuple(...parts.map(({ after, deed }) => fc.record({ after, deed })))
    .map((steps) => steps.flatMap(({ after, deed }) => (deed === null ? [] : { after, deed })))
}

function maybe(deed: fc.Arbitrary<Deed>): fc.Arbitrary<Deed | null> {
  return fc.option(deed, { freq: 2 })
}

const opening: fc.Arbitrary<Deed> = fc.record({ what: fc.constant('open'), zone: perimeter } as const)
const closing: fc.Arbitrary<Deed> = fc.record({ what: fc.constant('close'), zone: perimeter } as const)
const timeOut: fc.Arbitrary<Deed> = fc.constant({ what: 'alarms time out' } as const)
const ending: fc.Arbitrary<Deed> = fc.oneof(disarm, timeOut)
const asking: fc.Arbitrary<Deed> = fc.constant({ what: 'ask' } as const)

const lateEvents: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('late events'),
  seconds: fc.constantFrom(45, 90, 300),
  lasts: fc.constantFrom(4 * minute, 10 * minute),
} as const)

/** Two burglaries, with the end of the first one between them, and all that can come in between. */
const burglaryAgain = inOrder(
  { after: moment, deed: fc.option(lateEvents, { freq: 1 }) },
  { after: moment, deed: arming },
  { after: seen, deed: opening },
  { after: moment, deed: maybe(closing) },
  { after: seen, deed: maybe(interruption) },
  { after: moment, deed: ending },
  { after: moment, deed: maybe(arming) },
  { after: moment, deed: opening },
  { after: moment, deed: maybe(closing) },
  { after: seen, deed: asking },
  { after: seen, deed: maybe(disarm) },
)

/** A danger at the moment of a disarm, which ends nothing that comes after it. */
const dangerAfterDisarm = inOrder(
  { after: moment, deed: arming },
  { after: seen, deed: maybe(opening) },
  { after: moment, deed: disarm },
  { after: fc.constantFrom(0, second, 5 * second, 10 * second, 20 * second), deed: danger },
  { after: seen, deed: maybe(interruption) },
  { after: seen, deed: asking },
)

/** A fire whose smoke is gone again, which events alone tell. */
const fireEnds = inOrder(
  { after: moment, deed: maybe(arming) },
  { after: fc.oneof(moment, seen), deed: fc.constant({ what: 'open', zone: smoke } as const) },
  { after: moment, deed: maybe(interruption) },
  { after: fc.oneof(moment, seen), deed: fc.constant({ what: 'close', zone: smoke } as const) },
  { after: moment, deed: maybe(interruption) },
  { after: seen, deed: maybe(ending) },
  { after: seen, deed: asking },
)

/** An alarm that lasts while nodes start anew, or while answers lack it. */
const interruptedAlarm = inOrder(
  { after: moment, deed: arming },
  { after: fc.oneof(moment, seen), deed: fc.oneof(opening, opening, danger) },
  { after: moment, deed: maybe(closing) },
  { after: fc.oneof(moment, seen, seen), deed: interruption },
  { after: fc.constantFrom(minute, 90 * second), deed: maybe(interruption) },
  { after: seen, deed: asking },
  { after: moment, deed: maybe(ending) },
)

/** An arming and an alarm while the service does not hear the panel, which then reports them by priority. */
const alarmOfOutage = inOrder(
  {
    after: moment,
    deed: fc.record({
      what: fc.constant('panel offline'),
      lasts: fc.constantFrom(minute, 2 * minute, 5 * minute),
    } as const),
  },
  { after: fc.constantFrom(0, 10 * second), deed: maybe(danger) },
  { after: fc.constantFrom(0, 10 * second), deed: maybe(disarm) },
  { after: fc.constantFrom(0, 10 * second, 40 * second), deed: arming },
  { after: fc.constantFrom(10 * second, 30 * second, 2 * minute), deed: opening },
  { after: fc.constantFrom(0, 10 * second, minute), deed: maybe(closing) },
  { after: fc.constantFrom(second, 6 * minute), deed: maybe(interruption) },
  { after: fc.constantFrom(6 * minute), deed: asking },
)

/** An alarm that is over before its event comes, or before nodes read it. */
const shortAlarm = inOrder(
  { after: moment, deed: arming },
  { after: seen, deed: fc.option(lateEvents, { freq: 3 }) },
  { after: moment, deed: opening },
  { after: moment, deed: maybe(closing) },
  { after: fc.oneof(moment, seen), deed: ending },
  { after: seen, deed: asking },
  { after: seen, deed: asking },
)

/** A detector whose case is opened during an alarm, which no list of alarms shows. */
const tamperInAlarm = inOrder(
  { after: moment, deed: maybe(arming) },
  { after: moment, deed: maybe(opening) },
  {
    after: fc.oneof(moment, seen),
    deed: fc.record({ what: fc.constant('tamper'), zone: fc.constantFrom(2, 8, 10) } as const),
  },
  { after: seen, deed: maybe(interruption) },
  { after: seen, deed: asking },
  { after: seen, deed: maybe(ending) },
)

/** People who come and go while events are late, so that the state shows it first. */
const lateNames = inOrder(
  { after: moment, deed: lateEvents },
  { after: moment, deed: arming },
  { after: fc.oneof(moment, seen), deed: disarm },
  { after: fc.oneof(moment, seen), deed: maybe(arming) },
  { after: fc.oneof(moment, seen), deed: maybe(disarm) },
  { after: moment, deed: maybe(interruption) },
  { after: seen, deed: asking },
)

/** The scenes of alarms by name. */
export const alarmScenes: Readonly<Record<string, fc.Arbitrary<Step[]>>> = {
  burglaryAgain,
  dangerAfterDisarm,
  fireEnds,
  interruptedAlarm,
  alarmOfOutage,
  shortAlarm,
  tamperInAlarm,
  lateNames,
}

/** An arbitrary for alarms, what ends them, and what comes between. */
export const alarmScene: fc.Arbitrary<Step[]> = fc.oneof(...Object.values(alarmScenes))
