import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { makeReadOnly } from '../../../harness/disturbances/read-only-disk.ts'
import { createPart, type FlowPart } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { hour } from '../../../src/duration.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const nodes = {
  state: { type: 'keyholder-state', partitions: [1] },
  events: { type: 'keyholder-events' },
}

describe('A start on a read-only disk', () => {
  const harness = useFlowHarness()
  let simulator: Simulator
  let part: FlowPart
  let userDir = ''
  let endReadOnly = () => {}
  beforeEach(async () => {
    userDir = mkdtempSync(join(tmpdir(), 'keyholder-read-only-'))
    simulator = await harness.startSimulator()
    part = createPart(simulator, { nodes })
  })
  afterEach(() => {
    endReadOnly()
    rmSync(userDir, { recursive: true, force: true })
  })

  const start = (started = part) => harness.startParts([started], { settings: { userDir } })
  /** Forgets what the process knows of the account, as its end does: another account is opened hours later. */
  const endProcess = async () => {
    await harness.stopFlow()
    await processTime.pass(2 * hour)
    const flow = await start(createPart(await harness.startSimulator(), { nodes }))
    await flow.output('state').next()
    await harness.stopFlow()
  }

  it('shows the file in the status and is an error for Catch; a minute later, states and events are told', async () => {
    const before = await start()
    await before.status('events').next(({ fill }) => fill === 'green')
    await endProcess()
    endReadOnly = makeReadOnly(userDir)
    const flow = await start()
    const { text } = await flow.status('state').next(({ text }) => text !== 'signing in')
    assert.match(text, /^cannot write file: user-/)
    await flow.output('state').next()
    assert.equal(requestsTo(simulator, 'auth'), 2)
    simulator.world.panel('A1B2C3').log({ type_id: 45 })
    const { payload } = await flow.output('events').next()
    assert.equal(payload.typeId, 45)
    assert.equal(flow.status('events').all.at(-1)?.text, 'cannot write file')
    const { error } = flow.caught.all[0] ?? assert.fail('no error')
    assert.equal(error.code, 'BAD_SETTING')
    assert.match(error.message, /user-\w+\.\w+ cannot be written \(EROFS\)/)
  })

  it('tells the events that happened before it with each start, flagged', async () => {
    simulator.world.panel('A1B2C3').log({ type_id: 44 })
    const before = await start()
    await before.status('events').next(({ fill }) => fill === 'green')
    await endProcess()
    simulator.world.panel('A1B2C3').log({ type_id: 45 })
    endReadOnly = makeReadOnly(userDir)
    const flow = await start()
    const { late, redelivered } = await flow.output('events').next()
    assert.deepEqual([late, redelivered], [true, true])
    simulator.world.panel('A1B2C3').log({ type_id: 46 })
    const { payload, ...live } = await flow.output('events').next()
    assert.deepEqual([payload.typeId, 'redelivered' in live], [46, false])
  })
})
