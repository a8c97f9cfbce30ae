import assert from 'node:assert/strict'
import promises, { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { event } from '../../../../harness/fixtures/samples.ts'
import { CursorFile } from '../../../../src/panel/events/cursor/cursor-file.ts'
import type { CursorStore } from '../../../../src/panel/events/cursor/cursor-store.ts'
import { listingOf } from '../../../../src/panel/events/cursor/folder-listing.ts'
import { EventDelivery } from '../../../../src/panel/events/event-delivery.ts'
import { lastingLease } from '../../../../src/panel/lease.ts'
import {
  cursorCopies,
  localPanelStores,
  removeCopiesOfGoneNodes,
} from '../../../../src/panel/panel-stores.ts'

describe('The cursor of a process that was in a cluster and is alone', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

  const all = { id: '', instances: 'one' } as const
  const alone = (id = 'panel') => localPanelStores({ id }, folder, new FakeClock()).cursor(all)
  const copy = (id: string, panel = 'panel') => cursorCopies({ id: panel }, folder, () => {})({ id })

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

  it('takes the notes of a node from the file that was written last', async () => {
    await deliver(alone(), ['a'], 1, 2)
    const { state } = await alone().load('A1')
    assert.ok(state)
    const own = alone()
    await own.load('A1')
    await copy('a').load('A1')
    await copy('a').save({ ...state, notes: { a: 'of the copy' } }, [])
    await own.save({ ...state, notes: { a: 'of the panel' } })
    const [one = '', other = ''] = (await files()).map((name) => join(folder, name))
    const [panelFile, copyFile] = one.length < other.length ? [one, other] : [other, one]
    for (const [older, newer, notes] of [
      [copyFile, panelFile, 'of the panel'],
      [panelFile, copyFile, 'of the copy'],
    ] as const) {
      await utimes(older, 1000, 1000)
      await utimes(newer, 2000, 2000)
      assert.deepEqual((await alone().load('A1')).state?.notes, { a: notes })
    }
  })

  it('does not touch the file of another panel whose id begins with its own', async () => {
    await deliver(alone('panel-2'), ['a', 'b'], 1)
    await deliver(alone('panel-3'), ['a'], 1)
    await deliver(alone(), ['a'], 1)
    await deliver(alone(), ['a'], 1, 2)
    await removeCopiesOfGoneNodes({ id: 'panel' }, folder, listingOf(folder), new Set())
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

  describe('when many panels start together', () => {
    const panels = Array.from({ length: 50 }, (_, index) => `panel-${index}`)
    const original = promises.readdir
    let listings = 0
    beforeEach(() => {
      listings = 0
      const counting = (...args: Parameters<typeof original>) => {
        listings += 1
        return original(...args)
      }
      Object.assign(promises, { readdir: counting })
      syncBuiltinESMExports()
    })
    afterEach(() => {
      Object.assign(promises, { readdir: original })
      syncBuiltinESMExports()
    })

    it('takes one listing of their folder for all of them', async () => {
      for (const panel of panels) await copy('a', panel).noteShared()
      const cursors = panels.map(alone)
      for (const cursor of cursors) assert.equal((await cursor.load('A1')).doubtful, true)
      assert.equal(listings, 1)
    })

    it('takes one listing of their folder for all of them, to remove files in a cluster', async () => {
      for (const panel of panels) await copy('gone', panel).noteShared()
      const asked = panels.map((id) => ({ id, listing: listingOf(folder) }))
      for (const { id, listing } of asked) {
        await removeCopiesOfGoneNodes({ id }, folder, listing, new Set(['a']))
      }
      assert.equal(listings, 1)
      assert.deepEqual(await files(), [])
    })
  })

  it('sees the files that were there when its panel started, also if other panels have started before', async () => {
    await alone('other').load('A1')
    await deliver(shared('a'), ['a'], 1)
    assert.deepEqual(await deliver(alone(), ['a'], 1, 2), { a: '2!' })
  })

  it('sees what its panel still wrote in a cluster until the first node uses it', async () => {
    const stores = localPanelStores({ id: 'panel' }, folder, new FakeClock())
    await alone('other').load('A1')
    await copy('a').noteShared()
    assert.equal((await stores.cursor(all).load('A1')).doubtful, true)
  })

  it('sees the files that have appeared since, if it is loaded again', async () => {
    const cursor = alone()
    assert.equal((await cursor.load('A1')).doubtful, false)
    await copy('a').noteShared()
    assert.equal((await cursor.load('A1')).doubtful, true)
  })

  it('is not doubtful because another panel has removed a file since the folder was listed', async () => {
    await copy('a', 'panel-2').noteShared()
    const [mine, other] = [alone(), alone('panel-2')]
    await other.load('A1')
    await rm(join(folder, 'events-panel-2-a.json'))
    assert.equal((await mine.load('A1')).doubtful, false)
  })

  it('loses in a cluster the files of nodes that are gone, and those of no others', async () => {
    for (const id of ['a', 'b', 'instance-inner', 'gone']) await deliver(shared(id), [id], 1)
    await copy('marked').noteShared()
    const present = new Set(['a', 'b', 'inner', 'instance'])
    await removeCopiesOfGoneNodes({ id: 'panel' }, folder, listingOf(folder), present)
    const kept = ['a', 'b', 'instance-inner'].map((id) => `events-panel-${id}.json`)
    assert.deepEqual(await files(), kept)
  })
})
