import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cursorFile, linesAbout } from '../../../../harness/cursors/cursor-files.ts'
import { createEventLoad, noneLost } from '../../../../harness/node-red/event-load.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../../harness/node-red.ts'

/** Damage to a cursor file, by a power cut or a person. */
interface Damage {
  /** Does it to the file, of which this is the content; the nodes were told all that had happened until a time. */
  harm(path: string, whole: Buffer, toldUntil: Date): Promise<unknown>
  /** Pattern of the single line in the log; undefined if nothing is logged. */
  says: RegExp | undefined
  /** True if the nodes begin anew. */
  isAllGone?: boolean
  /** True if the positions are lost, so that each node is told a gap. */
  hasGap?: boolean
}

const usesCopy =
  /(is damaged|is not a regular file|is missing)( and was renamed to events-\S+\.damaged-1)?\. .* continue with an older copy/
const tellsGap =
  /is damaged and was renamed to events-\S+\.damaged-1\. .* There is no usable copy\. The nodes tell a gap/
const hasChanged = /serial number of this panel has changed.* renamed to events-\S+\.damaged-1\. The nodes /
const continues = RegExp(`${hasChanged.source}continue with an older copy`)
const startsNew = RegExp(`${hasChanged.source}start a new one`)

/** The same damage with the previous copy gone as well. */
function alone({ harm }: Damage, says = tellsGap): Damage {
  const both = async (path: string, whole: Buffer, toldUntil: Date) => {
    await rm(`${path}.previous`, { force: true })
    await harm(path, whole, toldUntil)
    await utimes(path, toldUntil, toldUntil)
  }
  return { harm: both, says, isAllGone: says === startsNew, hasGap: says === tellsGap }
}

const replacedBy = (
  content: string | ((whole: Buffer) => string | Buffer),
  says: RegExp = usesCopy,
): Damage => ({
  harm: (path, whole) => writeFile(path, typeof content === 'string' ? content : content(whole)),
  says,
})

const stateOf = (whole: Buffer) => whole.toString().split('\n')[0] ?? ''
const ofAnotherPanel = replacedBy(
  (whole) => stateOf(whole).replace(/"serial":"[^"]*"/, '"serial":"FFFFFF"'),
  continues,
)

/** Returns cuts of the file. Behind the state only intents are cut off. */
function cuts(whole: Buffer): [string, Damage][] {
  const end = stateOf(whole).length
  const step = Math.ceil(whole.length / 25)
  const lengths = Array.from({ length: 24 }, (_, at) => (at + 1) * step).filter((length) => length !== end)
  return lengths.map((length) => {
    const says = length < end ? usesCopy : undefined
    return [`cut${length}`, { harm: (path) => truncate(path, length), says }]
  })
}

const damages: [string, Damage][] = [
  ['intact', { harm: async () => {}, says: undefined }],
  ['empty', replacedBy('')],
  ['zeros', replacedBy((whole) => Buffer.alloc(whole.length))],
  ['zeroTail', replacedBy((whole) => Buffer.concat([whole.subarray(0, 40), Buffer.alloc(whole.length)]))],
  ['zeroIntent', { ...replacedBy((whole) => `${stateOf(whole)}\n${'\0'.repeat(80)}`), says: undefined }],
  ['garbage', replacedBy('\u001f\u008b nonsense \n\u0000')],
  ['list', replacedBy('[]')],
  ['otherProgram', replacedBy('{"flows":[{"id":"1"}]}')],
  ['laterVersion', replacedBy((whole) => whole.toString().replace('"format":1', '"format":2'))],
  ['otherPanel', ofAnotherPanel],
  ['huge', { harm: (path) => truncate(path, 50 * 1024 * 1024), says: usesCopy }],
  ['hugeJson', replacedBy(`[${'0,'.repeat(25_000_000)}0]`)],
  [
    'folder',
    {
      harm: async (path) => {
        await rm(path)
        await mkdir(join(path, 'with', 'content'), { recursive: true })
      },
      says: usesCopy,
    },
  ],
  ['gone', { harm: (path) => rm(path), says: usesCopy }],
  ['leftover', { harm: (path, whole) => writeFile(`${path}.new`, whole.subarray(0, 50)), says: undefined }],
  [
    'leftoverAlone',
    {
      harm: async (path, whole) => {
        await writeFile(`${path}.new`, whole.subarray(0, 50))
        await rename(path, `${path}.previous`)
      },
      says: usesCopy,
    },
  ],
  ['emptyAlone', alone(replacedBy(''))],
  ['garbageAlone', alone(replacedBy('nonsense'))],
  ['otherPanelAlone', alone(ofAnotherPanel, startsNew)],
]

