import assert from 'node:assert/strict'
import { neverAborted } from '../../../harness/account.ts'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import type { PanelParts } from '../../../src/cluster/redis/scripts.ts'
import { panelKey, sealJson } from '../../../src/cluster/redis/seal.ts'
import { SharedCommandQueue } from '../../../src/cluster/stores/command-queue.ts'
import { second } from '../../../src/duration.ts'

describe('A command that another instance carries out', () => {
  it('has the outcome there, also after ten seconds, and though the server was away for less', async () => {
    const [clock, panel, serial] = [new FakeClock(), 'digest', 'A1B2C3']
    const packed = { error: { code: 'COMMAND_FAILED', message: 'The zone is open.', zones: ['Kitchen'] } }
    const outcome = sealJson(panelKey(serial, panel, 'commands'), `outcome ${panel} 7`, packed)
    const begun = clock.monotonic()
    const follow = async () => {
      const since = clock.monotonic() - begun
      if (since < 5 * second) throw new Error('away')
      return since < 25 * second ? [Buffer.from('waiting')] : [Buffer.from('ended'), outcome]
    }
    let calls = 0
    const scripts = {
      runBinary: () => {
        calls += 1
        return calls === 1 ? [Buffer.from('joined'), Buffer.from('7'), []] : follow()
      },
    }
    const membership = { session: 1, isValid: true }
    const queue = new SharedCommandQueue({
      clock,
      panel,
      serial,
      scripts,
      membership,
    } as unknown as PanelParts)
    const incoming = { command: { action: 'siren_on' }, node: 'n', signal: neverAborted() } as const
    const told = queue.run(incoming, () => assert.fail()).catch((error) => `${error.message}`)
    for (let step = 0; step < 300; step += 1) {
      await new Promise(setImmediate)
      clock.advance(second / 10)
    }
    assert.equal(await told, 'The zone is open.')
  })
})
