import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { runningDemo } from '../../nodes/config/demo.ts'
import { hour, second } from '../../src/duration.ts'
import { processTime } from '../clock/process-fake-clock.ts'
import { createPart } from '../flow/flow-part.ts'
import type { FlowHarness } from '../flow.ts'
import { seed } from '../mocha/seed.ts'

interface ExampleNode {
  id: string
  type: string
  name?: string
  wires?: string[][]
  [field: string]: unknown
}

/** A press of a button in an example: the node that it comes to, and the message that arrives there. */
interface Press {
  title: string
  node: ExampleNode
  message: Record<string, unknown>
}

const folder = new URL('../../examples/', import.meta.url)
const asked = ['keyholder-command', 'keyholder-query', 'keyholder-home-assistant']

/** Returns the presses of all examples that come to a command or a query. A trigger node counts as a button. */
function allPresses(): Press[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.flatMap((file) => {
    const nodes: ExampleNode[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    const buttons = nodes.filter(({ type }) => type === 'inject' || type === 'trigger')
    return buttons.flatMap((button) => {
      const title = `${file}: ${button.name}`
      // A random test that fails prints the title, not the node.
      return pressesFrom(nodes, button, messageOf(button)).map((press) => ({
        ...press,
        title,
        toString: () => title,
      }))
    })
  })
}

function messageOf({ type, payload, payloadType, op2, topic, props }: ExampleNode): Press['message'] {
  if (type === 'trigger') return { payload: op2 }
  const properties = props as { p: string; v?: unknown }[]
  const sent = payloadType === 'json' ? JSON.parse(String(payload)) : payload
  return Object.fromEntries(properties.map(({ p, v }) => [p, v ?? (p === 'payload' ? sent : topic)]))
}

function pressesFrom(
  nodes: readonly ExampleNode[],
  from: ExampleNode,
  message: Press['message'],
): Omit<Press, 'title'>[] {
  const next = nodes.filter(({ id }) => from.wires?.flat().includes(id))
  return next.flatMap((node) => {
    if (asked.includes(node.type)) return [{ node, message }]
    if (node.type === 'switch') return pressesFrom(nodes, node, message)
    const moved = node.type === 'change' && (message.payload as Record<string, unknown>)
    return moved ? pressesFrom(nodes, node, { payload: Object.values(moved)[0] }) : []
  })
}

/**
 * Adds a test of the first press of buttons in the examples that command or ask the demo, at random moments of its
 * household.
 * @param count presses, drawn at random; each takes minutes on the fake clock. By default all, in random order
 */
export function testFirstPresses(harness: FlowHarness, count?: number): void {
  it(`works at any moment of its household, for ${count ?? 'all'} buttons of the examples (SEED=${seed})`, async () => {
    const presses = allPresses()
    assert.ok(presses.length > 15)
    const pressed = count ?? presses.length
    const part = createPart(await harness.startSimulator(), {
      account: { source: 'demo', url: '' },
      credentials: { email: '', password: '', userCode: '' },
      panel: { serial: '', stateEvery: 600, eventsEvery: 600, devicesEvery: 600 },
      nodes: Object.fromEntries(
        presses.map(({ node: { id, z, g, x, y, wires, panel, ...fields } }) => [id, fields]),
      ),
    })
    const flow = await harness.startParts([part])
    try {
      const [{ node, message } = assert.fail()] = presses
      flow.input(node.id, structuredClone(message))
      await flow.completed.next()
      const simulator = (await runningDemo(part.account))?.simulator
      const home = simulator?.world.panels[0] ?? assert.fail()
      const check = async (chosen: readonly Press[], seconds: readonly number[]) => {
        for (const [index, { title, node, message }] of chosen.entries()) {
          // The house is at rest again, and those who live there go on.
          home.disarm(-1)
          home.bypass(2, false)
          home.residents?.welcome()
          await processTime.until(() => home.residents?.plan.isBusy === true, undefined, hour)
          await processTime.until(() => isDoing(home), undefined, hour)
          await processTime.pass((seconds[index] ?? 0) * second)
          const completed = flow.completed.all.length
          const caught = flow.caught.all.length
          flow.input(node.id, structuredClone(message))
          await processTime.until(
            () => flow.completed.all.length > completed || flow.caught.all.length > caught,
            () => `the end of what begins with ${title}`,
            Number.POSITIVE_INFINITY,
          )
          const errors = flow.caught.all.slice(caught).map(({ error }) => `${title}: ${error.message}`)
          assert.deepEqual(errors, [])
        }
      }
      const some = fc.shuffledSubarray(presses, { minLength: pressed, maxLength: pressed })
      const moments = fc.array(fc.nat(30), { minLength: pressed, maxLength: pressed })
      await fc.assert(fc.asyncProperty(some, moments, check), { numRuns: 1, seed })
    } finally {
      // The demo runs until its account is deleted.
      await flow.deploy()
    }
  }).timeout(600_000)
}

type Home = NonNullable<Awaited<ReturnType<typeof runningDemo>>>['simulator']['world']['panels'][number]

/** Tells if the household has armed its panel or has something open. */
function isDoing(home: Home): boolean {
  return home.partitions.some((one) => one.state !== 'DISARM' || !home.isReady(one))
}
