import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { processTime } from '../../harness/clock/process-fake-clock.ts'
import { device } from '../../harness/fixtures/samples.ts'
import { useFlowHarness } from '../../harness/flow.ts'
import { readExample } from '../../harness/node-red/imported-examples.ts'
import type { FlowNode } from '../../harness/node-red/recorded-flow.ts'
import { setState } from '../../harness/panel/commanded-panel.ts'
import { ExampleHouse, type GivenMessage } from '../../harness/rehearsal/example-house.ts'
import { second } from '../../src/duration.ts'
import { unreadyRefusal } from '../../src/panel/commands/not-ready.ts'
import { KeyholderError } from '../../src/service/error.ts'

const examples = readdirSync(new URL('../../examples/Deutsch/', import.meta.url))
  .filter((name) => name.endsWith('.json'))
  .map((name) => `Deutsch/${name.replace('.json', '')}`)

const house = {
  ...{ id: 1, name: 'Haus', state: 'DISARM', status: '', ready: false, isInUse: true },
  ...{ options: [], settable: [], definitions: [] },
}

/** Returns the error of an arming that is refused because of a zone with a warning. */
function refused(name: string, type: string, subtype = 'CONTACT'): KeyholderError {
  const zone = device({
    ...{ device_number: 2, name, subtype, warnings: [{ type, in_memory: false }] },
  })
  const unready = { partitions: [house], command: setState('AWAY', 1), bypassMode: 'manual_bypass' }
  return unreadyRefusal(unready, { devices: [zone] })
}

const english = 'Please change what is wrong here'
const errors = {
  open: refused('Küchenfenster', 'OPENED'),
  danger: refused('Rauchmelder', 'FIRE', 'SMOKE'),
  tamper: refused('Flur', 'TAMPER'),
  code: new KeyholderError('WRONG_USER_CODE', `${english}.`),
  noTest: new KeyholderError('NOT_FOUND', `${english}.`),
  other: new KeyholderError('BAD_RESPONSE', `${english}.`),
}

/** The texts of a message that a person reads. */
function textsOf({ message: { title, text, payload } }: GivenMessage): string[] {
  const all = [title, text, payload, payload?.title, payload?.message, payload?.text]
  return all.filter((one) => typeof one === 'string')
}

/** Returns the nodes that get what the nodes of a type send. */
const behind = (nodes: readonly FlowNode[], type: string): string[] =>
  nodes.filter((node) => node.type === type).flatMap(({ wires = [] }) => wires.flat())

/** Gives the nodes of an example an error, as a Catch node and *panel health* do, and returns the texts that a person gets. */
async function told(started: ExampleHouse, nodes: readonly FlowNode[], error: KeyholderError) {
  const begin = started.given.length
  const { code } = error
  const health = { status: 'rejected', lastError: { code, message: error.message } }
  for (const id of behind(nodes, 'keyholder-health'))
    started.receive(id, { topic: 'Haus/health', payload: health, panel: {} })
  for (const id of behind(nodes, 'catch'))
    started.receive(id, { error: { message: String(error), code }, req: {}, res: {}, topic: 'Haus/command' })
  await processTime.pass(second)
  for (const id of behind(nodes, 'inject')) started.receive(id, { topic: 'Haus/silence' })
  await processTime.pass(second)
  return started.given.slice(begin).flatMap(textsOf)
}

describe('A German example', () => {
  const harness = useFlowHarness()

  for (const example of examples)
    it(`sends no sentence of an error, which is English: ${example}`, async () => {
      const nodes = await readExample(example)
      const started = await ExampleHouse.start(harness, example)
      for (const error of Object.values(errors)) {
        const texts = await told(started, nodes, error)
        for (const text of texts)
          assert.doesNotMatch(text, /Please|ready to arm|Close|Repair|Look there|rejected/, text)
      }
    })

  for (const [example, words] of Object.entries({
    'Nur scharf, wenn alles zu ist': 'Nicht gelungen. ',
    HomeKit: 'Nicht gelungen. ',
    'Scharf, wenn das letzte Telefon geht': 'Niemand ist zu Hause, aber die Zentrale ist nicht scharf. ',
  }))
    it(`says why it is not armed, and names the open zone: ${example}`, async () => {
      const nodes = await readExample(`Deutsch/${example}`)
      const started = await ExampleHouse.start(harness, `Deutsch/${example}`)
      for (const [which, reason] of [
        ['open', 'Offen: Küchenfenster.'],
        ['danger', 'Gefahr gemeldet: Rauchmelder. Sehen Sie zuerst dort nach.'],
        ['tamper', 'Die Zentrale ist nicht bereit.'],
        ['code', 'Benutzercode oder Seriennummer ist falsch.'],
        ['other', 'Grund: BAD_RESPONSE.'],
      ] as const) {
        const texts = await told(started, nodes, errors[which])
        assert.ok(texts.includes(words + reason), texts.join('\n'))
      }
    })

  for (const [example, which, text] of [
    ['Kettentest', 'noTest', 'Diese Antwort erwartet kein Test.'],
    ['Diagnose und Lebenszeichen', 'code', 'Status der Alarmzentrale: Einstellung falsch: WRONG_USER_CODE.'],
    [
      'Zentrale schweigt',
      'code',
      'Haus: eine Weile nichts Neues von der Zentrale (Einstellung falsch). Grund: WRONG_USER_CODE.',
    ],
  ] as const)
    it(`says in German what an error means: ${example}`, async () => {
      const nodes = await readExample(`Deutsch/${example}`)
      const started = await ExampleHouse.start(harness, `Deutsch/${example}`)
      const texts = await told(started, nodes, errors[which])
      assert.ok(texts.includes(text), texts.join('\n'))
    })
})
