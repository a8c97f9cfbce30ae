import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { EventLoad, perfect } from '../support/event-load.ts'
import { Laboratory, panelId } from '../support/laboratory.ts'
import type { NodeRedProcess } from '../support/node-red-process.ts'

const run = promisify(execFile)

/** What a power cut, or somebody, did to a cursor file. */
interface Damage {
  /** Does it to the file, of which this is the content. */
  harm(path: string, whole: Buffer): Promise<unknown>
  /** What the one line in the log says; nothing where there is nothing to say. */
  says: RegExp | undefined
  /** Whether all that was known is gone, the previous copy too. */
  isAllGone?: true
}

const usesCopy =
  /(is damaged|is no file|is missing|is of another panel)( and now called events-\S+\.damaged-1)?\. Its previous copy is used/
const beginsAnew =
  /(is damaged|is of another panel) and now called events-\S+\.damaged-1, and no previous copy/

/** The same damage with the previous copy gone as well. */
function alone({ harm }: Damage): Damage {
  const both = async (path: string, whole: Buffer) => {
    await rm(`${path}.previous`, { force: true })
    await harm(path, whole)
  }
  return { harm: both, says: beginsAnew, isAllGone: true }
}

const replacedBy = (
  content: string | ((whole: Buffer) => string | Buffer),
  says: RegExp = usesCopy,
): Damage => ({
  harm: (path, whole) => writeFile(path, typeof content === 'string' ? content : content(whole)),
  says,
})

const stateOf = (whole: Buffer) => whole.toString().split('\n')[0] ?? ''
const ofAnotherPanel = replacedBy((whole) => stateOf(whole).replace(/"serial":"[^"]*"/, '"serial":"FFFFFF"'))

/** What is cut off behind the state is an intent; between the two nothing shows that there was more. */
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
  ['otherPanelAlone', alone(ofAnotherPanel)],
]

