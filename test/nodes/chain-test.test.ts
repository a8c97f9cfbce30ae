import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processClock, processTime } from '../../harness/clock/process-fake-clock.ts'
import { messageShape } from '../../harness/fixtures/message-shape.ts'
import { assertShape } from '../../harness/fixtures/shape.ts'
import { type ChainPartOptions, chainPart } from '../../harness/flow/chain-part.ts'
import { withoutNodes } from '../../harness/flow/flow-part.ts'
import { type RunningFlow, userDir } from '../../harness/flow/running-flow.ts'
import { until, useFlowHarness } from '../../harness/flow.ts'
import { day, hour, minute } from '../../src/duration.ts'

/** Polls that are seldom enough for tests in which days pass. */
const slowly = { stateEvery: 7200, eventsEvery: 7200, devicesEvery: 7200 }

const begin = (flow: RunningFlow) => flow.input('chain', { payload: 'test' })
const answer = (flow: RunningFlow, text: unknown, more: object = {}) =>
  flow.input('chain', { payload: { answer: text }, ...more })
const texts = (flow: RunningFlow) =>
  flow
    .output('conditions')
    .all.at(-1)
    ?.payload.map(({ text }: { text: string }) => text)
const shows = (flow: RunningFlow, text: string) =>
  flow.status('chain').next((status) => status.text.startsWith(text))

