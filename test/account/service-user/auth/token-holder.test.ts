import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { withoutKillGuard } from '../../../../harness/without-kill-guard.ts'
import { RejectedCredentials } from '../../../../src/account/service-user/auth/rejected-credentials.ts'
import { RejectionFile } from '../../../../src/account/service-user/auth/rejection-store.ts'
import { TokenHolder } from '../../../../src/account/service-user/auth/token-holder.ts'
import { LocalTokenStore } from '../../../../src/account/service-user/auth/token-store.ts'

describe('The holder of a token', () => {
  let folder: string
  let holder: TokenHolder
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    const clock = new FakeClock()
    const rejections = new RejectionFile(join(folder, 'rejected.json'))
    const rejectedCredentials = new RejectedCredentials(rejections, clock, withoutKillGuard)
    const sources = { rejectedCredentials, tokens: new LocalTokenStore(clock) }
    holder = new TokenHolder(sources, { subject: 'sign-in', secrets: ['right'] }, clock)
  })
  afterEach(() => rm(folder, { recursive: true, maxRetries: 10 }))

  const signIn = (value: string) => holder.token(async () => ({ value }))

  it('signs in again after an expiry, and keeps the new token when an older one is refused late', async () => {
    const first = await signIn('first')
    holder.expire(first)
    assert.equal((await signIn('second')).value, 'second')
    holder.expire(first)
    assert.equal((await signIn('third')).value, 'second')
  })
})
