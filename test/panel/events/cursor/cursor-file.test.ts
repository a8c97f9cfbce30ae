import assert from 'node:assert/strict'
import promises, {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { anyJson } from '../../../../harness/fixtures/any-json.ts'
import { repetitions } from '../../../../harness/mocha/depth.ts'
import { createHistory, historyPlans } from '../../../../harness/properties/events/event-histories.ts'
import { CursorFile } from '../../../../src/panel/events/cursor/cursor-file.ts'
import { type CursorState, stateText } from '../../../../src/panel/events/cursor/cursor-format.ts'
import { columnsOf } from '../../../../src/panel/events/event-history.ts'
import { findNewEvents } from '../../../../src/panel/events/new-events.ts'
import { KeyholderError } from '../../../../src/service/error.ts'

const serial = 'A1B2C3'

/** Returns the state of a panel after that many events. */
function stateAfter(events: number): CursorState {
  const marks = Array.from({ length: events }, (_, at) => 9_000_000_000_000_000 + at)
  const sequences = marks.map((_, at) => at + 1)
  return {
    serial,
    memory: {
      ...columnsOf({ hashes: marks, occurrences: marks.map(() => 1), sequences }, events + 1),
      next: events + 1,
      order: 'oldest first',
      newest: { id: events, typeId: 86, time: '2026-03-01 12:00:00' },
      oldest: { id: 1, typeId: 85, time: '2026-02-01 12:00:00' },
      moved: { shift: -3_600_000, separator: 'T', ending: 'Z' },
    },
    positions: { 'node-1': events, 'node-2': 0 },
  }
}

describe('The cursor of a panel', () => {
  let folder: string
  let path: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-cursor-'))
    path = join(folder, 'events.json')
  })

  afterEach(() => rm(folder, { recursive: true, maxRetries: 10 }))

  const load = () => new CursorFile(path).load(serial)

  /** Leaves the files of a process that saved twice, recorded further intended events and was killed. */
  const leaveAll = async () => {
    const cursor = new CursorFile(path)
    await cursor.save(stateAfter(1))
    await cursor.intend(['two'])
    await cursor.save(stateAfter(2))
    await cursor.intend(['three', 'drei'])
    await cursor.intend(['four'])
  }

  const damaged = async () => (await readdir(folder)).filter((name) => name.includes('.damaged-')).sort()

  it('is empty at first, and reading it writes nothing', async () => {
    path = join(folder, 'deep', 'below', 'events.json')
    assert.deepEqual(await load(), { state: null, intended: new Set(), doubtful: false })
    assert.deepEqual(await readdir(folder), [])
  })

  it('returns the saved state', async () => {
    await new CursorFile(path).save(stateAfter(3))
    assert.deepEqual(await load(), { state: stateAfter(3), intended: new Set(), doubtful: false })
  })

  it('returns the history of any list', async () => {
    await fc.assert(
      fc.asyncProperty(historyPlans('log', 'newest first'), async (course) => {
        const { memory } = findNewEvents(null, 'A1B2C3', createHistory(course).polls[0]?.list ?? [])
        await new CursorFile(path).save({ serial, memory, positions: {} })
        assert.deepEqual((await load()).state?.memory, memory)
      }),
      { numRuns: repetitions(50, 17) },
    )
  })

  it('keeps the position of a node with any id', async () => {
    const positions = Object.fromEntries([
      ['__proto__', 7],
      ['constructor', 8],
      ['', 9],
      ['a\nb', 10],
    ])
    await new CursorFile(path).save({ ...stateAfter(1), positions })
    const { state } = await load()
    assert.deepEqual(Object.entries(state?.positions ?? {}), Object.entries(positions))
    assert.equal(Object.getPrototypeOf(state?.positions), Object.prototype)
  })

  it('creates its folder and its files with permissions for the owner only, in any order', async () => {
    const modeOf = async (name: string) => (await stat(name)).mode & 0o777
    const modes = async (...names: string[]) => Promise.all(names.map(modeOf))
    const intending = join(folder, 'intending')
    await new CursorFile(join(intending, 'events.json')).intend(['one'])
    assert.deepEqual(await modes(intending, join(intending, 'events.json')), [0o700, 0o600])
    const saving = join(folder, 'saving')
    const cursor = new CursorFile(join(saving, 'events.json'))
    await cursor.save(stateAfter(1))
    await cursor.save(stateAfter(2))
    const files = ['events.json', 'events.json.previous'].map((name) => join(saving, name))
    assert.deepEqual(await modes(saving, ...files), [0o700, 0o600, 0o600])
  })

  it('executes calls in the order in which they were made', async () => {
    const cursor = new CursorFile(path)
    const calls = [1, 2, 3, 4].flatMap((nth) => [cursor.save(stateAfter(nth)), cursor.intend([`${nth}`])])
    const loaded = cursor.load(serial)
    await Promise.all(calls)
    assert.deepEqual(await loaded, { state: stateAfter(4), intended: new Set(['4']), doubtful: false })
  })

  describe('after a kill', () => {
    it('returns the intended events until the next save', async () => {
      await leaveAll()
      const { state, intended } = await load()
      assert.deepEqual(state, stateAfter(2))
      assert.deepEqual(intended, new Set(['three', 'drei', 'four']))
      await new CursorFile(path).save(stateAfter(4))
      assert.deepEqual((await load()).intended, new Set())
    })

    it('returns the unconfirmed events of the last save as intended', async () => {
      const cursor = new CursorFile(path)
      await cursor.intend(['one', 'two'])
      await cursor.save(stateAfter(2), ['two'])
      await cursor.intend(['three'])
      assert.deepEqual(await load(), {
        state: stateAfter(2),
        intended: new Set(['two', 'three']),
        doubtful: false,
      })
    })

    it('returns the intended events even if nothing was ever saved', async () => {
      await new CursorFile(path).intend(['one', 'two'])
      assert.deepEqual(await load(), { state: null, intended: new Set(['one', 'two']), doubtful: false })
    })

    it('ignores a partially written record of intended events, but not the one after it', async () => {
      await leaveAll()
      await writeFile(path, '\n{"intended":["fi', { flag: 'a' })
      const cursor = new CursorFile(path)
      assert.deepEqual((await cursor.load(serial)).intended, new Set(['three', 'drei', 'four']))
      await cursor.intend(['six'])
      assert.deepEqual((await load()).intended, new Set(['three', 'drei', 'four', 'six']))
    })

    it('ignores a partially written new state', async () => {
      await leaveAll()
      const whole = await readFile(path, 'utf8')
      await writeFile(`${path}.new`, whole.slice(0, 40))
      const loaded = await load()
      assert.deepEqual(loaded.state, stateAfter(2))
      assert.equal(loaded.warning, undefined)
      await new CursorFile(path).save(stateAfter(3))
      assert.deepEqual((await load()).state, stateAfter(3))
    })

    it('continues with the previous copy after a kill between the two renames of a save', async () => {
      await leaveAll()
      await rename(path, `${path}.previous`)
      const { state, intended, doubtful } = await load()
      assert.deepEqual(state, stateAfter(2))
      assert.deepEqual(intended, new Set(['three', 'drei', 'four']))
      assert.equal(doubtful, true)
    })

    it('keeps the previous copy if only intended events were recorded since', async () => {
      await leaveAll()
      await rename(path, `${path}.previous`)
      await new CursorFile(path).intend(['five'])
      const { state, intended, doubtful } = await load()
      assert.deepEqual(state, stateAfter(2))
      assert.ok(intended.has('five') && intended.has('four'))
      assert.equal(doubtful, true)
    })
  })

  describe('with a damaged file', () => {
    const contents: [string, string | Buffer][] = [
      ['empty', ''],
      ['truncated', stateText(stateAfter(2)).slice(0, -9)],
      ['full of zeros', Buffer.alloc(500)],
      ['binary', Buffer.from([0x1f, 0x8b, 0xff, 0xfe, 0x0a, 0x00, 0xc3, 0x28])],
      ['from another program', '{"flows":[{"id":"1"}]}'],
      ['a list', '[]'],
      ['with a later format', stateText(stateAfter(2)).replace('"format":1', '"format":2')],
      ['with a missing column entry', stateText(stateAfter(2)).replace('[1,1]', '[1]')],
      ['with text among its numbers', stateText(stateAfter(2)).replace('[1,2]', '[1,"2"]')],
      ['with a position that is text', stateText(stateAfter(2)).replace('"node-1":2', '"node-1":"2"')],
      ['with a negative number', stateText(stateAfter(2)).replace('[1,2]', '[-1,2]')],
      ['with a number that is too large', stateText(stateAfter(2)).replace('[1,1]', '[1,4294967297]')],
      ['with an unknown order', stateText(stateAfter(2)).replace('oldest first', 'any')],
      ['with a sequence beyond its counter', stateText(stateAfter(2)).replace('"next":3', '"next":2')],
    ]

    for (const [name, content] of contents) {
      it(`moves it aside, warns and uses the previous copy: ${name}`, async () => {
        await leaveAll()
        await writeFile(path, content)
        const { state, intended, doubtful, warning } = await load()
        assert.deepEqual(state, stateAfter(1))
        assert.deepEqual(intended, new Set(['two']))
        assert.equal(doubtful, true)
        assert.ok(warning?.includes(path) && warning.includes('events.json.damaged-1'))
        assert.match(warning ?? '', /continue with an older copy\. Some events may come twice/)
        assert.deepEqual(await readFile(join(folder, 'events.json.damaged-1')), Buffer.from(content))
      })
    }

    it('starts empty and warns if there is no intact previous copy', async () => {
      for (const previous of [undefined, 'nonsense']) {
        if (previous !== undefined) await writeFile(`${path}.previous`, previous)
        await writeFile(path, 'nonsense')
        const { state, intended, doubtful, warning } = await load()
        assert.deepEqual({ state, intended, doubtful }, { state: null, intended: new Set(), doubtful: true })
        assert.ok(warning?.startsWith(`The file ${path} `))
        assert.ok(warning?.endsWith('Events that happened while Node-RED was not running may be missing.'))
      }
    })

    it('does not keep a damaged file as the previous copy', async () => {
      await leaveAll()
      await writeFile(path, 'nonsense')
      const cursor = new CursorFile(path)
      await cursor.load(serial)
      await cursor.save(stateAfter(5))
      await writeFile(path, 'nonsense')
      assert.deepEqual((await load()).state, stateAfter(1))
    })

    it('uses the previous copy also on a file system without hard links', async () => {
      const { link } = promises
      const refuse = () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }))
      Object.assign(promises, { link: refuse })
      syncBuiltinESMExports()
      try {
        await leaveAll()
        await writeFile(path, 'nonsense')
        assert.deepEqual((await load()).state, stateAfter(1))
      } finally {
        Object.assign(promises, { link })
        syncBuiltinESMExports()
      }
    })

    it('moves a folder with its name aside', async () => {
      await mkdir(path)
      await writeFile(join(path, 'keep'), '')
      const cursor = new CursorFile(path)
      const { warning } = await cursor.load(serial)
      assert.ok(
        warning?.startsWith(
          `The file ${path} is not a regular file and was renamed to events.json.damaged-1. In it the nodes note`,
        ),
      )
      await cursor.save(stateAfter(1))
      assert.deepEqual((await load()).state, stateAfter(1))
      assert.deepEqual(await readdir(join(folder, 'events.json.damaged-1')), ['keep'])
    })

    it('starts empty and warns if the file cannot be opened', async () => {
      path = join(folder, '\0', 'events.json')
      const { state, warning } = await load()
      assert.equal(state, null)
      assert.ok(warning?.includes('cannot be read'))
    })

    it('moves the file of another panel aside and warns', async () => {
      await leaveAll()
      await new CursorFile(path).load(serial)
      const { state, doubtful, warning } = await new CursorFile(path).load('D4E5F6')
      assert.deepEqual([state, doubtful], [null, true])
      assert.equal(
        warning,
        `The serial number of this panel has changed. The file ${path} lists the sent events of the earlier panel and was renamed to events.json.damaged-1. The nodes start a new one. You need do nothing.`,
      )
    })

    it('does not read a file that is far too large', async () => {
      await leaveAll()
      await truncate(path, 50 * 1024 * 1024)
      const { state, warning } = await load()
      assert.deepEqual(state, stateAfter(1))
      assert.ok(warning?.includes('is damaged'))
    })

    it('does not overwrite a file that it could not move aside', async () => {
      // Short enough for `.previous`, and too long for `.damaged-1`.
      path = join(folder, 'e'.repeat(246))
      await writeFile(path, 'nonsense')
      const cursor = new CursorFile(path)
      assert.ok(
        (await cursor.load(serial)).warning?.startsWith(`The file ${path} is damaged. In it the nodes note`),
      )
      await assert.rejects(cursor.save(stateAfter(5)), (error: KeyholderError) => {
        assert.equal(error.code, 'BAD_SETTING')
        assert.match(error.message, /cannot be renamed\. Move it to another folder\. Events still arrive/)
        return true
      })
      assert.equal(await readFile(path, 'utf8'), 'nonsense')
      await rm(path)
      await cursor.save(stateAfter(5))
      assert.deepEqual((await load()).state, stateAfter(5))
    })

    it('keeps the last three damaged files', async () => {
      for (const content of ['a', 'b', 'c', 'd', 'e']) {
        await writeFile(path, content)
        await load()
      }
      assert.deepEqual(
        await damaged(),
        [3, 4, 5].map((number) => `events.json.damaged-${number}`),
      )
      assert.equal(await readFile(join(folder, 'events.json.damaged-5'), 'utf8'), 'e')
    })

    it('never reads a partial state, wherever the file is truncated', async () => {
      await leaveAll()
      const whole = await readFile(path)
      const firstLine = whole.indexOf('\n')
      const ends = [...whole.keys(), whole.length].filter((at) => at === whole.length || whole[at] === 10)
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.length), async (length) => {
          await writeFile(path, whole.subarray(0, length))
          const { state, intended, doubtful } = await load()
          assert.deepEqual(state, stateAfter(length < firstLine ? 1 : 2))
          // If the file ends between two lines, the loss cannot be detected.
          assert.equal(doubtful, !ends.includes(length))
          for (const key of intended) assert.ok(['two', 'three', 'drei', 'four'].includes(key))
        }),
        { numRuns: repetitions(300, 100) },
      )
    })

    it('rejects any invalid content and never throws', async () => {
      const anyText = fc.oneof(
        anyJson(['format', 'serial', 'memory', 'positions', 'intended']).map((value) =>
          JSON.stringify(value),
        ),
        fc.string({ unit: 'binary' }),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(anyText), async (lines) => {
          fc.pre(lines[0] !== 'null')
          await writeFile(path, lines.join('\n'))
          assert.equal((await load()).state, null)
        }),
        { numRuns: repetitions(200, 67) },
      )
    })
  })

  describe('without write permission', () => {
    it('reports the file and the remedy, and tries again at the next call', async () => {
      const inTheWay = join(folder, 'keyholder')
      path = join(inTheWay, 'events.json')
      await writeFile(inTheWay, '')
      const cursor = new CursorFile(path)
      assert.deepEqual(await cursor.load(serial), { state: null, intended: new Set(), doubtful: false })
      const isReported = (error: unknown) =>
        error instanceof KeyholderError &&
        error.code === 'BAD_SETTING' &&
        error.message.includes(path) &&
        /folder.*disk/.test(error.message)
      await assert.rejects(cursor.intend(['one']), isReported)
      await assert.rejects(cursor.save(stateAfter(1)), isReported)
      await rm(inTheWay)
      await cursor.save(stateAfter(1))
      assert.deepEqual((await load()).state, stateAfter(1))
    })

    it('stays readable and reports that it is incomplete if only intended events could be recorded for long', async () => {
      const cursor = new CursorFile(path)
      await cursor.save(stateAfter(2))
      await mkdir(`${path}.new`)
      await assert.rejects(cursor.save(stateAfter(3)), KeyholderError)
      for (let nth = 0; nth < 20; nth += 1) await cursor.intend([`${nth}`.padEnd(2 ** 20, '.')])
      assert.ok((await stat(path)).size < 10 * 2 ** 20)
      const { state, doubtful, warning } = await load()
      assert.deepEqual([state, doubtful, warning], [stateAfter(2), true, undefined])
    })

    it('loses no state if the new one cannot replace it', async () => {
      await leaveAll()
      const cursor = new CursorFile(path)
      await cursor.load(serial)
      await rm(`${path}.previous`)
      await mkdir(`${path}.previous`)
      await assert.rejects(cursor.save(stateAfter(5)), KeyholderError)
      const { state, intended, doubtful } = await load()
      assert.deepEqual(state, stateAfter(2))
      assert.ok(intended.has('four'))
      assert.equal(doubtful, false)
    })
  })
})
