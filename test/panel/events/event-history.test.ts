import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { collectGarbage } from '../../../harness/metrics/gc.ts'
import { blankHistory, columnsOf, remember } from '../../../src/panel/events/event-history.ts'
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

describe('The history of a panel', () => {
  it('keeps one number for each event, unless events came late or equal others', () => {
    const sizes = (occurrences: number[], sequences: number[]) => {
      const kept = columnsOf({ hashes: [7, 8, 9], occurrences, sequences }, 4)
      return [kept.hashes.length, kept.occurrences.length, kept.sequences.length]
    }
    assert.deepEqual(sizes([1, 1, 1], [1, 2, 3]), [3, 0, 0])
    assert.deepEqual(sizes([1, 1, 2], [1, 2, 3]), [3, 3, 0])
    assert.deepEqual(sizes([1, 1, 1], [1, 3, 2]), [3, 0, 3])
    const list = { hashes: [7, 8], occurrences: [1, 1], sequences: [1, 2], rows: [-1, -1] }
    assert.equal(remember(blankHistory, list, 3, true).sequences.length, 0)
  })
})