describe('A cursor file in a real Node-RED', function () {
  this.timeout(120_000)
  let laboratory: Laboratory
  beforeEach(async () => {
    laboratory = await Laboratory.open()
  })
  afterEach(() => laboratory.close())

  const folder = () => join(laboratory.userDir, 'keyholder')
  const fileOf = (panel: string) => join(folder(), `events-${panel}.json`)

  /** The warnings and errors in the log that name a file. */
  const linesAbout = ({ output }: NodeRedProcess, file: string) =>
    output.split('\n').filter((line) => /\[(warn|error)\]/.test(line) && line.includes(`${file} `))

  const load = (...recipients: ConstructorParameters<typeof EventLoad>[2][]) => {
    const [panel] = laboratory.simulator.world.panels
    assert.ok(panel)
    return new EventLoad(panel, laboratory.sink, ...recipients)
  }

  it('that was cut, emptied, zeroed, replaced or left half is survived: one sentence names it, it is kept, and no event is lost or repeated unflagged', async () => {
    // All the panel nodes see the same panel, and each has a cursor of its own: one start tries all damages.
    const names = [...damages.map(([name]) => name), ...Array.from({ length: 24 }, (_, at) => `slot${at}`)]
    const nodes = names.flatMap((name) => [
      { id: `all ${name}`, type: 'keyholder-events', panel: name, first: 'deliver' },
      { id: `new ${name}`, type: 'keyholder-events', panel: name, first: 'skip' },
    ])
    const placed = (some: readonly string[]) =>
      laboratory.furnish(
        nodes.filter(({ panel }) => some.includes(panel)),
        { panels: some, every: 0.1 },
      )
    await placed(names)
    const before = laboratory.start()
    const events = load(...names.map((name) => `all ${name}`))
    // What is told second is told when what was told first is saved.
    await events.settled()
    await events.settled()
    await before.stop()

    // One of them is killed when events are told, and not yet confirmed, so that there are intents behind the state.
    await placed(['intact'])
    const killed = laboratory.start()
    const one = load('all intact')
    one.happen()
    await one.toldAll()
    events.happen(3)
    one.happen(3)
    await one.toldAll()
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
      await damage.harm(fileOf(name), await readFile(fileOf(name)))
      const content = await readFile(fileOf(name)).catch(() => 'folder' as const)
      if (damage.says !== undefined && !['gone', 'leftoverAlone'].includes(name)) harmed.set(name, content)
    }
    events.happen(2)
    const toldBefore = new Map(names.map((name) => [name, laboratory.sink.from(`new ${name}`).length]))

    await placed(names)
    const after = laboratory.start()
    await events.settled()
    await events.settled()
    for (const [name, { says, isAllGone }] of all) {
      assert.deepEqual(events.verdictAt(`all ${name}`), perfect, name)
      const lines = linesAbout(after, fileOf(name))
      if (says === undefined) assert.deepEqual(lines, [], name)
      else assert.ok(lines.length === 1 && says.test(lines[0] ?? ''), `${name}: ${lines.join('\n')}`)
      const content = harmed.get(name)
      if (content !== undefined && content !== 'folder') {
        assert.ok((await readFile(`${fileOf(name)}.damaged-1`)).equals(content), `${name} is kept`)
      }
      const told = laboratory.sink.from(`new ${name}`).length - (toldBefore.get(name) ?? 0)
      // Those that come again or happened meanwhile, and one for each time that all were waited for.
      if (isAllGone) assert.ok(told <= 3, `${name} does not begin anew: ${told} events`)
      else assert.ok(told >= 4, `${name} was told ${told}`)
    }
    assert.deepEqual(await readdir(`${fileOf('folder')}.damaged-1`), ['with'])
    await after.kill()

    const again = laboratory.start()
    await events.settled()
    assert.deepEqual(events.verdict, perfect)
    for (const name of names) assert.deepEqual(linesAbout(again, fileOf(name)), [], `${name} a second time`)
  })

  describe('that cannot be written', () => {
    const events = () => load('events')
    const words = () =>
      laboratory.sink.from('tab status').map(({ status }) => `${status.fill} ${status.text}`)
    const errors = () => laboratory.sink.from('tab catch').map(({ error }) => error.message as string)
    const furnish = () =>
      laboratory.furnish([{ id: 'events', type: 'keyholder-events', first: 'deliver' }], { every: 0.6 })

    /** All events told, the status red, one error and one line, as long as it lasts. */
    const isShownOnce = async (nodeRed: NodeRedProcess, told: EventLoad, reason: RegExp) => {
      await laboratory.sink.until('a red status', () => words().at(-1) === 'red bad setting')
      told.happen()
      await told.settled()
      assert.equal(words().at(-1), 'red bad setting')
      const [error, ...others] = errors()
      assert.deepEqual(others, [])
      assert.match(error ?? '', reason)
      assert.ok(error?.includes(fileOf(panelId)))
      assert.equal(linesAbout(nodeRed, fileOf(panelId)).length, 1)
    }
    const isWellAgain = async (nodeRed: NodeRedProcess) => {
      await laboratory.sink.until('a green status', () => words().at(-1) === 'green up to date')
      assert.match(nodeRed.output, /all is well again/)
      assert.ok((await readFile(fileOf(panelId))).length > 0)
    }

    it('is said once at the start and shown, the events go on, and it recovers by itself', async () => {
      await furnish()
      await writeFile(folder(), '')
      const told = events()
      told.happen()
      const nodeRed = laboratory.start()
      await isShownOnce(nodeRed, told, /cannot be written \((ENOTDIR|EEXIST)\)/)
      await rm(folder())
      await isWellAgain(nodeRed)
      await told.settled()
      await nodeRed.stop()
      laboratory.start()
      await told.settled()
      assert.deepEqual(told.verdict, perfect)
    })

    it('while Node-RED runs is said once and shown, the events go on, and it recovers by itself', async () => {
      await furnish()
      const told = events()
      told.happen()
      const nodeRed = laboratory.start()
      await told.settled()
      await laboratory.sink.until('a green status', () => words().at(-1) === 'green up to date')
      await rename(folder(), `${folder()}.away`)
      await writeFile(folder(), '')
      told.happen()
      await isShownOnce(nodeRed, told, /cannot be written \((ENOTDIR|EEXIST)\)/)
      await rm(folder())
      await rename(`${folder()}.away`, folder())
      await isWellAgain(nodeRed)
      await told.settled()
      await nodeRed.kill()
      laboratory.start()
      await told.settled()
      assert.deepEqual(told.verdict, perfect)
    })

    it('because the device is full is said once and shown, and it recovers by itself', async function () {
      if (process.platform !== 'linux') return this.skip()
      await furnish()
      await mkdir(folder())
      // Whatever is written there does not fit, as on a disk where only the first bytes of a file do.
      await symlink('/dev/full', `${fileOf(panelId)}.new`)
      const told = events()
      told.happen()
      const nodeRed = laboratory.start()
      await isShownOnce(nodeRed, told, /cannot be written \(ENOSPC\).*disk is not full/)
      await rm(`${fileOf(panelId)}.new`)
      await isWellAgain(nodeRed)
      assert.deepEqual(told.verdict, perfect)
    })

    it('because a whole disk is full loses nothing that was confirmed, and recovers when there is room', async function () {
      await furnish()
      await mkdir(folder())
      const isMounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder()]).then(
        () => true,
        () => false,
      )
      if (!isMounted) return this.skip()
      try {
        const told = events()
        told.happen()
        const nodeRed = laboratory.start()
        await told.settled()
        await laboratory.sink.until('a green status', () => words().at(-1) === 'green up to date')
        await writeFile(join(folder(), 'filler'), Buffer.alloc(1024 * 1024)).catch(() => {})
        // A file keeps room on its last page, which the first intents still find.
        for (let round = 0; words().at(-1) !== 'red bad setting'; round += 1) {
          assert.ok(round < 20, 'it is full')
          told.happen(3)
          await told.toldAll()
        }
        await isShownOnce(nodeRed, told, /cannot be written \(ENOSPC\)/)
        await rm(join(folder(), 'filler'))
        await isWellAgain(nodeRed)
        await told.settled()
        await nodeRed.kill()
        const after = laboratory.start()
        await told.settled()
        assert.deepEqual(told.verdict, perfect)
        assert.deepEqual(linesAbout(after, fileOf(panelId)), [])
        await after.kill()
      } finally {
        await run('umount', [folder()])
      }
    })
  })
})
