import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestLog } from '../../../nodes/config/open-account.ts'

describe('The request log', () => {
  const harness = useFlowHarness()
  const nodes = { state: { type: 'keyholder-state' } }

  interface Line {
    level: number
    type?: string
    msg: unknown
  }

  const levels = { debug: 50, trace: 60 }

  /** Runs a flow until it has polled once, and returns the lines of the account node by their level. */
  const run = async (logging: object) => {
    const simulator = await harness.startSimulator()
    const flow = await harness.startParts([createPart(simulator, { nodes })], { settings: { logging } })
    await flow.output('state').next()
    const own = (flow.logged as Line[]).filter(({ type }) => type === 'keyholder-account')
    return (level: keyof typeof levels) =>
      own.filter((line) => line.level === levels[level]).map(({ msg }) => String(msg))
  }

  it('belongs to the account node, and is turned on in settings.js', async () => {
    const lines = await run({ console: { level: 'trace' } })
    assert.match(
      lines('debug').join('\n'),
      /^GET "status": answer 200 in \d+ ms \(poll, \d+ of \d+ requests left/m,
    )
    assert.match(lines('trace').join('\n'), /^"status": sending after \d+ ms in the queue$/m)
  })

  it('is off by default', async () => {
    const lines = await run({ console: { level: 'info' } })
    assert.deepEqual([lines('debug'), lines('trace')], [[], []])
  })

  for (const [logging, functions] of [
    [undefined, []],
    [{ console: { level: 'info' } }, []],
    [{ console: { level: 'debug' } }, ['debug']],
    [{ console: { level: 'info' }, file: { level: 'trace' } }, ['debug', 'trace']],
  ] as const) {
    it(`has the functions [${functions}] with the logs ${JSON.stringify(logging)} in settings.js`, () => {
      const RED = { settings: { logging } } as unknown as NodeAPI
      assert.deepEqual(Object.keys(requestLog(RED, { debug: () => {}, trace: () => {} })), functions)
    })
  }
})
