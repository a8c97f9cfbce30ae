import fc from 'fast-check'
import { minute, second } from '../../../src/duration.ts'
import type { WantedCommand } from '../commands/wanted-command.ts'
import type { Deed, Person, Step } from '../life.ts'
import { person } from './any-deed.ts'

/** The faults by which a command, or its answer, is lost. */
const losses = fc.constantFrom('command lost', 'request lost', 'answer lost', 'no answer', 'never answered')

/** The places from which commands come that have the right code. */
const from = fc.constantFrom('flow', 'flow', 'dashboard', 'home assistant')

/** A change of the first partition, at its keypad or through the nodes. */
type Change = 'AWAY' | 'HOME' | 'NIGHT' | 'DISARM'

function commanded(from: Extract<Deed, { what: 'command' }>['from'], state: Change): Deed {
  const command: WantedCommand = { action: 'set_state', partition: 1, state }
  return { what: 'command', from, command }
}

/** Returns the deed of somebody at the keypad, which has no night. */
function typed(state: Exclude<Change, 'NIGHT'>, person: Person): Deed {
  if (state === 'DISARM') return { what: 'disarm', partition: 1, person, isThreatened: false }
  return { what: 'arm', partition: 1, state, person, exitDelay: 0 }
}

/** Returns the steps of deeds, each after its pause. */
function inTurn(deeds: readonly (Deed | null)[], pauses: readonly number[]): Step[] {
  return deeds.flatMap((deed, at) => (deed === null ? [] : { after: pauses[at] ?? 0, deed }))
}

/** A disarm that comes while several commands wait, and an arming that it cancels. */
const disarmBehindOthers: fc.Arbitrary<Step[]> = fc
  .record({
    sirens: fc.array(fc.constantFrom('siren_on', 'siren_off'), { minLength: 3, maxLength: 4 }),
    from,
    isSlow: fc.boolean(),
  } as const)
  .map(({ sirens, from, isSlow }) =>
    inTurn(
      [
        isSlow ? { what: 'command fault', fault: 'slow panel', operation: 'set_state', times: 1 } : null,
        ...sirens.map((action): Deed => ({ what: 'command', from: 'flow', command: { action } })),
        commanded(from, 'AWAY'),
        commanded(from, 'DISARM'),
      ],
      [],
    ),
  )

/** A command that is lost, or whose answer is, while somebody does the same or the contrary at the keypad. */
const lostWhileTyping: fc.Arbitrary<Step[]> = fc
  .record({
    before: fc.option(fc.constantFrom('AWAY', 'HOME')),
    fault: losses,
    hasProgress: fc.boolean(),
    from,
    state: fc.constantFrom('AWAY', 'HOME', 'DISARM'),
    atKeypad: fc.constantFrom('AWAY', 'DISARM', 'DISARM'),
    person,
    pauses: fc.tuple(fc.constantFrom(0, 20 * second), fc.constantFrom(500, 2 * second, 4 * second)),
  } as const)
  .map(({ before, fault, hasProgress, from, state, atKeypad, person, pauses }) =>
    inTurn(
      [
        before && typed(before, person),
        { what: 'command fault', fault, operation: 'set_state', times: 1 },
        hasProgress
          ? null
          : { what: 'command fault', fault: 'no processes', operation: 'process_status', times: 10 },
        commanded(from, state),
        typed(atKeypad, person),
      ],
      [0, 0, 0, ...pauses],
    ),
  )

/** Changes of one partition that follow each other, which the service shows late: what shows is what was before. */
const changesShownLate: fc.Arbitrary<Step[]> = fc
  .record({
    isTyped: fc.boolean(),
    seconds: fc.constantFrom(2, 4, 8),
    states: fc.constantFrom<readonly Change[]>(
      ['AWAY', 'DISARM', 'AWAY'],
      ['HOME', 'DISARM', 'HOME'],
      ['NIGHT', 'HOME'],
    ),
    person,
    from,
    pauses: fc.tuple(fc.constant(0), fc.constant(15 * second), fc.constantFrom(0, 500, second, 3 * second)),
  } as const)
  .map(({ isTyped, seconds, states, person, from, pauses }) => [
    {
      after: 0,
      // Nodes know what they have commanded themselves; of what people do, two answers are behind after five seconds.
      deed: {
        what: 'late changes',
        seconds: isTyped ? Math.min(4, seconds) : seconds,
        lasts: minute,
      } as const,
    },
    ...inTurn(
      states.map((state, nth) =>
        isTyped && state !== 'NIGHT' && nth < states.length - 1
          ? typed(state, person)
          : commanded(from, state),
      ),
      pauses,
    ),
  ])

/** A disarm while the state cannot be read, while the account pauses because of that, or out of the installer menu. */
const disarmUnread: fc.Arbitrary<Step[]> = fc
  .record({
    fault: fc.constantFrom('status 500', 'status 503', undefined),
    lasts: fc.constantFrom(minute, 4 * minute),
    state: fc.constantFrom('AWAY', 'HOME'),
    person,
    from,
    pauses: fc.tuple(
      fc.constant(0),
      fc.constantFrom(0, 20 * second),
      fc.constantFrom(second, 25 * second, 50 * second),
    ),
  } as const)
  .map(({ fault, lasts, state, person, from, pauses }) =>
    inTurn(
      [
        fault === undefined ? { what: 'installer menu' } : typed(state, person),
        fault === undefined ? null : { what: 'service fault', fault, operation: 'status', lasts },
        commanded(from, 'DISARM'),
      ],
      pauses,
    ),
  )

/** The failures of an arming past an open window: the answer to its bypass is lost, or the arming after it is not carried out. */
const failures = fc.constantFrom(
  { operation: 'set_bypass_zone', fault: 'answer lost' },
  { operation: 'set_bypass_zone', fault: 'no answer' },
  { operation: 'set_state', fault: 'panel refuses' },
  { operation: 'set_state', fault: 'request lost' },
)

/** An arming past an open window that fails, also while the devices cannot be read; people have bypassed another window. */
const failedPastOpenWindow: fc.Arbitrary<Step[]> = fc
  .record({
    windows: fc.shuffledSubarray([2, 3, 8], { minLength: 2 }),
    failure: failures,
    lasts: fc.constantFrom(undefined, 90 * second, 4 * minute),
    from: fc.constantFrom('flow', 'dashboard'),
    state: fc.constantFrom('AWAY', 'HOME'),
    person,
  } as const)
  .map(({ windows: [open = 2, bypassed = 3], failure, lasts, from, state, person }) => {
    const command = { action: 'set_state', partition: 1, state, openZones: 'bypass' } as const
    return inTurn(
      [
        typed('DISARM', person),
        { what: 'bypass', zone: bypassed, enabled: true },
        { what: 'open', zone: open },
        { what: 'command fault', ...failure, times: 1 },
        { what: 'command', from, command },
        lasts === undefined
          ? null
          : { what: 'service fault', fault: 'status 500', operation: 'devices', lasts },
      ],
      [0, 0, 0, 20 * second, 0, 500],
    )
  })

/** An arbitrary for commands in the moments that are hard for them. */
export const commandScene: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 1, arbitrary: disarmBehindOthers },
  { weight: 1, arbitrary: lostWhileTyping },
  { weight: 1, arbitrary: changesShownLate },
  { weight: 1, arbitrary: disarmUnread },
  { weight: 2, arbitrary: failedPastOpenWindow },
)
