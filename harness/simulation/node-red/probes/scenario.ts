import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '../../../../src/clock.ts'
import type { FlowPart } from '../../../flow/flow-part.ts'
import { RunningFlow } from '../../../flow/running-flow.ts'
import type { DeployKind } from '../node-red.ts'
import { SimulatedFlow } from '../simulated-flow.ts'
import { base, change, type Definition, stored } from './probe-flow.ts'
import { ProbeNodes } from './probe-nodes.ts'

/** Deploys the flow with a change, and waits until nothing more happens. */
export type Deploy = (
  kind: DeployKind,
  change: (nodes: Definition[]) => Definition[],
  credentials?: object,
) => Promise<void>

/** A scenario that happens in both, with the words that its trace must contain. */
export interface Scenario {
  title: string
  /** The words in the trace if the scenario shows its subject. */
  shows: RegExp
  /** Milliseconds of real time that a node has to close; then no node of the flow takes time. */
  closeTimeout?: number
  perform: (input: (id: string, message: object) => Promise<void>, deploy: Deploy) => Promise<void>
}

/** Milliseconds of the longest timer: on a slow machine too, nodes close in time. */
const maxTimeout = 2 ** 31 - 1

/** Turns of the event loop in which all that follows one step is over. */
const turns = 20

/** Adds a test for each scenario: the traces of the real and of the simulated Node-RED are equal. */
export function testScenarios(scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) {
    it(scenario.title, async () => {
      const real = await traceOf('real', scenario)
      assert.match(real.join('\n'), scenario.shows)
      assert.deepEqual(await traceOf('simulated', scenario), real)
    })
  }
}

/** Returns all that probes and Node-RED do in a scenario. */
async function traceOf(kind: 'real' | 'simulated', { perform, closeTimeout }: Scenario): Promise<string[]> {
  const probes = new ProbeNodes()
  const nodes = closeTimeout ? change('b', { atEnd: 'in time' })([...base]) : base
  const settings = closeTimeout ? { nodeCloseTimeout: closeTimeout } : {}
  const part = partOf([...nodes], stored)
  const flow = kind === 'real' ? new RunningFlow() : simulate(part, probes, settings)
  if (flow instanceof RunningFlow) await flow.start([part], { types: [probes.register], settings })
  else await flow.start()
  const settle = async () => {
    for (let turn = 0; turn < turns; turn += 1) await nextTurn()
  }
  await settle()
  const step = (...parts: string[]) => probes.trace.push(`---- ${parts.join(' ')}`)
  try {
    await perform(
      async (id, message) => {
        step('input', id, JSON.stringify(message))
        if (flow.has(id)) flow.input(id, structuredClone(message))
        await settle()
      },
      async (deployKind, changed, credentials = {}) => {
        step('deploy', deployKind)
        await flow.deployAs(deployKind, partOf(changed([...nodes]), credentials))
        await settle()
      },
    )
    step('stop')
    await flow.stop()
    return probes.trace.map(withoutTexts)
  } finally {
    probes.end()
  }
}

function simulate(part: FlowPart, probes: ProbeNodes, settings: Record<string, unknown>): SimulatedFlow {
  const types = [probes.register]
  return new SimulatedFlow([part], {
    userDir: '',
    settings: { nodeCloseTimeout: maxTimeout, ...settings },
    queue: setImmediate,
    clock: systemClock,
    types,
  })
}

function partOf(nodes: Definition[], credentials: object): FlowPart {
  const ids = new Map(nodes.filter(({ type }) => type === 'probe').map(({ id }) => [id, id]))
  return {
    account: '',
    panel: '',
    ids,
    nodes,
    credentials: structuredClone(credentials) as FlowPart['credentials'],
  }
}

/** Returns a line without the texts of Node-RED itself: the test helper has none, so the real one writes nothing for them. */
function withoutTexts(line: string): string {
  return line
    .replace('Message exceeded maximum number of catches', 'undefined')
    .replace('Error stopping node: Close timed out', '')
    .replace('Node tried to send a message of type string', '')
}
