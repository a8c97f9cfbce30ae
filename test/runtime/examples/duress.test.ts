import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { until } from '../../../harness/clock/until.ts'
import { duressWords } from '../../../harness/fixtures/duress-words.ts'
import {
  type Addition,
  ImportedExamples,
  kitchenWindow,
} from '../../../harness/node-red/imported-examples.ts'
import type { RecordedMessage } from '../../../harness/node-red/message-server.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const folder = new URL('../../../examples/', import.meta.url)

/**
 * Returns recorders in place of the nodes of the dashboard's palette, which is not installed here, and recorders of the
 * statuses of our nodes.
 */
const recorded =
  (example: string): Addition =>
  (flows) => {
    const tab = flows.find(({ type }) => type === 'tab')?.id ?? assert.fail()
    const recorder = (node: FlowNode, from: string): FlowNode => {
      const func = `return { payload: { from: ${JSON.stringify(from)}, message: msg } }`
      return { ...node, type: 'function', func, outputs: 1, wires: [[`post ${tab}`]] }
    }
    const ours = flows.filter(({ type, z }) => type.startsWith('keyholder-') && z !== undefined)
    const status = `status ${tab}`
    return [
      ...flows
        .filter(({ type }) => type.startsWith('ui-'))
        .map(({ id, type, z, name }) =>
          z === undefined
            ? { id, type: 'comment', z: tab, wires: [] }
            : recorder({ id, type, z }, `${example}: ${type} ${name}`),
        ),
      { id: status, type: 'status', z: tab, scope: ours.map(({ id }) => id), wires: [[`of ${status}`]] },
      recorder({ id: `of ${status}`, type: '', z: tab }, `${example}: status`),
    ]
  }

/** Returns true for what is the event itself, and not a text for people: it says what it is. */
function isEventItself({ from, message: { topic = '' } }: RecordedMessage): boolean {
  return from === 'New events: events' && topic.endsWith('/event/duress')
}

describe('The examples in a duress, in a real Node-RED', () => {
  let examples: ImportedExamples

  before(async () => {
    const all = (await readdir(folder)).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? [])
    // Another file announces the same panel in this Node-RED; test/home-assistant looks at what is published in a duress.
    const names = all.filter((name) => name !== 'Home Assistant')
    const additions = Object.fromEntries(names.map((name) => [name, recorded(name)]))
    examples = await ImportedExamples.open(names, additions)
    await until(() => requestsTo(examples.harness.simulator, 'events') > 1)
  })
  after(() => examples?.close())
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('show an ordinary disarm, on pages, in notifications and below nodes', async () => {
    const { panel } = examples
    const { messages } = examples.harness
    const anna = { appointment: 'Anna', device_type: 'USER', zone: 4, zone_name: 'Anna', partitions: [1] }
    const shows = (from: string, fits: (message: FlowMessage) => boolean) => messages.from(from).first(fits)
    panel.log({ type_id: 15, ...anna })
    await shows('New events: events', ({ topic }) => topic === 'Our house/event/duress')
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(kitchenWindow)
    const alarm = 'Dashboard: ui-template latest alarm'
    await shows(alarm, ({ payload }) => payload[0]?.kind === 'burglary')
    panel.close(kitchenWindow)
    panel.log({ type_id: 15, ...anna })
    panel.disarm(1, { user: 'Anna' })
    await shows(alarm, ({ payload: [one] }) => one?.status === 'closed' && one.disarmedBy?.name === 'Anna')
    await shows('Alarm to the phone: notification', ({ payload }) => /isarmed by Anna/.test(payload))
    await shows('Who came home: notification', ({ payload }) => /^Anna came home/.test(payload))
    panel.log({ type_id: 57 })
    await shows('New events: events', ({ payload }) => payload.typeId === 57)
    const shown = messages.all.filter((message) => !isEventItself(message))
    const { status } = await shows('New events: status', ({ status }) => /Disarm, Anna/.test(status.text))
    assert.equal(status.fill, 'green')
    assert.deepEqual(
      shown.filter((message) => duressWords.test(JSON.stringify(message))).map(({ from }) => from),
      [],
    )
  })
})
