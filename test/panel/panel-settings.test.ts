import assert from 'node:assert/strict'
import { minute } from '../../src/duration.ts'
import { devicesInterval, panelSettings } from '../../src/panel/panel-settings.ts'

describe('The polls of the devices', () => {
  const settings = (devicesEvery?: number) =>
    panelSettings({ id: 'p1', serial: 'A1B2C3', userCode: '1234', devicesEvery }, undefined)

  it('follow each other after five minutes, or a minute while a node waits for doors', () => {
    assert.equal(devicesInterval(settings(), false), 5 * minute)
    assert.equal(devicesInterval(settings(), true), minute)
  })

  it('follow each other as entered', () => {
    for (const isDoorAwaited of [false, true])
      assert.equal(devicesInterval(settings(120), isDoorAwaited), 2 * minute)
  })
})