describe('A cursor file in a real Node-RED', () => {
  let harness: NodeRedHarness
  beforeEach(async () => {
    harness = await startNodeRedHarness()
  })
  afterEach(() => harness.close())

  const fileOf = (panel: string) => cursorFile(harness, panel)

  it('that is truncated, empty, zeroed, replaced or half written is named in one log line and kept, no event is lost or repeated without a flag, and a gap is told if no copy is left', async () => {
    // All the panel nodes see the same panel, and each has a cursor of its own: one start tries all damages.
    const names = [...damages.map(([name]) => name), ...Array.from({ length: 24 }, (_, at) => `slot${at}`)]
    const nodes = names.flatMap((name) => [
      { id: `all ${name}`, type: 'keyholder-events', panel: name, first: 'deliver' },
      { id: `new ${name}`, type: 'keyholder-events', panel: name, first: 'skip' },
    ])
    const placed = (some: readonly string[]) =>
      harness.writeFlows(
        nodes.filter(({ panel }) => some.includes(panel)),
        { panels: some, every: 0.4 },
      )
    await placed(names)
    const before = harness.startNodeRed()
    const events = createEventLoad(harness, ...names.map((name) => `all ${name}`))
    // What is told second is told when what was told first is saved.
    await events.finish()
    await events.finish()
    await before.stop()
    const toldUntil = new Date()

    // One of them is killed when events are told, and not yet confirmed, so that there are intents behind the state.
    await placed(['intact'])
    const killed = harness.startNodeRed()
    const one = createEventLoad(harness, 'all intact')
    one.addEvents()
    await one.waitForAll()
    events.addEvents(3)
    one.addEvents(3)
    await one.waitForAll()
    await killed.kill()
    const contentFor = async (name: string, file: string) =>
      (await readFile(file, 'utf8')).replaceAll(' intact"', ` ${name}"`)
    for (const name of names) {
      for (const copy of ['', '.previous']) {
        await writeFile(fileOf(name) + copy, await contentFor(name, fileOf('intact') + copy))
      }
    }

    const whole = await readFile(fileOf('intact'))
    const cut = cuts(whole).map(([, damage], at): [string, Damage] => [`slot${at}`, damage])
    const harmed = new Map<string, Buffer | 'folder'>()
    const all = [...damages, ...cut]
    for (const [name, damage] of all) {
      await damage.harm(fileOf(name), await readFile(fileOf(name)), toldUntil)
      const content = await readFile(fileOf(name)).catch(() => 'folder' as const)
      if (damage.says !== undefined && !['gone', 'leftoverAlone'].includes(name)) harmed.set(name, content)
    }
    events.addEvents(2)
    const toldBefore = new Map(names.map((name) => [name, harness.messages.from(`new ${name}`).all.length]))

    await placed(names)
    const after = harness.startNodeRed()
    await events.finish()
    await events.finish()
    for (const [name, { says, isAllGone, hasGap }] of all) {
      assert.deepEqual(events.countsAt(`all ${name}`), { ...noneLost, gaps: hasGap ? 1 : 0 }, name)
      const lines = linesAbout(after, fileOf(name))
      if (says === undefined) assert.deepEqual(lines, [], name)
      else assert.ok(lines.length === 1 && says.test(lines[0] ?? ''), `${name}: ${lines.join('\n')}`)
      const content = harmed.get(name)
      if (content !== undefined && content !== 'folder') {
        assert.ok((await readFile(`${fileOf(name)}.damaged-1`)).equals(content), `${name} is kept`)
      }
      const told = () => harness.messages.from(`new ${name}`).all.length - (toldBefore.get(name) ?? 0)
      // Those that come again or happened meanwhile, and one for each time that all were waited for.
      if (isAllGone) assert.ok(told() <= 3, `${name} does not begin anew: ${told()} events`)
      else await harness.messages.until(() => told() >= 4, `four events at ${name}`)
    }
    assert.deepEqual(await readdir(`${fileOf('folder')}.damaged-1`), ['with'])
    await after.kill()

    const again = harness.startNodeRed()
    await events.finish()
    const gaps = all.filter(([, { hasGap }]) => hasGap).length
    assert.deepEqual(events.counts, { ...noneLost, gaps })
    for (const name of names) assert.deepEqual(linesAbout(again, fileOf(name)), [], `${name} a second time`)
  })
})
