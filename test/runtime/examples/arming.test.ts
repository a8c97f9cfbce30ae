import assert from 'node:assert/strict'
import { until } from '../../../harness/clock/until.ts'
import { ImportedExamples, kitchenOpen, kitchenWindow } from '../../../harness/node-red/imported-examples.ts'

const closed = 'Arm only when all is closed'

describe('The example that arms only if everything is closed, in a real Node-RED', () => {
  let examples: ImportedExamples

  before(async () => {
    examples = await ImportedExamples.open([closed])
  })
  after(() => examples?.close())
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('refuses to arm with an open window and names it, and arms after it is bypassed', async () => {
    examples.panel.open(kitchenWindow)
    await examples.press(closed, 'arm, nobody at home')
    assert.equal(await examples.waitForNotification(closed, /Failed/), `Failed. ${kitchenOpen}`)
    await examples.press(closed, 'bypass the kitchen window')
    await examples.waitForNotification(closed, /^Zone 2 is bypassed$/)
    await examples.press(closed, 'arm, somebody at home')
    await examples.waitForNotification(
      closed,
      /^Our house: armed, somebody at home\. Bypassed: Kitchen window$/,
    )
    await examples.press(closed, 'disarm')
    await examples.waitForNotification(closed, /^Our house: disarmed$/)
    await examples.press(closed, 'remove the bypass')
    await examples.waitForNotification(closed, /^Zone 2 is no longer bypassed$/)
    assert.equal(examples.notifications(closed).length, 5)
  })

  it('arms past an open window and names it, and the panel ends the bypass with the disarm', async () => {
    examples.panel.open(kitchenWindow)
    await examples.press(closed, 'arm past open zones')
    await examples.waitForNotification(
      closed,
      /^Our house: armed, nobody at home\. Bypassed: Kitchen window$/,
    )
    await examples.press(closed, 'disarm')
    await until(() => examples.panel.zone(kitchenWindow).traits.bypass?.enabled === false)
  })
})
