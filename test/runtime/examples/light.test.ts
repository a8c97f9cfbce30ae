import assert from 'node:assert/strict'
import { until } from '../../../harness/clock/until.ts'
import { frontDoor, ImportedExamples } from '../../../harness/node-red/imported-examples.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const light = 'Light when the door opens'

describe('The example that turns on a light, in a real Node-RED', () => {
  let examples: ImportedExamples

  before(async () => {
    examples = await ImportedExamples.open([light])
  })
  after(() => examples?.close())
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('turns it on when the door opens, and off after a while', async () => {
    const { messages } = examples.harness
    const shown = () => messages.from(`${light}: light`).all.map(({ payload }) => payload)
    // A door that is open at the start does not count.
    await until(() => requestsTo(examples.harness.simulator, 'devices') > 1)
    examples.panel.open(frontDoor)
    await messages.until(() => shown().length === 2, 'on and off')
    assert.deepEqual(shown(), [true, false])
    examples.panel.close(frontDoor)
    await examples.press(light, 'try it')
    await messages.until(() => shown().length === 4, 'on and off again')
    assert.deepEqual(shown(), [true, false, true, false])
  })
})
