import assert from 'node:assert/strict'
import { panelSettings } from '../../src/panel/panel-settings.ts'

describe('The intervals of a panel', () => {
  const demo = { serials: ['D1'], userCode: '1' }
  const intervals = (raw: object, ofDemo = false) => {
    const settings = panelSettings(
      { id: 'p1', serial: 'A1', userCode: '1', ...raw },
      ofDemo ? demo : undefined,
    )
    return [settings.stateEvery, settings.eventsEvery, settings.devicesEvery]
  }
  const saved = { stateEvery: 30, eventsEvery: '60', devicesEvery: 300 }

  it('are left to the pace where they are empty or missing, in the demo too', () => {
    for (const ofDemo of [false, true]) {
      assert.deepEqual(intervals({}, ofDemo), [null, null, null])
      assert.deepEqual(intervals({ stateEvery: '', eventsEvery: ' ', devicesEvery: null }, ofDemo), [
        null,
        null,
        null,
      ])
    }
  })

  it('are as entered, and at most 10 seconds in the demo', () => {
    assert.deepEqual(intervals(saved), [30_000, 60_000, 300_000])
    assert.deepEqual(intervals({ ...saved, devicesEvery: '' }), [30_000, 60_000, null])
    assert.deepEqual(intervals(saved, true), [10_000, 10_000, 10_000])
  })
})