describe('The node keyholder-chain-test', () => {
  const harness = useFlowHarness()

  const start = async (options: ChainPartOptions = {}) => {
    const simulator = await harness.startSimulator()
    const part = chainPart(simulator, options)
    const flow = await harness.startParts([part])
    await shows(flow, 'not tested yet')
    return { simulator, part, flow, out: flow.output('chain') }
  }

  it('sends a marked message that asks for an answer, takes it once, and passes on what came with it', async () => {
    const { flow, out } = await start()
    assert.deepEqual(
      flow.status('chain').all.at(-1)?.fill,
      'yellow',
      'nothing proves yet that an alarm arrives',
    )
    begin(flow)
    const sent = await out.next()
    const strings = {
      id: 'string',
      kind: 'string',
      news: 'string',
      title: 'string',
      summary: 'string',
    } as const
    assertShape(sent, {
      ...messageShape,
      chainTest: 'boolean',
      payload: { ...strings, answer: 'string', attempt: 'number', startedAt: 'string' },
    })
    const { kind, news, title, summary, attempt, id, startedAt } = sent.payload
    assert.match(summary, /Please answer within 1 minute: /)
    assert.deepEqual([sent.topic, sent.chainTest, attempt], ['Home/chain-test', true, 1])
    assert.deepEqual([kind, news, title], ['test', 'alarm', 'Test of the alarm chain: Home'])
    assert.equal(Buffer.from(sent.payload.answer, 'base64url').length, 16)
    await shows(flow, 'waits for an answer')
    answer(flow, sent.payload.answer, { kept: 1 })
    const { payload, kept, chainTest } = await out.next()
    assert.deepEqual([kept, chainTest], [1, true])
    const { answeredAt, ...rest } = payload
    assert.deepEqual(rest, { id, startedAt, attempt: 1 })
    assert.ok(Date.parse(answeredAt) >= Date.parse(startedAt))
    await shows(flow, 'answered')
    answer(flow, sent.payload.answer)
    assert.equal((await flow.caught.next()).error.code, 'NOT_FOUND')
    await processTime.pass(10 * minute)
    assert.equal(out.all.length, 2)
  })

  it('refuses a wrong answer, one that a preview may have sent, all else, and a test while one waits', async () => {
    const { flow, out } = await start()
    answer(flow, 'early')
    begin(flow)
    const { payload } = await out.next()
    answer(flow, 'wrong')
    answer(flow, payload.answer, { req: { method: 'GET' } })
    begin(flow)
    flow.input('chain', { payload: { answer: 1 } })
    await until(() => flow.errors.length === 5)
    assert.deepEqual(flow.errors.map((error) => (error as { code: string }).code).sort(), [
      'BAD_SETTING',
      'BAD_SETTING',
      'INVALID_TRANSITION',
      'NOT_FOUND',
      'NOT_FOUND',
    ])
    assert.ok(!JSON.stringify(flow.errors.map(String)).includes(payload.answer))
    await processTime.pass(2 * minute)
    assert.equal(out.all.at(-1)?.payload.attempt, 2)
  })

  it('tries the second way, then lists the test in the conditions until a later one is answered', async () => {
    const { flow, out, part } = await start()
    begin(flow)
    const first = await out.next()
    await processTime.pass(2 * minute)
    const second = await out.next()
    assert.deepEqual([first.payload.attempt, second.payload.attempt], [1, 2])
    assert.notEqual(first.payload.answer, second.payload.answer)
    await processTime.pass(minute)
    await until(() => texts(flow)?.length === 1)
    assert.match(texts(flow)[0], /^The alarm chain test of .+ was not answered\.$/)
    await shows(flow, 'not answered')
    await harness.stopFlow()
    const again = await harness.startParts([part])
    await shows(again, 'not answered')
    await processTime.pass(hour)
    begin(again)
    const { payload } = await again.output('chain').next()
    await processTime.pass(minute)
    assert.deepEqual(again.output('conditions').all, [])
    answer(again, payload.answer)
    assert.deepEqual((await again.output('conditions').next()).payload, [])
  })

  it('goes to the second way, and gives up, at the end of the minutes that each way has', async () => {
    const { flow, out } = await start()
    await processTime.pass(minute / 2)
    begin(flow)
    await out.next()
    await processTime.pass(minute)
    assert.equal((await out.next()).payload.attempt, 2)
    await processTime.pass(minute)
    await shows(flow, 'not answered')
  })

  it('is red in conditions if nobody has answered, which is first of the list, unless an alarm runs', async () => {
    const { simulator, flow } = await start()
    const home = simulator.world.panel('A1B2C3')
    home.open(2)
    const below = flow.status('conditions')
    await below.next(({ text }) => text.startsWith('1 to check'))
    begin(flow)
    await processTime.pass(3 * minute)
    const unreached = await below.next(({ fill }) => fill === 'red')
    assert.equal(unreached.text, 'no alarm reaches you')
    const { payload } = await flow.output('conditions').next((message) => message.payload.length === 2)
    assert.deepEqual(
      payload.map(({ kind }: { kind: string }) => kind),
      ['chain', 'open'],
    )
    home.tamper(3)
    await below.next(({ text }) => text.startsWith('ALARM'))
  })

  it('says that only the second way was answered, as long as the node is there', async () => {
    const { flow, out, part } = await start()
    begin(flow)
    await processTime.pass(minute)
    const second = await out.next(({ payload }) => payload.attempt === 2)
    answer(flow, second.payload.answer)
    await until(() => texts(flow)?.length === 1)
    assert.match(texts(flow)[0], / was answered only by the second way\.$/)
    await shows(flow, 'only the second way')
    await flow.deploy(withoutNodes(part, 'chain'))
    await until(() => texts(flow)?.length === 0)
  })

  it('goes on with the time that is left after a restart, and takes the answer that it asked for before', async () => {
    const { flow, out, part } = await start()
    begin(flow)
    const first = await out.next()
    await processTime.pass(minute / 2)
    await harness.stopFlow()
    const begun = processClock.monotonic()
    const again = await harness.startParts([part])
    const second = await again.output('chain').next()
    assert.equal(second.payload.attempt, 2)
    assert.equal(second.payload.id, first.payload.id)
    const waited = processClock.monotonic() - begun
    assert.ok(waited <= 1.1 * minute, `${waited}`)
    answer(again, first.payload.answer)
    assert.equal((await again.output('chain').next()).payload.attempt, 1)
  })

  it('sends after a restart the message that was kept and not sent, and gives its answer the whole time', async () => {
    const { flow, out, part } = await start()
    begin(flow)
    const { payload } = await out.next()
    await processTime.pass(minute / 2)
    await harness.stopFlow()
    const path = join(userDir, 'keyholder', `chain-test-${part.panel}~${part.ids.get('chain')}.json`)
    const kept = JSON.parse(readFileSync(path, 'utf8'))
    assert.equal(kept.test.isSent, true)
    writeFileSync(path, JSON.stringify({ ...kept, test: { ...kept.test, isSent: false } }))
    const again = await harness.startParts([part])
    const second = await again.output('chain').next()
    assert.deepEqual([second.payload.answer, second.payload.attempt], [payload.answer, 1])
    await processTime.pass(0.9 * minute)
    answer(again, payload.answer)
    assert.equal((await again.output('chain').next()).payload.attempt, 1)
  })

  it('neither tests nor overwrites what is kept while its file cannot be read', async () => {
    const { flow, out, part } = await start()
    begin(flow)
    const { payload } = await out.next()
    await harness.stopFlow()
    const path = join(userDir, 'keyholder', `chain-test-${part.panel}~${part.ids.get('chain')}.json`)
    renameSync(path, `${path}.away`)
    mkdirSync(path)
    const again = await harness.startParts([part])
    await shows(again, 'bad setting')
    await processTime.pass(3 * minute)
    answer(again, payload.answer)
    await until(() => again.errors.length === 2)
    for (const error of again.errors) assert.match(String(error), /cannot be read \(EISDIR\)/)
    rmdirSync(path)
    renameSync(`${path}.away`, path)
    answer(again, payload.answer)
    const { attempt, id } = (await again.output('chain').next()).payload
    assert.deepEqual([attempt, id], [1, payload.id])
  })

  it('begins a test by itself at its hour, and knows nothing after its file was damaged', async () => {
    // The tests before may have ended at any hour.
    while (new Date(processClock.wall()).getHours() !== 10) await processTime.pass(hour)
    const { flow, part } = await start({ panel: slowly, fields: { testDays: 1 } })
    const next = async (running = flow) => {
      const { all } = running.output('chain')
      const before = all.length
      await processTime.until(
        () => all.length > before,
        () => 'no message',
        3 * day,
      )
      return all[before]?.payload
    }
    const began = Date.parse((await next()).startedAt)
    assert.equal(new Date(began).getHours(), 11)
    assert.equal((await next()).attempt, 2)
    await processTime.pass(hour)
    assert.equal(texts(flow).length, 1)
    const second = await next()
    assert.ok(Math.abs(Date.parse(second.startedAt) - began - day) < hour)
    answer(flow, second.answer)
    await until(() => texts(flow)?.length === 0)
    await harness.stopFlow()
    const folder = join(userDir, 'keyholder')
    const name = readdirSync(folder).find(
      (file) => file === `chain-test-${part.panel}~${part.ids.get('chain')}.json`,
    )
    assert.ok(name)
    assert.equal(JSON.parse(readFileSync(join(folder, name), 'utf8')).format, 1)
    writeFileSync(join(folder, name), '{"format":1')
    const again = await harness.startParts([part])
    await shows(again, 'not tested yet')
    assert.match(String(again.errors[0]), /is damaged/)
    answer(again, second.answer)
    await until(() => again.errors.length === 2)
    assert.equal((await next(again)).attempt, 1)
  })
})
