import assert from 'node:assert/strict'
import {
  installFakeClock,
  processTime,
  restoreSystemClock,
} from '../../../harness/clock/process-fake-clock.ts'
import { Canaries } from '../../../harness/fixtures/canaries.ts'
import { flowNodeNames } from '../../../harness/fixtures/node-names.ts'
import { createPart, type FlowPartOptions } from '../../../harness/flow/flow-part.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { FlowHarness, until, useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { second } from '../../../src/duration.ts'
import type { KeyholderError } from '../../../src/service/error.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { faultCatalogue } from '../../../src/simulator/faults/fault-catalogue.ts'
import { gzipBomb, hang, largeBody } from '../../../src/simulator/faults/network-faults.ts'
import { protoKeys, wrongTypes } from '../../../src/simulator/faults/response-faults.ts'
import { wrongEventList } from '../../../src/simulator/faults/service-faults.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

/** Every node type, and every kind of query. */
const nodes = {
  ...Object.fromEntries(
    flowNodeNames
      .filter((name) => !['chain-test', 'home-assistant', 'command', 'query'].includes(name))
      .map((name) => [name, { type: `keyholder-${name}` }]),
  ),
  events: { type: 'keyholder-events', first: 'deliver' },
  conditions: { type: 'keyholder-conditions', conditions: ['open', 'backup'] },
  'chain test': { type: 'keyholder-chain-test' },
  'home assistant': { type: 'keyholder-home-assistant' },
  // The zone already has this state, so the command reads everything and changes nothing.
  command: { type: 'keyholder-command', action: 'bypass', zone: 2, enabled: false },
  'query devices': { type: 'keyholder-query', operation: 'devices' },
  'query session': { type: 'keyholder-query', operation: 'session' },
  'query event_profiles': { type: 'keyholder-query', operation: 'event_profiles' },
}
const names = Object.keys(nodes)
/** The nodes that answer any message: the chain test refuses what is no answer to its test. */
const answering = names.filter((name) => name !== 'chain test')

/** Seconds between polls: at least one meets each fault. */
const every = 2

/** Milliseconds after which an account that pauses is tried again, and after which it is given up. */
const [pause, longestPause] = [20 * second, 120 * second]

/** Starts a flow of all nodes, whose log has everything. */
function startNodes(
  harness: FlowHarness,
  simulator: Simulator,
  setup: Omit<FlowPartOptions, 'nodes'> = {},
): Promise<RunningFlow> {
  const one = createPart(simulator, { ...setup, nodes })
  for (const node of one.nodes) {
    if (node.type === 'keyholder-health') node.account = one.account
    if (node.type === 'keyholder-panel') node.allowCommands = true
  }
  return harness.startParts([one], { settings: { logging: { console: { level: 'trace' } } } })
}

/** Sends these nodes a message, and waits until each has answered or failed; returns the number of those that answered. */
async function sendInputs(flow: RunningFlow, round: number, to = answering): Promise<number> {
  for (const name of to) flow.input(name, { asked: `${name} ${round}` })
  const inputs = ({ all }: RunningFlow['caught']) =>
    to.filter((name) => all.some(({ asked }) => asked === `${name} ${round}`))
  await until(() => new Set([...inputs(flow.completed), ...inputs(flow.caught)]).size === to.length)
  return to.length - inputs(flow.caught).length
}

function outputs(flow: RunningFlow, from = names): FlowMessage[] {
  return from.flatMap((name) => [...flow.output(name).all])
}

function assertBare(errors: readonly unknown[]): void {
  for (const error of errors) {
    assert.ok(error instanceof Error && 'code' in error)
    assert.equal(error.name, 'KeyholderError')
    const known = ['stack', 'message', 'code', 'status', 'reason']
    assert.deepEqual(
      Object.getOwnPropertyNames(error).filter((own) => !known.includes(own)),
      [],
    )
  }
}

const title = 'No password, user code, token or cookie appears in Catch, status, output or log at level trace'

describe('The nodes whose messages, statuses and logs are searched for secrets', () => {
  it('are all flow nodes', () => {
    const searched = Object.values(nodes).map(({ type }) => type.replace('keyholder-', ''))
    assert.deepEqual([...new Set(searched)].toSorted(), flowNodeNames.toSorted())
  })
})

