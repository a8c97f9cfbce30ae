import assert from 'node:assert/strict'
import { createHash, scryptSync } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { moduleExtension } from '../../../../harness/module-extension.ts'
import { withoutKillGuard } from '../../../../harness/without-kill-guard.ts'
import { Rejected } from '../../../../src/account/service-user/auth/judgement.ts'
import { RejectedCredentials } from '../../../../src/account/service-user/auth/rejected-credentials.ts'
import { RejectionFile } from '../../../../src/account/service-user/auth/rejection-store.ts'
import { systemClock } from '../../../../src/clock.ts'
import { minute } from '../../../../src/duration.ts'
import { KeyholderError } from '../../../../src/service/error.ts'

describe('The file of rejected credentials', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('contains a salted scrypt hash of the rejected credentials, computed with the cost of the class', async () => {
    const path = join(folder, 'rejected.json')
    const secrets = ['me@example.com', 'canary-password']
    const refuse = () => Promise.reject(new Rejected(new KeyholderError('BAD_CREDENTIALS', 'Wrong.')))
    await assert.rejects(
      new RejectedCredentials(new RejectionFile(path), systemClock, withoutKillGuard).attemptUnlessRejected(
        { subject: 'sign-in', secrets },
        refuse,
      ),
      Rejected,
    )
    const content = await readFile(path, 'utf8')
    assert.ok(!content.includes('canary'))
    const { salt, rejected } = JSON.parse(content)
    const digest = createHash('sha256').update(JSON.stringify(secrets)).digest('base64')
    const hash = scryptSync(digest, salt, 32, { N: RejectedCredentials.cost }).toString('base64')
    assert.deepEqual(Object.keys(rejected), [hash])
  })

  it('has no note of accepted secrets on its way when it has settled', async () => {
    const path = join(folder, 'rejected.json')
    const clock = new FakeClock()
    const credentials = new RejectedCredentials(new RejectionFile(path), clock, withoutKillGuard)
    await credentials.attemptUnlessRejected(
      { subject: 'sign-in', secrets: ['me', 'password'] },
      async () => 'accepted',
    )
    await clock.advance(minute)
    await credentials.settle()
    const content = await readFile(path.replace('.json', '.accepted.json'), 'utf8')
    assert.deepEqual(Object.values(JSON.parse(content)), ['sign-in'])
  })

  it('uses a scrypt cost of 16,384 unless a test lowers it', async () => {
    // A copy of the module that no test has changed.
    const { href } = new URL(
      `../../../../src/account/service-user/auth/rejected-credentials${moduleExtension}?untouched`,
      import.meta.url,
    )
    const untouched: { RejectedCredentials: typeof RejectedCredentials } = await import(href)
    assert.equal(untouched.RejectedCredentials.cost, 16_384)
  })
})
