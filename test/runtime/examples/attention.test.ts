import assert from 'node:assert/strict'
import { type Addition, frontDoor, ImportedExamples } from '../../../harness/node-red/imported-examples.ts'

const attention = 'What is open or wrong'

/** Lists an open door at once instead of after a minute. */
const atOnce: Addition = (flows) =>
  flows.flatMap((node) => (node.type === 'keyholder-conditions' ? [{ ...node, openAfter: '' }] : []))

describe('The example that lists what is open or wrong, in a real Node-RED', () => {
  let examples: ImportedExamples

  before(async () => {
    examples = await ImportedExamples.open([attention], { [attention]: atOnce })
  })
  after(() => examples?.close())
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('tells an open door in a sentence and as a color, and that all is fine when it is closed', async () => {
    const { messages } = examples.harness
    const colors = () => examples.texts(`${attention}: color`)
    await examples.press(attention, 'tell me now')
    assert.equal(await examples.waitForNotification(attention, /./), 'All is fine.')
    examples.panel.open(frontDoor)
    assert.match(
      await examples.waitForNotification(attention, /open/),
      /^Front door has been open since .+\.$/,
    )
    examples.panel.goOffline()
    const both = await examples.waitForNotification(attention, /\n/)
    assert.match(both, /^The panel has been offline since .+\.\nFront door has been open since .+\.$/)
    examples.panel.goOnline()
    examples.panel.close(frontDoor)
    await messages.until(() => colors().length > 1 && colors().at(-1) === 'green', 'green again')
    assert.deepEqual([...new Set(colors())], ['green', 'yellow', 'red'])
    await messages.until(() => examples.notifications(attention).at(-1) === 'All is fine.', 'all is fine')
  })

  it('is red for a running alarm, and neither green nor fine until somebody has ended it', async () => {
    const { messages } = examples.harness
    const colors = () => examples.texts(`${attention}: color`)
    const { panel } = examples
    const [known, heard] = [colors().length, examples.notifications(attention).length]
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(2)
    assert.match(
      await examples.waitForNotification(attention, /Burglary/),
      /^Burglary: Kitchen window, since .+\./,
    )
    panel.close(2)
    await messages.until(() => !/open/.test(examples.notifications(attention).at(-1) ?? ''), 'closed')
    assert.match(examples.notifications(attention).at(-1) ?? '', /^Burglary: Kitchen window, since .+\.$/)
    await messages.until(() => colors().slice(known).includes('red'), 'red')
    // The devices may be read before the alarm: then the open window is told a moment before.
    const told = [...new Set(colors().slice(known))]
    assert.deepEqual(told.slice(told.indexOf('red')), ['red'])
    assert.ok(!told.includes('green'))
    assert.ok(!examples.notifications(attention).slice(heard).includes('All is fine.'))
    panel.disarm(1)
    await examples.waitForNotification(attention, /^There was an alarm: Kitchen window/)
    await messages.until(() => colors().at(-1) === 'yellow', 'yellow')
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.disarm(1)
    await messages.until(() => examples.notifications(attention).at(-1) === 'All is fine.', 'all is fine')
  })
})
