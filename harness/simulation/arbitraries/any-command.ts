import fc from 'fast-check'
import { minute, second } from '../../../src/duration.ts'
import { commandFaults, commandOperations } from '../commands/command-faults.ts'
import type { WantedCommand } from '../commands/wanted-command.ts'
import type { Deed, Step } from '../life.ts'
import { person, zone } from './any-deed.ts'
import { commandScene } from './command-scenes.ts'

const whole = -1

/** The partitions of a command; a disarm of the whole panel meets all that waits. */
const partition = fc.constantFrom(1, 1, 1, 2, whole)

const arming = fc.record({
  action: fc.constant('set_state'),
  partition,
  state: fc.constantFrom('AWAY', 'AWAY', 'HOME', 'NIGHT'),
  openZones: fc.constantFrom('refuse', 'bypass'),
} as const)

const disarm = fc.record({
  action: fc.constant('set_state'),
  partition,
  state: fc.constant('DISARM'),
} as const)

const otherCommand: fc.Arbitrary<WantedCommand> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ action: fc.constant('bypass'), zone, enabled: fc.boolean() } as const),
  },
  { weight: 1, arbitrary: fc.record({ action: fc.constantFrom('siren_on', 'siren_off') } as const) },
)

const command: fc.Arbitrary<WantedCommand> = fc.oneof(
  { weight: 3, arbitrary: arming },
  { weight: 3, arbitrary: disarm },
  { weight: 2, arbitrary: otherCommand },
)

const anywhere = fc.constantFrom('flow', 'flow', 'dashboard', 'home assistant', 'home assistant')

/** An arbitrary for a command that comes from somewhere; a wrong code is typed only where one is asked for. */
const given: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ what: fc.constant('command'), from: anywhere, command } as const),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('command'),
      from: fc.constant('stranger'),
      command: fc.oneof(arming, disarm),
    } as const),
  },
)

/** Returns an arbitrary for faults that meet the next requests of an operation. */
function faultOf(...operations: (typeof commandOperations)[number][]): fc.Arbitrary<Deed> {
  return fc.record({
    what: fc.constant('command fault'),
    fault: fc.constantFrom(...commandFaults),
    operation: fc.constantFrom(...operations),
    times: fc.constantFrom(1, 1, 2, 10),
  } as const)
}

const fault = faultOf('set_state', ...commandOperations)

/** The contacts that can be open when somebody arms, and no way in or out. */
const window = fc.constantFrom(2, 3, 8)

/** The smoke detector of the house: a fire in a house that is disarmed. */
const smoke = 6

/** The deeds beside commands: what they meet at the panel, and what happens to their answers. */
const beside: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fault },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('open', 'close'), zone: window } as const) },
  { weight: 1, arbitrary: fc.constant({ what: 'open', zone: smoke } as const) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('bypass'), zone: window, enabled: fc.boolean() } as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('arm'),
      partition: fc.constantFrom(1, 2),
      state: fc.constantFrom('AWAY', 'HOME'),
      person,
      exitDelay: fc.constantFrom(0, 30),
    } as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('disarm'),
      partition: fc.constantFrom(1, 2),
      person,
      isThreatened: fc.constant(false),
    } as const),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('panel offline'), lasts: fc.constant(minute) } as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('late changes'),
      seconds: fc.constantFrom(2, 4, 8),
      lasts: fc.constantFrom(20 * second, minute),
    } as const),
  },
)

/** Milliseconds between two commands: at once, while the first one runs, or after its end. */
const pause = fc.constantFrom(0, 0, 500, second, 2 * second, 3 * second, 5 * second, 12 * second, 40 * second)

/** Several commands, with all that can happen beside them. */
const severalCommands: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    after: pause,
    deed: fc.oneof({ weight: 3, arbitrary: given }, { weight: 1, arbitrary: beside }),
  }),
  { minLength: 2, maxLength: 8 },
)

/** A command whose way to the panel, or whose answer, meets something. */
const disturbedCommand: fc.Arbitrary<Step[]> = fc
  .record({ pauses: fc.tuple(pause, pause, pause), before: beside, fault, given })
  .map(({ pauses, before, fault, given }) =>
    [before, fault, given].map((deed, at) => ({ after: pauses[at] ?? 0, deed })),
  )

/** An arming past open zones of which people have bypassed one, and what becomes of it. */
const armingPastOpenZones: fc.Arbitrary<Step[]> = fc
  .record({
    pauses: fc.array(pause, { minLength: 4, maxLength: 4 }),
    byHand: window,
    open: window,
    faults: fc.array(faultOf('set_bypass_zone', 'set_state'), { minLength: 1, maxLength: 2 }),
    from: fc.constantFrom('flow', 'dashboard'),
    state: fc.constantFrom('AWAY', 'HOME'),
    end: fc.option(beside),
    disarm: fc.option(disarm),
  } as const)
  .map(({ pauses, byHand, open, faults, from, state, end, disarm }) => {
    const arming = { action: 'set_state', partition: 1, state, openZones: 'bypass' } as const
    const begin: Deed[] = [
      { what: 'bypass', zone: byHand, enabled: true },
      { what: 'open', zone: open },
      ...faults,
      { what: 'command', from, command: arming },
    ]
    const later: (Deed | null)[] = [end, disarm && { what: 'command', from: 'flow', command: disarm }]
    return [
      ...begin.map((deed) => ({ after: 0, deed })),
      ...later.flatMap((deed, at) => (deed === null ? [] : { after: pauses[at] ?? 0, deed })),
    ]
  })

/** An arbitrary for what people and programs command, with all that happens to it. */
export const commanding: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 3, arbitrary: severalCommands },
  { weight: 2, arbitrary: disturbedCommand },
  { weight: 2, arbitrary: armingPastOpenZones },
  { weight: 4, arbitrary: commandScene },
)
