import assert from 'node:assert/strict'
import { ImportedExamples, kitchenWindow } from '../../../harness/node-red/imported-examples.ts'

const many = 'Many panels'
const glance = 'All panels at a glance'

describe('The examples for many panels, in a real Node-RED', () => {
  let examples: ImportedExamples

  before(async () => {
    examples = await ImportedExamples.open([many, glance])
  })
  after(() => examples?.close())
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('tell what needs attention with the name of the customer, by one subflow', async () => {
    await examples.press(many, 'ask all')
    const { title, payload } = await examples.harness.messages.from(`${many}: notification`).first()
    assert.deepEqual([title, payload], ['Customer 1: 0 to check', 'All is fine.'])
    const { panel } = examples
    const user = { appointment: 'Dmitri', device_type: 'USER', zone: 4, zone_name: 'Dmitri', partitions: [2] }
    panel.log({ type_id: 15, ...user })
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(kitchenWindow)
    const isAlarm = ({ title: text }: { title?: unknown }) => text === 'Customer 1: Burglary: Kitchen window'
    const sent = examples.harness.messages.from(`${many}: notification`)
    const alarm = await sent.first(isAlarm)
    assert.deepEqual([alarm.kind, alarm.news, alarm.rings], ['burglary', 'alarm', true])
    panel.close(kitchenWindow)
    panel.disarm(1)
    const over = await sent.first(({ title }) => title === 'Customer 1: Over: Burglary, Kitchen window')
    assert.deepEqual([over.id, over.news, over.rings], [alarm.id, 'over', false])
    // Whoever threatens Dmitri could read it.
    assert.ok(sent.all.every(({ title, payload }) => !/isarmed/.test(title) && !/Dmitri/.test(payload)))
  })

  it('keep one row for each panel, with its state and what is first to check', async () => {
    const rows = () => examples.harness.messages.from(`${glance}: panels`).all.map(({ payload }) => payload)
    await examples.press(glance, 'read now')
    const isComplete = () => {
      const row = rows().at(-1)?.[0]
      return row?.state === 'DISARM' && typeof row.attention === 'number'
    }
    await examples.harness.messages.until(isComplete, 'a complete row')
    assert.equal(rows().at(-1).length, 1)
    examples.panel.goOffline()
    const isOffline = () => rows().at(-1)?.[0].first.startsWith('The panel has been offline')
    await examples.harness.messages.until(isOffline, 'the panel is offline')
    assert.equal(rows().at(-1)[0].online, false)
  })
})
