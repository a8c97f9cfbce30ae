import assert from 'node:assert/strict'
import fc from 'fast-check'
import { second } from '../../src/duration.ts'
import { rehearsalScenes } from '../../src/simulator/scenarios/rehearsal-scenes.ts'
import type { Panel } from '../../src/simulator/world/panel.ts'
import { processTime } from '../clock/process-fake-clock.ts'
import type { FlowHarness } from '../flow.ts'
import { seed } from '../mocha/seed.ts'
import type { FlowMessage } from '../recorder.ts'

/** A step of a history; those of a rehearsal are left out where there is none. */
type Step =
  | { does: 'rehearse'; node: 'command' | 'incident'; scene: string }
  | { does: 'marked input'; node: string; payload: unknown }
  | { does: 'stop' }
  | { does: 'command'; payload: string }
  | { does: 'deed'; deed: string }
  | { does: 'deploy' }
  | { does: 'restart' }
  | { does: 'pass'; seconds: number }

/** An occurrence at the real panel. */
const deeds: Readonly<Record<string, (panel: Panel) => void>> = {
  arm: (panel) => void panel.arm(1, 'AWAY', { exitDelay: 0 }),
  disarm: (panel) => panel.disarm(1),
  window: (panel) => panel.open(2),
  'window closed': (panel) => panel.close(2),
  battery: (panel) => panel.lowBattery(panel.zone(3).id),
  'battery replaced': (panel) => panel.restoreBattery(panel.zone(3).id),
  smoke: (panel) => panel.open(6),
  'smoke gone': (panel) => panel.close(6),
}

const type = (name: string) => `keyholder-${name}`
const nodes = {
  state: { type: type('state') },
  command: { type: type('command'), partition: 1 },
  incident: { type: type('incident') },
  conditions: { type: type('conditions') },
  events: { type: type('events') },
  query: { type: type('query'), operation: 'status' },
}

const payloads = fc.constantFrom<unknown>(
  'AWAY',
  'HOME',
  'DISARM',
  'nonsense',
  { action: 'bypass', zone: 2, enabled: true },
  { action: 'siren_on' },
  { state: 'AWAY', openZones: 'bypass' },
  undefined,
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('rehearse' as const),
      node: fc.constantFrom('command' as const, 'incident' as const),
      scene: fc.constantFrom(...rehearsalScenes),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('marked input' as const),
      node: fc.constantFrom('command', 'command', 'command', 'state', 'query', 'events'),
      payload: payloads,
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ does: 'stop' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('command' as const),
      payload: fc.constantFrom('AWAY', 'HOME', 'DISARM'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('deed' as const),
      deed: fc.constantFrom(...Object.keys(deeds)),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ does: 'deploy' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ does: 'restart' }) },
  { weight: 5, arbitrary: fc.nat(15).map((seconds): Step => ({ does: 'pass', seconds })) },
)

/** The operations that change something. */
const changing = ['set_state', 'set_bypass_zone', 'activate_siren', 'disable_siren']

const intervals = { stateEvery: 1.5, eventsEvery: 1.5, devicesEvery: 1.5 }

/** The record of a history. */
interface Outcome {
  /** The unmarked messages of each node: topic and payload without times. */
  told: Record<string, string[]>
  /** The requests that change something. */
  sent: string[]
  /** The number of marked messages. */
  rehearsed: number
}

/**
 * Compares random histories of a panel with the same ones without rehearsals: no request that changes anything leaves
 * because of one, and the real news is the same.
 */
export function testRehearsals(harness: FlowHarness, numRuns: number): void {
  it('sends nothing, and neither loses nor alters the news of the real panel', async () => {
    let mostRehearsed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        const without = await live(harness, steps, false)
        const { rehearsed, ...outcome } = await live(harness, steps, true)
        mostRehearsed = Math.max(mostRehearsed, rehearsed)
        assert.deepEqual({ ...outcome, rehearsed: 0 }, without)
      }),
      { numRuns, seed },
    )
    assert.ok(mostRehearsed > 10, 'nothing was rehearsed')
  })
}

async function live(harness: FlowHarness, steps: readonly Step[], isRehearsed: boolean): Promise<Outcome> {
  // At an interval below a second, the least pause between two polls decides which list is read first.
  const panel = { name: 'House', allowCommands: true, allowRehearsal: true, ...intervals }
  const started = await harness.start({ panel, nodes }, { speed: 100, maxLoggedRequests: 100_000 })
  const { simulator, home, part } = started
  // At this speed, chance decides whether a poll meets an exit delay.
  for (const { plan } of home.partitions) Object.assign(plan, { exitDelay: 0 })
  let { flow } = started
  const told: Outcome['told'] = Object.fromEntries(Object.keys(nodes).map((name) => [name, []]))
  const latest = new Map<string, string>()
  let rehearsed = 0
  const note = () => {
    for (const [name, list] of Object.entries(told)) {
      const { all } = flow.output(name)
      const real = all.filter(({ rehearsal }) => rehearsal !== true)
      rehearsed += all.length - real.length
      for (const message of real) {
        const [topic, told] = [String(message.topic), withoutTimes(message)]
        // After a rehearsal, these nodes tell again what they have told, which is no news.
        const before = latest.get(topic) ?? JSON.stringify([topic, []])
        const isAgain = ['state', 'conditions'].includes(name) && before === told
        latest.set(topic, told)
        if (!isAgain) list.push(told)
      }
    }
  }
  // The first lists of events may be thin, so what they lack is no news.
  await processTime.pass(5 * second)
  let deploys = 0
  for (const one of steps) {
    if (one.does === 'pass') await processTime.pass(one.seconds * second)
    if (one.does === 'deed') {
      deeds[one.deed]?.(home)
      await processTime.pass(3 * second)
    }
    if (one.does === 'command') {
      flow.input('command', { payload: one.payload })
      await processTime.pass(5 * second)
    }
    if (one.does === 'deploy') {
      deploys += 1
      const moved = part.nodes.map((node) => ({ ...node, info: String(deploys) }))
      await flow.deploy({ ...part, nodes: moved })
      await processTime.pass(5 * second)
    }
    if (one.does === 'restart') {
      note()
      await harness.stopFlow()
      flow = await harness.startParts([part])
      await processTime.pass(5 * second)
    }
    if (one.does === 'rehearse') {
      if (isRehearsed) flow.input(one.node, { rehearse: { scene: one.scene, faster: true } })
      await processTime.pass(2 * second)
    }
    if (!isRehearsed) continue
    if (one.does === 'marked input') flow.input(one.node, { payload: one.payload, rehearsal: true })
    if (one.does === 'stop') flow.input('incident', { rehearse: false })
  }
  await processTime.pass(20 * second)
  note()
  await harness.close()
  const operations = simulator.requests.map(({ path }) => path.split('/').at(-1) ?? '')
  const sent = operations.filter((operation) => changing.includes(operation))
  return { told, sent, rehearsed }
}

/** Returns topic and payload of a message without its times, and without which of two lists was read first: a rehearsal takes time. */
function withoutTimes({ topic, payload }: FlowMessage): string {
  return JSON.stringify([topic, payload]).replaceAll(
    /\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\d{1,2}:\d\d(:\d\d)?(\s?[AP]M)?|"(tookMs|id|event|eventKey|exitUntil)":("[^"]*"|\d+|null)/g,
    '',
  )
}
