import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { collectGarbage } from '../../../harness/metrics/gc.ts'
import { Panel } from '../../../src/panel/panel.ts'
import { panelSettings } from '../../../src/panel/panel-settings.ts'

describe('A panel with subscribers', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  it('keeps no events in memory after they were delivered and recorded', async () => {
    const { account, folder, clock, panel: key } = at
    at.simulator.world.panel(key.serial).addEvents(30)
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    const panel = new Panel(panelSettings({ id: 'panel', ...key }, undefined), account, folder, reports)
    const delivered: WeakRef<object>[] = []
    panel.eventDeliveries.subscribe(
      { id: 'node', instances: 'one' },
      {
        policy: { first: 'deliver', missed: 'deliver' },
        events: (deliveries) => delivered.push(...deliveries.map(({ event }) => new WeakRef(event))),
        gap: () => {},
      },
    )
    const snapshot = new Promise<void>((resolve) => {
      panel.events.subscribe({ snapshot: () => resolve(), condition: () => {} })
    })
    await snapshot
    assert.equal(delivered.length, 30)
    clock.advance(1000)
    const cursor = () => readFile(join(folder, 'events-panel.json'), 'utf8').catch(() => '')
    while (!(await cursor()).includes('"node"')) await new Promise(setImmediate)
    await panel.eventDeliveries.close()

    await collectGarbage()
    assert.deepEqual(
      delivered.filter((event) => event.deref() !== undefined),
      [],
    )
  })
})
