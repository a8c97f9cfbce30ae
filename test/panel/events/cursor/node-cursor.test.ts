import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CursorFile } from '../../../../src/panel/events/cursor/cursor-file.ts'
import type { CursorState } from '../../../../src/panel/events/cursor/cursor-format.ts'
import { columnsOf } from '../../../../src/panel/events/event-history.ts'
import { nodeCursors } from '../../../../src/panel/panel-stores.ts'

/** Returns the state after events with these hashes. */
function stateOf(hashes: readonly number[], positions: Record<string, number>): CursorState {
  const [next, sequences] = [hashes.length + 1, hashes.map((_, index) => index + 1)]
  const columns = columnsOf({ hashes, occurrences: hashes.map(() => 1), sequences }, next)
  const memory = { ...columns, next, order: 'oldest first', newest: null, moved: null } as const
  return { serial: 'A1', memory, positions }
}

describe('The cursor of a node in the files of an instance', () => {
  let folder: string
  let notices: string[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    notices = []
  })
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

  /** Opens the cursor of a node as a new process does. */
  const open = (id = 'node') =>
    nodeCursors({ id: 'panel', serial: 'A1' }, folder, (sentence) => notices.push(sentence))({ id })
  const savePanel = (state: CursorState, open: readonly string[] = []) =>
    new CursorFile(join(folder, 'events-panel.json')).save(state, open)

  it('is nothing at first', async () => {
    const { state, intended, doubtful } = await open().load('A1')
    assert.deepEqual([state, [...intended], doubtful], [null, [], false])
    assert.equal(await open().join(), false)
  })

  it('is in a file of the node that only its owner can read, and is doubtful', async () => {
    await open('a node').copy(stateOf([1, 2], { 'a node': 2 }))
    assert.deepEqual(await readdir(folder), ['events-panel~a_node.json'])
    assert.equal((await stat(join(folder, 'events-panel~a_node.json'))).mode & 0o777, 0o600)
    const { state, intended, doubtful } = await open('a node').load('A1')
    assert.deepEqual([state, [...intended], doubtful], [stateOf([1, 2], { 'a node': 2 }), [], true])
  })

  it("is the node's part of the panel's file, and exact, if this process was alone until now", async () => {
    const alone = stateOf([1, 2], { node: 1, other: 2 })
    await savePanel({ ...alone, firstRuns: { node: 1, other: 2 } }, ['key'])
    const { state, intended, doubtful } = await open().load('A1')
    assert.deepEqual([[...intended], doubtful], [['key'], false])
    assert.deepEqual(state, { ...alone, positions: { node: 1 }, firstRuns: { node: 1 } })
    assert.equal(await open().join(), true)
    assert.deepEqual((await open('new').load('A1')).state?.positions, {})
    assert.equal(await open('new').join(), false)
  })

  it("does not take the panel's file for exact once another instance has delivered to the node", async () => {
    await savePanel(stateOf([1], { node: 1, other: 1 }))
    await open().noteShared()
    const { state, doubtful } = await open().load('A1')
    assert.deepEqual([state?.positions, doubtful], [{ node: 1 }, true])
    assert.equal(await open().join(), false)
    assert.equal((await open('other').load('A1')).doubtful, false)
  })

  it("is the node's own file if there are both, also if a note of another instance comes late", async () => {
    await savePanel(stateOf([1], { node: 1 }))
    await open().copy(stateOf([1, 2], { node: 2 }))
    await open().noteShared()
    assert.deepEqual((await open().load('A1')).state?.positions, { node: 2 })
  })

  it('is exact again when a process that has left the cluster has written it, until another instance delivers', async () => {
    const state = stateOf([1, 2], { node: 2 })
    await open().copy(stateOf([1], { node: 1 }))
    assert.equal((await open().load('A1')).doubtful, true)
    await open().save(state)
    assert.deepEqual(await open().load('A1'), { state, intended: new Set(), doubtful: false })
    assert.equal(await open().join(), true)
    await open().noteShared()
    assert.deepEqual(await open().load('A1'), { state, intended: new Set(), doubtful: true })
    assert.equal(await open().join(), false)
  })

  it("is the panel's part, and doubtful, if the node's own file is damaged", async () => {
    await savePanel(stateOf([1], { node: 1 }))
    await writeFile(join(folder, 'events-panel~node.json'), '{')
    const { state, doubtful } = await open().load('A1')
    assert.deepEqual([state?.positions, doubtful], [{ node: 1 }, true])
  })

  it('tells once that it cannot be written, and again after it could', async () => {
    const [cursor, file] = [open(), join(folder, 'events-panel~node.json.new')]
    const state = stateOf([1], { node: 1 })
    // Not even root can write a file where a folder is.
    const block = () => mkdir(file)
    await block()
    await cursor.copy(state)
    await cursor.copy(state)
    assert.equal(notices.length, 1)
    assert.match(
      notices[0] ?? '',
      /events-panel~node\.json cannot be written .* if the Redis of the cluster loses/,
    )
    await rm(file, { recursive: true })
    await cursor.copy(state)
    await block()
    await cursor.copy(state)
    assert.equal(notices.length, 2)
  })
})
