import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ledger } from '../../src/account/ledger.ts'
import { operations } from '../../src/service/operations.ts'
import { patient, stage } from '../support/account-at-simulator.ts'
import { DrivenClock } from '../support/driven-clock.ts'

async function attempt(ledger: Ledger): Promise<void> {
  await ledger.note('start')
  await ledger.note('end')
}

describe('the ledger of attempts', () => {
  let folder: string
  let path: string
  let clock: DrivenClock
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    path = join(folder, 'deep', 'attempts.log')
    clock = new DrivenClock()
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('tells a new process how long ago the attempts of the last minute were', async () => {
    const earlier = new Ledger(path, clock)
    await attempt(earlier)
    clock.advance(50_000)
    await attempt(earlier)
    clock.advance(15_000)
    assert.deepEqual(await new Ledger(path, clock).recall(30), [15_000])
  })

  it('counts an attempt that was cut off by the end of the process as one of this moment', async () => {
    const earlier = new Ledger(path, clock)
    await earlier.note('start')
    clock.advance(30_000)
    assert.deepEqual(await new Ledger(path, clock).recall(30), [0])
  })

  it('takes times of the future for this moment, and no more of them than a minute can hold', async () => {
    const earlier = new Ledger(path, clock)
    for (let count = 0; count < 50; count += 1) await attempt(earlier)
    clock.stepWall(-3_600_000)
    assert.deepEqual(await new Ledger(path, clock).recall(3), [0, 0, 0])
  })

  it('begins anew where there is no file, or one that makes no sense', async () => {
    assert.deepEqual(await new Ledger(path, clock).recall(30), [])
    await new Ledger(path, clock).note('start')
    await writeFile(path, Buffer.from([0, 255, 10, 13, 10, 49]))
    assert.deepEqual(await new Ledger(path, clock).recall(30), [])
    assert.deepEqual(await new Ledger(folder, clock).recall(30), [])
  })

  it('does not keep an attempt from being made when it cannot be written', async () => {
    await new Ledger(folder, clock).note('start')
  })

  it('stays small over the years', async () => {
    const ledger = new Ledger(path, clock)
    for (let count = 0; count < 1500; count += 1) {
      clock.advance(2000)
      await attempt(ledger)
    }
    assert.ok((await readFile(path, 'utf8')).split('\n').length < 1100)
    assert.equal((await ledger.recall(30)).length, 30)
  }).timeout(30_000)

  it('keeps the cap over restarts that follow each other closely', async () => {
    const at = await stage({}, { requestsPerMinute: 12 })
    const now = () => ({ lane: 'urgent', maxAge: 0, signal: patient(), panel: at.panel }) as const
    await at.account.ask(operations.status, now())
    await at.afterRestart().ask(operations.status, now())
    await at.afterRestart().ask(operations.status, now())
    assert.equal(at.simulator.requests.length, 12)
    const leaving = new AbortController()
    const waiting = at.afterRestart().ask(operations.status, { ...now(), signal: leaving.signal })
    const refused = assert.rejects(waiting, { code: 'CLOSED' })
    await new Promise(setImmediate)
    leaving.abort()
    await refused
    assert.equal(at.simulator.requests.length, 12)
    await at.close()
  })
})
