import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { Disk } from '../../../harness/simulation/disk/disk.ts'
import { createFileSystem } from '../../../harness/simulation/disk/file-system.ts'
import { compileProduct, ProductCopy } from '../../../harness/simulation/process/product-copy.ts'
import type { Documents } from '../../../src/documents.ts'
import { Random } from '../../../src/simulator/random.ts'

const path = '/machine/user/keyholder/some.json'

type Change = (documents: Documents) => Promise<void>

/** What a power cut has left. */
interface Left {
  content: string | undefined
  /** True if the change had ended before. */
  isOver: boolean
}

/** A process that does one step of its files after another. */
class Process {
  readonly documents: Documents
  readonly #steps: (() => void)[] = []

  constructor(disk: Disk) {
    const copy = new ProductCopy({
      modules: { 'node:fs/promises': createFileSystem(disk, (work) => this.#steps.push(work)) },
      setImmediate,
      random: Math.random,
    })
    const module = copy.load<typeof import('../../../src/documents.ts')>('src/documents.js')
    this.documents = new module.Documents((_path, _doing, thrown) => thrown as Error)
  }

  /** Does at most `count` steps of a change; returns true if it has ended. */
  async run(change: Change, count = Number.POSITIVE_INFINITY): Promise<boolean> {
    let isOver = false
    void change(this.documents).then(() => {
      isOver = true
    })
    for (let done = 0; ; done += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      const step = done < count ? this.#steps.shift() : undefined
      if (step === undefined) return isOver
      step()
    }
  }
}

/** Returns what power cuts leave of a second change, after each of its steps and for many seeds. */
async function leftByCuts(first: Change, second: Change): Promise<Left[]> {
  const found: Left[] = []
  for (let count = 0, isOver = false; !isOver; count += 1) {
    for (let seed = 1; seed <= 30; seed += 1) {
      const disk = new Disk(new FakeClock())
      const process = new Process(disk)
      assert.equal(await process.run(first), true)
      isOver = await process.run(second, count)
      disk.cutPower(new Random(seed))
      found.push({ content: disk.files().get(path)?.toString(), isOver })
    }
  }
  return found
}

/** Returns the different contents, in order. */
function contentsOf(left: readonly Left[]): unknown[] {
  return [...new Set(left.map(({ content }) => content))].sort()
}

describe('Documents, at a power cut after any step', () => {
  before(() => compileProduct('src/documents.js'))

  const replace = (content: string, flush?: 'file' | 'folder'): Change => {
    return (documents) => documents.replace(path, content, flush && { flush })
  }
  const append = (text: string, flush: boolean): Change => {
    return (documents) => documents.append(path, text, { flush })
  }

  it('have the old or the new content, and the new one once the folder was flushed', async () => {
    const left = await leftByCuts(replace('old', 'folder'), replace('new', 'folder'))
    assert.deepEqual(contentsOf(left), ['new', 'old'])
    assert.deepEqual(contentsOf(left.filter(({ isOver }) => isOver)), ['new'])
  })

  it('have the old or the new content if only the file is flushed, also at the end', async () => {
    const left = await leftByCuts(replace('old', 'folder'), replace('new', 'file'))
    assert.deepEqual(contentsOf(left), ['new', 'old'])
    assert.deepEqual(contentsOf(left.filter(({ isOver }) => isOver)), ['new', 'old'])
  })

  it('can have an empty file if nothing is flushed', async () => {
    const left = await leftByCuts(replace('old', 'folder'), replace('new'))
    assert.ok(contentsOf(left).includes(''))
  })

  it('have the first text that was appended and flushed, with its folders', async () => {
    const left = await leftByCuts(async () => {}, append('first', true))
    assert.deepEqual(contentsOf(left.filter(({ isOver }) => isOver)), ['first'])
    assert.ok(left.some(({ content }) => content === undefined))
  })

  it('have all that was flushed before, and may have a part of the text that is being appended', async () => {
    const left = await leftByCuts(append('first', true), append('SECOND', true))
    assert.deepEqual(contentsOf(left.filter(({ isOver }) => isOver)), ['firstSECOND'])
    assert.ok(left.every(({ content }) => content?.startsWith('first')))
    assert.ok(left.some(({ content }) => content === 'firstSE'))
    const unflushed = await leftByCuts(append('first', true), append('SECOND', false))
    assert.ok(contentsOf(unflushed.filter(({ isOver }) => isOver)).includes('first'))
  })
})
