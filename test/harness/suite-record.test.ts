import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readRecord, type SuiteRecord } from '../../harness/mocha/suite-record.ts'
import { moduleExtension } from '../../harness/module-extension.ts'

const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url))
const harness = (name: string) =>
  new URL(`../../harness/mocha/${name}${moduleExtension}`, import.meta.url).href
const fastCheck = import.meta.resolve('fast-check')

/** The processor time that each test file takes in a program, at least, in seconds. */
const computed = 0.2

const suite = `
import fc from '${fastCheck}'
import { spawnSync } from 'node:child_process'
import { createServer, get } from 'node:http'
import { noteStarted } from '${harness('suite-record')}'

it('tries random inputs', () => fc.assert(fc.property(fc.nat(), () => true), { numRuns: 7 }))
it('starts a program', () => noteStarted('redis'))
it('computes in a program', () => {
  const computing = 'while (process.cpuUsage().user < ${computed * 1e6});'
  spawnSync(process.execPath, ['-e', computing])
})
it('sends a request', (done) => {
  const server = createServer((_request, response) => response.end())
  server.listen(0, '127.0.0.1', () => get(server.address(), (response) => response.resume().on('end', () => server.close(done))))
})
`

describe('The record of a suite', () => {
  let folder: string
  let record: SuiteRecord
  before('two files have run side by side', async () => {
    folder = await mkdtemp(join(tmpdir(), 'suite-record-'))
    const files = ['one.test.mjs', 'other.test.mjs'].map((name) => join(folder, name))
    for (const file of files) await writeFile(file, suite)
    const path = join(folder, 'record.jsonl')
    const { MOCHA_WORKER_ID: _, ...env } = process.env
    const options = ['--no-config', '--no-package', '--no-timeout', '--parallel', '--jobs', '2']
    const hooks = fileURLToPath(harness('record-suite'))
    await promisify(execFile)(process.execPath, [mocha, ...options, '--require', hooks, ...files], {
      cwd: folder,
      env: { ...env, KEYHOLDER_SUITE_RECORD: path },
    })
    record = readRecord(path)
  })
  after(() => rm(folder, { recursive: true }))

  it('counts the tests, requests, random inputs and programs of all files', () => {
    const { files, requests, runs, started } = record
    assert.deepEqual(
      files.map(({ tests }) => tests),
      [4, 4],
    )
    assert.deepEqual({ requests, runs, redis: started.redis }, { requests: 2, runs: 14, redis: 2 })
  })

  it('tells the processor time of each file and of the suite, with the programs that they have started', function () {
    if (process.platform !== 'linux') this.skip()
    const times = record.files.map(({ processorSeconds }) => processorSeconds)
    for (const seconds of times) assert.ok(seconds >= computed, `${seconds}`)
    const whole = record.processorSeconds ?? 0
    assert.ok(whole >= 2 * computed, `${whole}`)
  })

  it('says that the suite has not run where there is none', () => {
    assert.throws(() => readRecord(join(folder, 'none.jsonl')), /run its suite first/)
  })
})
