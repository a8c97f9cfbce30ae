import assert from 'node:assert/strict'
import { systemClock } from '../../../src/clock.ts'
import type { Scripts } from '../../../src/cluster/redis/scripts.ts'
import { SharedCommandQueue } from '../../../src/cluster/stores/command-queue.ts'
import type { Command } from '../../../src/panel/commands/command.ts'

describe('The command queue of an instance that goes on alone', () => {
  it('sends nothing of that time after it: a disarm of the time after would not know it', async () => {
    let isAlone = true
    const queue = new SharedCommandQueue({
      // Not used while alone.
      scripts: {} as Scripts,
      clock: systemClock,
      panel: 'panel',
      serial: 'A1',
      membership: { session: 1, isValid: true },
      isAlone: () => isAlone,
    })
    const command = { action: 'set_state', partition: -1, state: 'AWAY', options: [] } as unknown as Command
    const { signal } = new AbortController()
    const run = queue.run({ command, node: 'node', signal }, async (turn) => {
      assert.equal(turn.maySend(), true)
      isAlone = false
      assert.equal(turn.maySend(), false)
      await turn.beginSending()
      return assert.fail('it may be sent')
    })
    await assert.rejects(run, { code: 'SHARED_STATE_AWAY' })
  })
})
