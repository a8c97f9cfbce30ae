import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { moduleExtension } from '../../harness/module-extension.ts'

const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url))
const source = (name: string) => new URL(`../../${name}${moduleExtension}`, import.meta.url).href
const fastCheck = import.meta.resolve('fast-check')

const suite = `
import assert from 'node:assert/strict'
import fc from '${fastCheck}'
import { KeyholderError } from '${source('src/service/error')}'
import { AutoAdvance } from '${source('harness/clock/auto-advance')}'
import { FakeClock } from '${source('harness/clock/fake-clock')}'
import { PendingIo } from '${source('harness/clock/pending-io')}'
import { limitShrinking } from '${source('harness/mocha/shrinking')}'

async function openPanel() {
  await Promise.resolve()
  throw new KeyholderError('NOT_FOUND', 'There is no such panel.')
}

it('place', async () => {
  await openPanel()
})
it('place in a random test', () => fc.assert(fc.asyncProperty(fc.nat(), openPanel), { seed: 1 }))
it('waits', async () => {
  const time = new AutoAdvance(new FakeClock(), new PendingIo())
  const made = new KeyholderError('NOT_FOUND', 'There is none.')
  await time.waitFor(Promise.reject(made))
})
it('no call', async () => {
  throw await new Promise((resolve) => setImmediate(() => resolve(new Error('by itself'))))
})
it('without a stack', () => assert.equal(new KeyholderError('NOT_FOUND', 'There is none.').stack, undefined))
it('difference', () => assert.deepEqual({ zone: 'open' }, { zone: 'closed' }))
it('named difference', () => assert.deepEqual({ zone: 'open' }, { zone: 'closed' }, 'zones of the house'))
it('smallest', () => fc.assert(fc.property(fc.array(fc.nat()), (some) => some.length < 3), { seed: 1 }))
it('limit', () => {
  const limited = { seed: 1, plugins: [limitShrinking(0)] }
  fc.assert(fc.property(fc.array(fc.nat()), (some) => some.length < 3), limited)
})
describe('hook', () => {
  before(openPanel)
  it('test', () => {})
})
`

describe('The report of a failed test', () => {
  let folder: string
  let file: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'failures-'))
    file = join(folder, 'suite.test.mjs')
    await writeFile(file, suite)
  })
  after(() => rm(folder, { recursive: true }))

  const ways = [
    ['alone', []],
    ['beside others', ['--parallel', '--jobs', '2']],
  ] as const
  for (const [way, how] of ways) {
    describe(`in a file that runs ${way}`, () => {
      let output: string
      before('the file has run', async () => {
        const required = ['failures', 'record-suite'].map(
          (name) => `--require=${fileURLToPath(source(`harness/mocha/${name}`))}`,
        )
        const options = ['--no-config', '--no-package', '--no-timeout', '--no-color', ...how, ...required]
        // It is a suite of its own, and must not begin the record of this one again.
        const { MOCHA_WORKER_ID: _, KEYHOLDER_SUITE_RECORD: _record, ...env } = process.env
        output = await new Promise((resolve) => {
          execFile(process.execPath, [mocha, ...options, file], { cwd: folder, env }, (_error, stdout) =>
            resolve(stdout),
          )
        })
      })

      /** Returns the report of one test, or of the hook. */
      function reportOf(title: string): string {
        const reports = output.split(/ failing$/m)[1]?.split(/^ {2}\d+\) /m) ?? []
        return reports.find((report) => report.startsWith(title)) ?? assert.fail(output)
      }

      it('shows the lines that lead to an error of the product, in a test, a hook and a random test', () => {
        for (const title of ['place:', 'hook', 'place in a random test']) {
          const report = reportOf(title)
          assert.match(report, /KeyholderError: There is no such panel\./)
          assert.match(report, /at (async )?(Context\.)?openPanel \(.*suite\.test\.mjs:12:9\)/)
        }
        assert.match(reportOf('place:'), /at async Context.*suite\.test\.mjs:16:3/)
      })

      it('shows the line that waits for what ends with an error', () => {
        assert.match(reportOf('waits:'), /at Context.*suite\.test\.mjs:22:14/)
      })

      it('names the file of the test', () => {
        assert.match(reportOf('no call:'), /at .*suite\.test\.mjs/)
      })

      it('leaves that error without a stack', () => {
        assert.match(output, /✔ without a stack/)
      })

      it('shows a difference once', () => {
        const [difference, named] = [reportOf('difference'), reportOf('named difference')]
        for (const report of [difference, named]) {
          assert.equal(report.match(/^ *[+-] .*open/gm)?.length, 1, report)
          assert.equal(report.match(/^ *[+-] .*closed/gm)?.length, 1, report)
        }
        assert.match(named, /zones of the house/)
      })

      it('shows the smallest input that fails', () => {
        assert.match(reportOf('smallest'), /Counterexample: \[\[0,0,0\]\]\n/)
      })

      it('says if the search for it ended early', () => {
        assert.match(
          reportOf('limit'),
          /Shrunk 0 time\(s\)[\s\S]*The search for a smaller input ended early\./,
        )
        assert.doesNotMatch(reportOf('smallest'), /ended early/)
      })
    })
  }
})