describe(`${title}, whatever fault the service has`, () => {
  const harness = new FlowHarness()
  let simulator: Simulator
  let canaries: Canaries
  let flow: RunningFlow | undefined
  let round = 0
  /** What was looked at after an earlier fault. */
  let seen: WeakSet<object>

  before(installFakeClock)
  after(async () => {
    await harness.close()
    restoreSystemClock()
  })

  const ask = (running: RunningFlow, asked = answering) => {
    round += 1
    return sendInputs(running, round, asked)
  }

  const start = async () => {
    await harness.close()
    simulator = await harness.startSimulator()
    canaries = new Canaries(simulator)
    seen = new WeakSet()
    const panel = { stateEvery: every, eventsEvery: every, devicesEvery: every }
    const started = await startNodes(harness, simulator, { account: { timeout: 1 }, panel })
    for (const name of ['state', 'readings', 'events'])
      await started.status(name).next(({ fill }) => fill === 'green')
    assert.equal(canaries.all.length, 5)
    return started
  }

  /** Waits until the state can be read again; returns false if the account does not recover from the fault before. */
  const recovers = async (running: RunningFlow) => {
    for (let waited = 0; waited < longestPause; waited += pause) {
      if ((await ask(running, ['state'])) > 0) return true
      await processTime.pass(pause)
    }
    return false
  }

  const unseen = (things: readonly unknown[]) =>
    (things as object[]).filter((thing) => !seen.has(thing) && seen.add(thing))

  /** Looks at all that appears while the service has a fault and repeats the secrets. */
  const assertKept = async (fault: Fault, { inData }: { inData: boolean }) => {
    // To start all nodes again for each fault would take most of the time.
    const running = flow && (await recovers(flow)) ? flow : await start()
    flow = running
    // The log keeps the latest requests only, so its length says nothing.
    const latest = simulator.requests.at(-1)
    simulator.faults.start(canaries.echo({ inData }))
    simulator.faults.start(fault)
    simulator.faults.start(canaries.echo({ inData }))
    await ask(running)
    // A poll meets it too.
    await processTime.pass(every * second)
    assert.notEqual(simulator.requests.at(-1), latest)
    simulator.faults.clear()
    const errors = unseen(running.errors)
    // Flows are told names and descriptions.
    const told = outputs(running, inData ? ['health'] : names)
    canaries.assertUnseenIn([
      errors,
      ...[running.caught.all, running.statuses, running.logged, told].map(unseen),
    ])
    assertBare(errors)
    assert.deepEqual(simulator.defects, [])
  }

  const none = () => ({ name: 'only secrets in its answers' })
  // More than is read of an answer, and less than those of the catalogue, which take long to make.
  const large = [() => gzipBomb(5e6), () => largeBody(5e6)]
  const isLarge = (make: () => Fault) => /^(gzip bomb|body) of /.test(make().name)

  for (const make of [...faultCatalogue.filter((one) => !isLarge(one)), ...large, none])
    it(`such as: ${make().name}`, () => assertKept(make(), { inData: false }))

  const odd = [wrongTypes(1), protoKeys(), wrongEventList('half'), wrongEventList('twice')]
  for (const fault of [...odd, none()])
    it(`such as secrets in all names and: ${fault.name}`, () => assertKept(fault, { inData: true }))
})

describe(title, () => {
  const harness = useFlowHarness()
  let simulator: Simulator
  let canaries: Canaries

  beforeEach(async () => {
    simulator = await harness.startSimulator()
    canaries = new Canaries(simulator)
  })

  const start = (setup?: Parameters<typeof startNodes>[2]) => startNodes(harness, simulator, setup)

  const assertKept = (flow: RunningFlow) => {
    canaries.assertUnseenIn([flow.caught.all, flow.statuses, flow.logged, flow.errors, outputs(flow)])
    assertBare(flow.errors)
  }

  const codes = (flow: RunningFlow) => flow.errors.map((error) => (error as KeyholderError).code)

  it('if the service goes away', async () => {
    const flow = await start()
    await sendInputs(flow, 1)
    await simulator.close()
    await sendInputs(flow, 2)
    assert.deepEqual(codes(flow), Array(8).fill('NETWORK'))
    assertKept(flow)
  })

  it('if the service never answers the sign-in, and the flow is stopped meanwhile', async () => {
    simulator.faults.start(hang(), { operation: 'auth' })
    const flow = await start()
    await until(() => simulator.requests.some(({ path }) => path.endsWith('/auth')))
    for (const name of names) flow.input(name)
    await harness.stopFlow()
    assertKept(flow)
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
      assertKept(flow)
    })
  }

  it('if it is part of a rejected url', async () => {
    canaries.add('canary-in-the-url')
    const flow = await start({ account: { url: 'https://me:canary-in-the-url@alarm.example.com' } })
    await sendInputs(flow, 1)
    assertKept(flow)
  })
})
