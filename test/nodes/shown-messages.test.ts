import assert from 'node:assert/strict'
import { installFakeClock, processTime, restoreSystemClock } from '../../harness/clock/process-fake-clock.ts'
import {
  differenceOf,
  listedMessages,
  quotedSentences,
  shownMessage,
  withoutTimes,
} from '../../harness/fixtures/shown-messages.ts'
import { createPart } from '../../harness/flow/flow-part.ts'
import { FlowHarness } from '../../harness/flow.ts'
import type { FlowMessage } from '../../harness/recorder.ts'
import { minute } from '../../src/duration.ts'

/** The nodes that send messages, by the names of their folders. */
const nodes = {
  state: { type: 'keyholder-state', partitions: [1] },
  readings: { type: 'keyholder-readings', kinds: ['open'] },
  events: { type: 'keyholder-events' },
  incident: { type: 'keyholder-incident' },
  conditions: { type: 'keyholder-conditions' },
  'chain-test': { type: 'keyholder-chain-test' },
  query: { type: 'keyholder-query', operation: 'panel_info' },
  command: { type: 'keyholder-command', partition: 1, state: 'AWAY' },
  health: { type: 'keyholder-health' },
  'home-assistant': { type: 'keyholder-home-assistant' },
}
const sets = Object.keys(nodes)

/** Polls that are seldom enough for tests in which minutes pass. */
const panel = { allowCommands: true, stateEvery: 5, eventsEvery: 5, devicesEvery: 5 }

/** The languages of the project, with the locale of an account in each. */
const locales = { 'en-US': 'en_US', de: 'de_DE' }

/** Has the nodes tell a day: open windows, an arming, a burglary, a disarm, an alarm that is stopped. Returns what each node sent. */
async function sentBy(harness: FlowHarness, locale: string): Promise<Map<string, FlowMessage[]>> {
  const simulator = await harness.startSimulator({ locale })
  const part = createPart(simulator, { account: { locale }, panel, nodes })
  for (const node of part.nodes) if (node.type === 'keyholder-health') node.account = part.account
  const flow = await harness.startParts([part])
  const home = simulator.world.panel('A1B2C3')
  await flow.status('incident').next(({ fill }) => fill === 'green')
  await flow.status('conditions').next(({ fill }) => fill === 'green')
  for (const name of ['chain-test', 'query']) flow.input(name, { payload: 'test' })
  await flow.output('query').next()
  flow.input('health')
  for (const zone of [1, 2]) {
    home.open(zone)
    await flow.output('conditions').next(({ payload }) => payload[0]?.zone === zone)
    home.close(zone)
    await flow.output('conditions').next(({ payload }) => payload.length === 0)
  }
  flow.input('command')
  await flow.output('command').next()
  await flow.output('state').next(({ payload }) => payload === 'AWAY')
  await processTime.pass(minute)
  home.open(2)
  await flow.output('incident').next(({ payload }) => payload.confirmed)
  home.open(4)
  await flow.output('incident').next(({ payload }) => payload.zones.length === 2)
  home.close(2)
  home.disarm(1)
  await flow.output('incident').next(({ payload }) => payload.status === 'closed')
  // An alarm that somebody stops before the panel reports it.
  await processTime.pass(2 * minute)
  home.setOptions({ abortTime: 60 })
  home.arm(1, 'HOME', { exitDelay: 0 })
  await flow.output('state').next(({ payload }) => payload === 'HOME')
  home.open(3)
  await flow.output('incident').next(({ payload }) => payload.confirmed === false)
  home.disarm(1)
  await flow.output('incident').next(({ payload }) => payload.status === 'closed')
  return new Map(sets.map((set) => [set, flow.output(set).all]))
}

/** Returns a property of the payload, or else of the message. */
const partOf = (message: FlowMessage, property: string) =>
  property in Object(message.payload) ? message.payload[property] : message[property]

describe('The messages that help and documentation show', () => {
  const harness = new FlowHarness()
  const sent = new Map<string, Map<string, FlowMessage[]>>()
  before(async () => {
    installFakeClock()
    for (const [language, locale] of Object.entries(locales)) {
      sent.set(language, await sentBy(harness, locale))
      await harness.close()
    }
  })
  after(async () => {
    await harness.close()
    restoreSystemClock()
  })

  for (const language of Object.keys(locales))
    for (const set of sets)
      it(`are those that the node sends, in the help in ${language}: ${set}`, () => {
        const shown = shownMessage(language, set)
        const messages = sent.get(language)?.get(set) ?? []
        const differences = messages.map((message) => differenceOf(shown, message))
        assert.ok(differences.includes(undefined), [...new Set(differences)].join('\n'))
      })

  for (const { topic, names, text } of listedMessages())
    it(`have the properties that docs/nodes.md lists, and no others: ${topic}`, () => {
      const all = [...(sent.get('en-US')?.values() ?? [])].flat()
      const messages = all.filter((message) => message.topic === topic)
      assert.ok(messages.length > 0)
      for (const [property, listed] of names) {
        const parts = messages.flatMap((message) => [partOf(message, property)].flat())
        // Null in each of them: the license of an installer account, the state of a cluster.
        if (parts.every((part) => part === null)) continue
        const found = new Set(parts.flatMap((part) => Object.keys(part ?? {})))
        assert.deepEqual(
          listed.filter((name) => !found.has(name)),
          [],
          property,
        )
        assert.deepEqual(
          [...found].filter((name) => !RegExp(`\\b${name}\\b`).test(text)),
          [],
          property,
        )
      }
    })

  it('have the sentences that docs/nodes.md and the README quote', () => {
    const all = [...(sent.get('en-US')?.values() ?? [])].flat()
    const texts = withoutTimes(JSON.stringify(all.map(({ payload }) => payload)))
    const quoted = quotedSentences()
    assert.ok(quoted.length > 3)
    assert.deepEqual(
      quoted.filter((sentence) => !texts.includes(sentence)),
      [],
    )
  })
})
