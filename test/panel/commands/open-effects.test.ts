import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { setState } from '../../../harness/panel/commanded-panel.ts'
import { minute } from '../../../src/duration.ts'
import type { Command } from '../../../src/panel/commands/command.ts'
import {
  type CommandOutcome,
  mayBring,
  mayUndo,
  OpenEffects,
  statesBrought,
} from '../../../src/panel/commands/open-effects.ts'

const away = setState('AWAY')
const disarm = setState('DISARM')
const whole = (state: string) => setState(state, -1)
const [sirenOn, sirenOff]: Command[] = [{ action: 'siren_on' }, { action: 'siren_off' }]
const bypass = (zone: number, enabled = true): Command => ({ action: 'bypass', zone, enabled })

describe('The open effects of commands', () => {
  const clock = new FakeClock()

  /** Returns the effects after commands that ended with these outcomes; without one, a command is in progress. */
  function effectsOf(...history: [Command | undefined, (CommandOutcome | undefined)?][]) {
    const effects = new OpenEffects(clock)
    for (const [command, outcome] of history) {
      assert.ok(command)
      const turn = {}
      effects.noteSent(turn, command)
      if (outcome !== undefined) effects.noteOutcome(turn, outcome, { command, before: undefined })
    }
    return effects
  }
  const open = (effects: OpenEffects) => effects.openFor({})
  const left = (effects: OpenEffects) => open(effects).map(({ command }) => command)

  it('are those of commands in progress, and of those that have ended, whatever is known of their result', () => {
    for (const outcome of [undefined, 'unknown', 'done'] as const)
      assert.deepEqual(left(effectsOf([away, outcome])), [away])
    assert.deepEqual(left(effectsOf([away, 'failed'])), [])
  })

  it('end when a later command for the same is done, and not when nobody knows how that ended', () => {
    assert.deepEqual(left(effectsOf([away, 'done'], [disarm, 'done'])), [disarm])
    assert.deepEqual(left(effectsOf([away, 'done'], [whole('DISARM'), 'done'])), [whole('DISARM')])
    assert.deepEqual(left(effectsOf([away, 'done'], [disarm, 'unknown'])), [away, disarm])
    assert.deepEqual(left(effectsOf([away, 'unknown'], [setState('DISARM', 2), 'done'])).length, 2)
    assert.deepEqual(left(effectsOf([bypass(2), 'done'], [bypass(2, false), 'done'])), [bypass(2, false)])
    assert.deepEqual(left(effectsOf([bypass(2), 'done'], [bypass(3), 'done'])).length, 2)
    assert.deepEqual(left(effectsOf([sirenOn, 'done'], [sirenOff, 'done'])), [sirenOff])
    assert.deepEqual(left(effectsOf([sirenOn, 'done'], [disarm, 'done'])), [disarm])
    assert.deepEqual(left(effectsOf([sirenOn, 'done'], [away, 'done'])).length, 2)
  })

  it('end a minute after the end of the command, except those in progress and that of a siren', () => {
    const effects = effectsOf([away, 'done'], [bypass(2), 'unknown'], [sirenOn, 'done'], [disarm])
    clock.advance(minute - 1)
    assert.equal(left(effects).length, 4)
    clock.advance(1)
    assert.deepEqual(left(effects), [sirenOn, disarm])
  })

  it('are those of other turns only', () => {
    const effects = new OpenEffects(clock)
    const [one, other] = [{}, {}]
    effects.noteSent(one, away)
    effects.noteSent(other, away)
    assert.deepEqual([effects.openFor(one).length, effects.openFor({}).length], [1, 2])
  })

  it('end when an answer shows them', () => {
    const effects = effectsOf([away, 'done'], [bypass(2), 'done'])
    effects.noteShown(open(effects).slice(0, 1))
    assert.deepEqual(left(effects), [bypass(2)])
  })

  it('may bring what another command requests, or undo it', () => {
    const night = setState('HOME', 1, ['NOENTRY'])
    const rows: [earlier: Command | undefined, later: Command | undefined, what: string][] = [
      [away, away, 'brings'],
      [away, whole('AWAY'), 'brings'],
      [whole('AWAY'), away, 'brings'],
      [away, setState('AWAY', 2), ''],
      [away, disarm, 'undoes'],
      [away, whole('DISARM'), 'undoes'],
      [whole('AWAY'), disarm, 'undoes'],
      [away, setState('DISARM', 2), ''],
      [night, setState('HOME'), 'brings'],
      [setState('HOME'), night, 'undoes'],
      [bypass(2), bypass(2), 'brings'],
      [bypass(2), bypass(2, false), 'undoes'],
      [bypass(2), bypass(3), ''],
      [bypass(2), away, ''],
      [disarm, bypass(2), 'undoes'],
      [disarm, bypass(2, false), ''],
      [away, bypass(2), ''],
      [sirenOn, sirenOn, 'brings'],
      [sirenOn, sirenOff, 'undoes'],
      [sirenOn, disarm, 'undoes'],
      [sirenOn, away, ''],
      [sirenOff, disarm, ''],
    ]
    for (const [earlier, later, what] of rows) {
      assert.ok(earlier && later)
      const found = [mayBring(earlier, later) && 'brings', mayUndo(earlier, later) && 'undoes']
      assert.equal(found.filter(Boolean).join(), what, JSON.stringify([earlier, later]))
    }
  })

  it('tell in which states a partition may be', () => {
    const effects = effectsOf([whole('AWAY'), 'done'], [setState('HOME', 2), 'unknown'], [bypass(2), 'done'])
    assert.deepEqual(
      [1, 2].map((partition) => statesBrought(open(effects), partition)),
      [['AWAY'], ['AWAY', 'HOME']],
    )
  })
})
