import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readRecord } from '../../harness/mocha/suite-record.ts'

const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url))
const harness = (file: string) => new URL(`../../harness/mocha/${file}`, import.meta.url).href
const fastCheck = import.meta.resolve('fast-check')

const suite = `
import fc from '${fastCheck}'
import { createServer, get } from 'node:http'
import { noteStarted } from '${harness('suite-record.js')}'

it('tries random inputs', () => fc.assert(fc.property(fc.nat(), () => true), { numRuns: 7 }))
it('starts a program', () => noteStarted('redis'))
it('sends a request', (done) => {
  const server = createServer((_request, response) => response.end())
  server.listen(0, '127.0.0.1', () => get(server.address(), (response) => response.resume().on('end', () => server.close(done))))
})
`

describe('The record of a suite', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suite-record-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('counts the tests, requests, random inputs and programs of all files that run side by side', async () => {
    const files = ['one.test.mjs', 'other.test.mjs'].map((name) => join(folder, name))
    for (const file of files) await writeFile(file, suite)
    const path = join(folder, 'record.jsonl')
    const { MOCHA_WORKER_ID: _, ...env } = process.env
    const hooks = fileURLToPath(harness('record-suite.js'))
    await promisify(execFile)(
      process.execPath,
      [mocha, '--no-config', '--no-package', '--parallel', '--jobs', '2', '--require', hooks, ...files],
      { cwd: folder, env: { ...env, KEYHOLDER_SUITE_RECORD: path } },
    )
    const { files: counted, requests, runs, started } = readRecord(path)
    assert.deepEqual(
      counted.map(({ tests }) => tests),
      [3, 3],
    )
    assert.deepEqual({ requests, runs, redis: started.redis }, { requests: 2, runs: 14, redis: 2 })
  })

  it('says that the suite has not run where there is none', () => {
    assert.throws(() => readRecord(join(folder, 'none.jsonl')), /run its suite first/)
  })
})
