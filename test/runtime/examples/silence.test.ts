import assert from 'node:assert/strict'
import { ImportedExamples, silent } from '../../../harness/node-red/imported-examples.ts'

describe('The example that warns of a silent panel, in a real Node-RED', () => {
  let examples: ImportedExamples

  before(async () => {
    examples = await ImportedExamples.open([silent])
    await examples.harness.messages.from(`${silent}: states`).first()
  })
  after(() => examples?.close())
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('warns once, and reports once that the panel is back', async () => {
    const again = 'Our house: the panel is back.'
    const { messages } = examples.harness
    // On a slow machine the start alone may take longer than what counts as silence here; by the second one that is over.
    await examples.waitForHeartbeats(2)
    const before = examples.notifications(silent).length
    const texts = () => examples.notifications(silent).slice(before)
    const warnings = () => texts().filter((text) => text.includes('offline'))
    examples.panel.goOffline()
    await messages.until(() => warnings().length > 0, 'a warning')
    // Silence lasts for longer than what counts as silence.
    await examples.waitForHeartbeats(3, 'offline')
    examples.panel.goOnline()
    await messages.until(() => texts().at(-1) === again, 'the all-clear')
    await examples.waitForHeartbeats(2)
    assert.deepEqual(warnings(), ['Our house: no news of the panel for a while (offline).'])
    // A machine that stood still was silent too: then there are more of both, in turns.
    for (const [at, text] of texts().entries()) {
      if (at > 0) assert.notEqual(text === again, texts()[at - 1] === again, texts().join('\n'))
    }
  })
})
