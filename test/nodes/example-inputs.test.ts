import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { processTime } from '../../harness/clock/process-fake-clock.ts'
import { useFlowHarness } from '../../harness/flow.ts'
import type { FlowNode } from '../../harness/node-red/recorded-flow.ts'
import { ExampleHouse, isNetworkInput } from '../../harness/rehearsal/example-house.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { minute, second } from '../../src/duration.ts'

const folder = new URL('../../examples/', import.meta.url)
const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name): [string, FlowNode[]] => [
    name.replace('.json', ''),
    JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
  ])
const inputsOf = (nodes: readonly FlowNode[]) => nodes.filter(({ type }) => isNetworkInput.test(type))

/** Returns the messages in which a value can come from the network of a node. */
function arriving({ type, topic }: FlowNode, value: unknown): object[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (type === 'http in') return [{ payload: value, req: { method: 'POST' }, res: {} }]
  // The second one is in the form of ntfy.
  if (type === 'websocket in')
    return [{ payload: text }, { payload: JSON.stringify({ event: 'message', message: text }) }]
  if (type === 'mqtt in') return [{ topic: `${topic}`.replace('#', 'A1B2C3/partition_1/set'), payload: text }]
  return [{ payload: value }, { payload: { content: text } }]
}

const foreign = ['test', true, '', 'AWAY now', { answer: 'AAAAAAAAAAAAAAAAAAAAAA' }, { payload: 'test' }]

describe('An example with an input from a network', () => {
  const harness = useFlowHarness()

  for (const [example, nodes] of examples.filter(([, nodes]) => inputsOf(nodes).length > 0))
    it(`begins no test and sends no command for a message that does not ask for it: ${example}`, async () => {
      const house = await ExampleHouse.start(harness, example)
      const { given, simulator } = house
      for (const input of inputsOf(nodes))
        for (const message of foreign.flatMap((value) => arriving(input, value))) {
          const begin = given.length
          house.receive(input.id, message)
          await processTime.pass(2 * second)
          const after = given.slice(begin)
          assert.ok(!after.some(({ to }) => to === 'ntfy' || to === 'second way'), JSON.stringify(message))
          const replies = after.filter(({ to }) => to === 'refused').map((one) => one.message.payload)
          assert.equal(replies.length, input.type === 'http in' ? 1 : 0, JSON.stringify(message))
          for (const reply of replies) assert.match(reply, /^(Here only|No test of) .+\.$/)
        }
      for (const command of ['set_state', 'set_bypass_zone', 'activate_siren', 'disable_siren'] as const)
        assert.equal(requestsTo(simulator, command), 0)
    })

  it('takes the answer to a test by each of its inputs, once: Alarm chain test', async () => {
    const example = 'Alarm chain test'
    const [, nodes] = examples.find(([name]) => name === example) ?? assert.fail()
    const house = await ExampleHouse.start(harness, example)
    const { given } = house
    const chain = nodes.find(({ type }) => type === 'keyholder-chain-test') ?? assert.fail()
    const inputs = inputsOf(nodes)
    assert.deepEqual(
      inputs.map(({ type }) => type),
      ['http in', 'websocket in'],
    )
    for (const input of inputs) {
      house.receive(chain.id, { payload: 'test' })
      await processTime.pass(second)
      const { payload } = given.findLast(({ to }) => to === 'ntfy')?.message ?? assert.fail()
      const answer = arriving(input, JSON.parse(payload.actions[0].body)).at(-1) ?? assert.fail()
      for (const isOld of [false, true]) {
        const begin = given.length
        // The flow changes the message that it gets.
        house.receive(input.id, structuredClone(answer))
        await processTime.pass(second)
        const told = given.slice(begin).map(({ to }) => to)
        const replies = input.type === 'http in' ? [isOld ? 'refused' : 'accepted'] : []
        assert.deepEqual(told.toSorted(), [...(isOld ? ['errors'] : []), ...replies].toSorted())
      }
    }
    await processTime.pass(20 * minute)
    assert.ok(!given.some(({ to }) => to === 'second way'), 'a test was not answered')
  })
})
