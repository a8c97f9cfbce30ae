import assert from 'node:assert/strict'
import { processTime } from '../../harness/clock/process-fake-clock.ts'
import { type ChainPartOptions, chainPart } from '../../harness/flow/chain-part.ts'
import type { RunningFlow } from '../../harness/flow/running-flow.ts'
import { until, useFlowHarness } from '../../harness/flow.ts'
import { newPress } from '../../nodes/chain-test/button.ts'
import { hour, minute } from '../../src/duration.ts'

/** Polls that are seldom enough for tests in which hours pass. */
const slowly = { stateEvery: 7200, eventsEvery: 7200, devicesEvery: 7200 }

const begin = (flow: RunningFlow) => flow.input('chain', { payload: 'test' })

/** Gives the node a message that it refuses, and returns the code and the sentence. */
const refusal = async (flow: RunningFlow, message: object) => {
  flow.caught.skip()
  flow.input('chain', message)
  const { error } = await flow.caught.next()
  return [error.code, error.message.replace('KeyholderError: ', '')] as const
}

describe('The input of the node keyholder-chain-test', () => {
  const harness = useFlowHarness()

  const start = async (options: ChainPartOptions = {}) => {
    const part = chainPart(await harness.startSimulator(), options)
    const flow = await harness.startParts([part])
    await flow.status('chain').next(({ text }) => text.startsWith('not tested yet'))
    return { part, flow, out: flow.output('chain') }
  }

  it('begins no test for a request from a network, and refuses it with a sentence', async () => {
    const { flow, out } = await start()
    for (const message of [
      { payload: 'test', req: { method: 'POST' } },
      { payload: 'test', res: {} },
      { payload: 'test', req: {}, res: {} },
    ])
      assert.deepEqual(await refusal(flow, message), [
        'BAD_SETTING',
        'A request from a network can only answer a test of the alarm chain. Begin it with the button of the node, or with a message of the flow.',
      ])
    for (const payload of [true, '', {}, { answer: '' }, undefined])
      assert.deepEqual(await refusal(flow, { payload, req: { method: 'POST' } }), [
        'BAD_SETTING',
        'This is no answer to a test of the alarm chain. Use the button of the test message.',
      ])
    await processTime.pass(minute)
    assert.deepEqual(out.all, [])
    begin(flow)
    const { payload } = await out.next()
    flow.input('chain', { payload: { answer: payload.answer }, req: { method: 'POST' }, res: {} })
    assert.equal((await out.next()).payload.attempt, 1)
  })

  it('takes no message for an answer that still has the question, whatever brings it back', async () => {
    const { flow, out } = await start()
    begin(flow)
    const sent = await out.next()
    const { answer } = sent.payload
    const { chainTest: _, ...unmarked } = sent
    // A sender that passes its message on, a topic that is read back, and a flow that keeps the mark or the text.
    for (const message of [
      sent,
      { payload: JSON.parse(JSON.stringify(sent.payload)), topic: 'alarms' },
      unmarked,
      { payload: { answer }, chainTest: true },
      { payload: { answer, title: 'Test' } },
    ]) {
      const [code, sentence] = await refusal(flow, message)
      assert.deepEqual([code, /^This is the test message itself/.test(sentence)], ['BAD_SETTING', true])
    }
    await processTime.pass(2 * minute)
    assert.deepEqual(
      out.all.map(({ payload }) => payload.attempt),
      [1, 2],
    )
  })

  it('begins one test an hour for messages while nobody answers, three in all, and as many as the button asks for', async () => {
    const { flow, out, part } = await start({ panel: slowly })
    const endUnanswered = () => processTime.pass(3 * minute)
    for (const left of [57, 57]) {
      begin(flow)
      await endUnanswered()
      const [code, sentence] = await refusal(flow, { payload: 'test' })
      assert.equal(code, 'INVALID_TRANSITION')
      assert.match(sentence, new RegExp(`can begin in ${left} minutes\\.`))
      flow.input('chain', newPress())
      await endUnanswered()
      await processTime.pass(hour)
    }
    begin(flow)
    await endUnanswered()
    await processTime.pass(2 * hour)
    const [code, sentence] = await refusal(flow, { payload: 'test' })
    assert.deepEqual([code, /until a test is answered/.test(sentence)], ['INVALID_TRANSITION', true])
    // A restart forgets none of them.
    await harness.stopFlow()
    const again = await harness.startParts([part])
    await again.status('chain').next(({ text }) => text.startsWith('not answered'))
    assert.match((await refusal(again, { payload: 'test' }))[1], /until a test is answered/)
    assert.equal(out.all.filter(({ payload }) => payload.attempt === 1).length, 5)
    again.input('chain', newPress())
    const { payload } = await again.output('chain').next()
    again.input('chain', { payload: { answer: payload.answer } })
    await again.status('chain').next(({ text }) => text.startsWith('answered'))
    begin(again)
    await until(() => again.output('chain').all.length === 3)
  })
})
