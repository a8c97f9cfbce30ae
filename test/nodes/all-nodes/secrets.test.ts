import assert from 'node:assert/strict'
import { Canaries } from '../../../harness/fixtures/canaries.ts'
import { createPart, type FlowPartOptions } from '../../../harness/flow/flow-part.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import type { KeyholderError } from '../../../src/service/error.ts'
import { faultCatalogue } from '../../../src/simulator/faults/fault-catalogue.ts'
import { hang } from '../../../src/simulator/faults/network-faults.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

/** Every node type, and every kind of query. */
const nodes = {
  state: { type: 'keyholder-state' },
  readings: { type: 'keyholder-readings' },
  events: { type: 'keyholder-events', first: 'deliver' },
  incident: { type: 'keyholder-incident' },
  conditions: { type: 'keyholder-conditions', conditions: ['open', 'backup'] },
  health: { type: 'keyholder-health' },
  'home assistant': { type: 'keyholder-home-assistant' },
  // The zone already has this state, so the command reads everything and changes nothing.
  command: { type: 'keyholder-command', action: 'bypass', zone: 2, enabled: false },
  'query devices': { type: 'keyholder-query', operation: 'devices' },
  'query session': { type: 'keyholder-query', operation: 'session' },
  'query event_profiles': { type: 'keyholder-query', operation: 'event_profiles' },
}
const names = Object.keys(nodes)

describe('No password, user code, token or cookie appears in Catch, status, output or log at level trace', () => {
  const harness = useFlowHarness()
  let simulator: Simulator
  let canaries: Canaries

  beforeEach(async () => {
    simulator = await harness.startSimulator()
    canaries = new Canaries(simulator)
  })

  const start = (setup: Omit<FlowPartOptions, 'nodes'> = {}) => {
    const one = createPart(simulator, { ...setup, nodes })
    for (const node of one.nodes) {
      if (node.type === 'keyholder-health') node.account = one.account
      if (node.type === 'keyholder-panel') node.allowCommands = true
    }
    return harness.startParts([one], { settings: { logging: { console: { level: 'trace' } } } })
  }

  /** Sends each node a message, and waits until each has answered or failed. */
  const sendInputs = async (flow: RunningFlow, round: number) => {
    for (const name of names) flow.input(name, { asked: `${name} ${round}` })
    const answered = () => [...flow.completed.all, ...flow.caught.all].map(({ asked }) => asked)
    await until(() => names.every((name) => answered().includes(`${name} ${round}`)))
  }

  const assertKept = (flow: RunningFlow, outputs: unknown) => {
    canaries.assertUnseenIn([flow.caught.all, flow.statuses, flow.logged, flow.errors, outputs])
    for (const error of flow.errors) {
      assert.ok(error instanceof Error && 'code' in error)
      assert.equal(error.name, 'KeyholderError')
      const known = ['stack', 'message', 'code', 'status', 'reason']
      assert.deepEqual(
        Object.getOwnPropertyNames(error).filter((own) => !known.includes(own)),
        [],
      )
    }
  }

  const codes = (flow: RunningFlow) => flow.errors.map((error) => (error as KeyholderError).code)

  const outputs = (flow: RunningFlow, from = names) => from.map((name) => [...flow.output(name).all])

  for (const make of [...faultCatalogue, () => ({ name: 'only secrets in its answers' })]) {
    it(`if the service has a fault: ${make().name}`, async () => {
      const flow = await start({ account: { timeout: 1 } })
      for (const name of ['state', 'readings', 'events']) {
        await flow.status(name).next(({ fill }) => fill === 'green')
      }
      assert.equal(canaries.all.length, 5)
      simulator.faults.start(canaries.echo())
      simulator.faults.start(make())
      simulator.faults.start(canaries.echo())
      await sendInputs(flow, 1)
      const firstOutputs = outputs(flow)
      simulator.faults.clear()
      simulator.faults.start(canaries.echo({ inData: true }))
      simulator.faults.start(make())
      await sendInputs(flow, 2)
      assertKept(flow, [firstOutputs, outputs(flow, ['health'])])
      assert.deepEqual(simulator.defects, [])
    })
  }

  it('if the service goes away', async () => {
    const flow = await start()
    await sendInputs(flow, 1)
    await simulator.close()
    await sendInputs(flow, 2)
    assert.deepEqual(codes(flow), Array(8).fill('NETWORK'))
    assertKept(flow, outputs(flow))
  })

  it('if the service never answers the sign-in, and the flow is stopped meanwhile', async () => {
    simulator.faults.start(hang(), { operation: 'auth' })
    const flow = await start()
    await until(() => simulator.requests.some(({ path }) => path.endsWith('/auth')))
    for (const name of names) flow.input(name)
    await harness.stopFlow()
    assertKept(flow, outputs(flow))
  })

  // Without the user code, the account can still answer what does not concern the panel: session and event
  // profiles.
  for (const [what, credentials, code, count] of [
    ['password', { password: 'CanaryOfAWrongPassword' }, 'BAD_CREDENTIALS', 10],
    ['user code', { userCode: 'CanaryOfAWrongCode' }, 'WRONG_USER_CODE', 8],
  ] as const) {
    it(`if the ${what} is wrong and the service repeats it`, async () => {
      const [reason = ''] = Object.values(credentials)
      canaries.add(reason)
      simulator.faults.start(canaries.echo({ reason }))
      const flow = await start({ credentials })
      await sendInputs(flow, 1)
      assert.deepEqual(codes(flow), Array(count).fill(code))
      assertKept(flow, outputs(flow))
    })
  }

  it('if it is part of a rejected url', async () => {
    canaries.add('canary-in-the-url')
    const flow = await start({ account: { url: 'https://me:canary-in-the-url@alarm.example.com' } })
    await sendInputs(flow, 1)
    assertKept(flow, outputs(flow))
  })
})
