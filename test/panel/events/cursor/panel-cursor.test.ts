import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { event } from '../../../../harness/fixtures/samples.ts'
import { CursorFile } from '../../../../src/panel/events/cursor/cursor-file.ts'
import type { CursorStore } from '../../../../src/panel/events/cursor/cursor-store.ts'
import { EventDelivery } from '../../../../src/panel/events/event-delivery.ts'
import {
  cursorCopies,
  localPanelStores,
  removeCopiesOfGoneNodes,
} from '../../../../src/panel/panel-stores.ts'
import { lastingLease } from '../../../../src/panel/polling/lease.ts'

describe('The cursor of a process that was in a cluster and is alone', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

  const all = { id: '', instances: 'one' } as const
  const alone = (id = 'panel') => localPanelStores({ id }, folder, new FakeClock()).cursor(all)
  const copy = (id: string) => cursorCopies({ id: 'panel' }, folder, () => {})({ id })

  /** The cursor of a node in a cluster, as far as files of this instance are concerned. */
  const shared = (id: string): CursorStore => ({
    isShared: true,
    load: (serial) => copy(id).load(serial),
    intend: async () => {},
    save: (state, open = []) => copy(id).save(state, open),
  })

  /** Has nodes get a list from a cursor; returns the events by node, with an exclamation mark if they may be repeats. */
  async function deliver(cursor: CursorStore, nodes: readonly string[], ...ids: number[]) {
    const clock = new FakeClock()
    const reports = { outage: assert.fail, recovery: () => {}, notice: () => {} }
    const lease = lastingLease(() => clock.monotonic())
    const delivery = new EventDelivery<null>('A1', { lease, cursor }, clock, reports)
    const received: Record<string, string> = {}
    for (const id of nodes) {
      delivery.subscribe(id, {
        policy: { first: 'skip', missed: 'deliver' },
        events: (events) => {
          const texts = events.map(({ event, redelivered }) => `${event.event}${redelivered ? '!' : ''}`)
          received[id] = texts.join(' ')
        },
        gap: () => assert.fail('a gap'),
      })
    }
    const list = ids.map((id) => event({ event: id, datetime: `2026-01-02 03:04:${id + 10}` }))
    await delivery.accept(list, null)
    clock.advance(500)
    await delivery.accept([], null)
    return received
  }
  const files = async () => (await readdir(folder)).filter((name) => !name.endsWith('.previous')).sort()

  it('goes on where each node was in the cluster, and removes the files of the nodes', async () => {
    await deliver(alone(), ['a', 'b', 'away'], 1, 2)
    assert.deepEqual(await deliver(shared('a'), ['a'], 1, 2, 3), { a: '3' })
    assert.deepEqual(await deliver(shared('b'), ['b'], 1, 2, 3, 4), { b: '3 4' })
    assert.deepEqual(await files(), ['events-panel-a.json', 'events-panel-b.json', 'events-panel.json'])
    const received = await deliver(alone(), ['a', 'b', 'away'], 1, 2, 3, 4, 5)
    assert.deepEqual(received, { a: '4! 5!', b: '5!', away: '3! 4! 5!' })
    assert.deepEqual(await readdir(folder), ['events-panel.json', 'events-panel.json.previous'])
    assert.deepEqual(await deliver(alone(), ['a', 'b'], 4, 5, 6), { a: '6', b: '6' })
  })

  it('goes on with the files of the nodes alone if the panel has none', async () => {
    await deliver(shared('a'), ['a'], 1, 2)
    assert.deepEqual(await deliver(alone(), ['a', 'new'], 1, 2, 3), { a: '3!' })
  })

  it('keeps the files of the nodes until it has saved what they say', async () => {
    await deliver(alone(), ['a'], 1)
    await deliver(shared('a'), ['a'], 1, 2)
    await alone().load('A1')
    assert.deepEqual(await deliver(alone(), ['a'], 1, 2, 3), { a: '3!' })
  })

  it('does not believe its own file if other instances have delivered since', async () => {
    await deliver(alone(), ['a'], 1)
    await copy('a').noteShared()
    assert.deepEqual(await deliver(alone(), ['a'], 1, 2), { a: '2!' })
    assert.deepEqual(await files(), ['events-panel.json'])
    assert.deepEqual(await deliver(alone(), ['a'], 1, 2, 3), { a: '3' })
  })

  it('does not touch the file of another panel whose id begins with its own', async () => {
    await deliver(alone('panel-2'), ['a', 'b'], 1)
    await deliver(alone('panel-3'), ['a'], 1)
    await deliver(alone(), ['a'], 1)
    await deliver(alone(), ['a'], 1, 2)
    await removeCopiesOfGoneNodes({ id: 'panel' }, folder, [])
    assert.deepEqual(await files(), ['events-panel-2.json', 'events-panel-3.json', 'events-panel.json'])
  })

  it('renames a damaged file of a node, and flags what that node may have received', async () => {
    await deliver(alone(), ['a'], 1)
    await writeFile(join(folder, 'events-panel-a.json'), '{')
    assert.deepEqual(await deliver(alone(), ['a'], 1, 2), { a: '2!' })
    assert.ok((await files()).includes('events-panel-a.json.damaged-1'))
  })

  it('begins anew if the file of a node is about a panel with another serial, and removes it', async () => {
    await new CursorFile(join(folder, 'events-panel-a.json')).save({
      ...((await savedState()) ?? assert.fail()),
      serial: 'B2',
    })
    assert.deepEqual(await deliver(alone(), ['a'], 1, 2), {})
    assert.deepEqual(await files(), ['events-panel.json'])
  })

  /** Returns a state in which a node has received one event. */
  async function savedState() {
    await deliver(shared('a'), ['a'], 1)
    return (await copy('a').load('A1')).state
  }

  it('loses in a cluster the files of nodes that are gone, and those of no others', async () => {
    for (const id of ['a', 'b', 'instance-inner', 'gone']) await deliver(shared(id), [id], 1)
    await copy('marked').noteShared()
    await removeCopiesOfGoneNodes({ id: 'panel' }, folder, ['a', 'b', 'inner', 'instance'])
    const kept = ['a', 'b', 'instance-inner'].map((id) => `events-panel-${id}.json`)
    assert.deepEqual(await files(), kept)
  })
})
