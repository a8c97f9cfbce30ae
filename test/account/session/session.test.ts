import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { withoutKillGuard } from '../../../harness/without-kill-guard.ts'
import { Rejected } from '../../../src/account/service-user/auth/judgement.ts'
import {
  RejectedCredentials,
  type Secrets,
} from '../../../src/account/service-user/auth/rejected-credentials.ts'
import { RejectionFile } from '../../../src/account/service-user/auth/rejection-store.ts'
import { LocalTokenStore } from '../../../src/account/service-user/auth/token-store.ts'
import { Session } from '../../../src/account/session/session.ts'
import { KeyholderError } from '../../../src/service/error.ts'

/** Notes the secrets that settings have. */
class Credentials extends RejectedCredentials {
  readonly used: string[] = []

  override use(secrets: Secrets): void {
    this.used.push(secrets.subject)
    super.use(secrets)
  }
}

describe('A session', () => {
  const panel = { serial: 'A1B2C3', userCode: '4711' }
  let folder: string
  let session: Session
  let credentials: Credentials

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    const clock = new FakeClock()
    credentials = new Credentials(new RejectionFile(join(folder, 'rejected.json')), clock, withoutKillGuard)
    session = new Session(
      {
        url: 'https://alarm.example',
        apiVersion: '',
        api: 'user',
        email: 'one@alarm.example',
        password: 'hunter2',
      },
      { rejectedCredentials: credentials, tokens: new LocalTokenStore(clock) },
      clock,
    )
  })
  afterEach(() => rm(folder, { recursive: true }))

  const reject = () => Promise.reject(new Rejected(new KeyholderError('BAD_CREDENTIALS', 'Wrong.')))
  const signIn = () => session.userToken.token(async () => ({ value: 'user token' }))
  const open = () => session.panelToken(panel).token(async () => ({ value: 'panel token' }))

  it('takes its tokens, its password and the code of each panel for secrets, and no other word', async () => {
    await signIn()
    await open()
    for (const secret of ['hunter2', '4711', 'user token', 'panel token'])
      assert.ok(session.isSecret(secret), secret)
    assert.ok(!session.isSecret('another word'))
  })

  it('notes the secrets of deployed settings as used, and not those of a trial', () => {
    session.addOwner({}, 'trial')
    assert.deepEqual(credentials.used, [])
    session.addOwner({}, 'deployed')
    assert.deepEqual(credentials.used, ['sign-in'])
  })

  it('keeps its tokens after its last owner, and forgets what was rejected', async () => {
    const [one, other] = [{}, {}]
    session.addOwner(one, 'deployed')
    session.addOwner(other, 'deployed')
    await signIn()
    await assert.rejects(session.panelToken(panel).token(reject), { code: 'BAD_CREDENTIALS' })
    assert.equal(session.removeOwner(one), false)
    assert.ok(session.hasRejected(panel))
    assert.equal(session.removeOwner(other), true)
    assert.ok(!session.hasRejected(panel))
    assert.ok(session.userToken.current)
  })

  it('looks up a rejected password again only for an owner that comes after the last one has left', async () => {
    const owners: [object, object] = [{}, {}]
    session.addOwner(owners[0], 'deployed')
    await assert.rejects(session.userToken.token(reject), { code: 'BAD_CREDENTIALS' })
    session.addOwner(owners[1], 'deployed')
    assert.ok(session.userToken.rejection)
    for (const owner of owners) session.removeOwner(owner)
    session.addOwner({}, 'deployed')
    assert.equal(session.userToken.rejection, undefined)
  })

  it('opens each panel again after a sign-in, because the sessions of panels belong to it', async () => {
    await signIn()
    await open()
    assert.ok(session.panelToken(panel).current)
    session.noteSignIn({ value: 'next user token', generation: 2, madeAt: 0 })
    assert.ok(!session.panelToken(panel).current)
  })
})
