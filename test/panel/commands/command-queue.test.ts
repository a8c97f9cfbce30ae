import assert from 'node:assert/strict'
import { setState } from '../../../harness/panel/commanded-panel.ts'
import type { Command } from '../../../src/panel/commands/command.ts'
import { type CommandOutcome, OpenEffects } from '../../../src/panel/commands/command-queue.ts'

const away = setState('AWAY')
const disarm = setState('DISARM')
const [sirenOn, sirenOff]: Command[] = [{ action: 'siren_on' }, { action: 'siren_off' }]

describe('The open effects of commands', () => {
  /** Returns the effects after commands that ended with these outcomes; without one, a command is in progress. */
  function effectsOf(...history: [Command | undefined, (CommandOutcome | undefined)?][]) {
    const effects = new OpenEffects()
    for (const [command, outcome] of history) {
      assert.ok(command)
      effects.noteSent(command)
      if (outcome !== undefined) effects.noteOutcome(command, outcome)
    }
    return effects
  }

  it('concern a state command while another one for the same partition is in progress or unknown', () => {
    for (const outcome of [undefined, 'unknown'] as const) {
      assert.equal(effectsOf([away, outcome]).concern(disarm), true)
      assert.equal(effectsOf([disarm, outcome]).concern(away), true)
      assert.equal(effectsOf([away, outcome]).concern(setState('DISARM', 2)), false)
      assert.equal(effectsOf([away, outcome]).concern(setState('DISARM', -1)), true)
      assert.equal(effectsOf([setState('AWAY', -1), outcome]).concern(disarm), true)
    }
    assert.equal(effectsOf([away, 'done']).concern(disarm), false)
    assert.equal(effectsOf([away, 'failed']).concern(disarm), false)
  })

  it('end when the panel has executed a later command for the same partitions', () => {
    assert.equal(effectsOf([away, 'unknown'], [disarm, 'done']).concern(disarm), false)
    assert.equal(effectsOf([away, 'unknown'], [setState('DISARM', -1), 'done']).concern(disarm), false)
    assert.equal(effectsOf([away, 'unknown'], [setState('DISARM', 2), 'done']).concern(disarm), true)
    assert.equal(effectsOf([away, 'unknown'], [disarm, 'failed']).concern(disarm), true)
  })

  it('concern a disarm, and no other state, while a siren that a flow has turned on may sound', () => {
    for (const outcome of [undefined, 'unknown', 'done'] as const) {
      assert.equal(effectsOf([sirenOn, outcome]).concern(disarm), true)
      assert.equal(effectsOf([sirenOn, outcome]).concern(away), false)
    }
    assert.equal(effectsOf([sirenOn, 'failed']).concern(disarm), false)
    assert.equal(effectsOf([sirenOn, 'done'], [sirenOff, 'done']).concern(disarm), false)
    assert.equal(effectsOf([sirenOn, 'done'], [disarm, 'done']).concern(disarm), false)
    assert.equal(effectsOf([sirenOn, 'done'], [away, 'done']).concern(disarm), true)
  })
})
