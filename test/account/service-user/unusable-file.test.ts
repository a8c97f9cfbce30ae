import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { until } from '../../../harness/clock/until.ts'
import { makeReadOnly } from '../../../harness/disturbances/read-only-disk.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { Account } from '../../../src/account/account.ts'
import { AccountRegistry } from '../../../src/account/account-registry.ts'
import type { PanelKey } from '../../../src/account/requests/request.ts'
import { AttemptLog } from '../../../src/account/service-user/rate-limit/attempt-log.ts'
import { minute } from '../../../src/duration.ts'
import { KeyholderError } from '../../../src/service/error.ts'
import { operations } from '../../../src/service/operations.ts'
import type { RawSettings } from '../../../src/settings.ts'

describe('An account whose files cannot be read or written', () => {
  let at: AccountHarness
  let paths: { log: string; rejections: string }
  beforeEach(async () => {
    at = await startAccountHarness()
    await at.account.sendRead(operations.status, at.createRequest())
    const names = await readdir(at.folder)
    const path = (ending: string) => join(at.folder, names.find((name) => name.endsWith(ending)) ?? '')
    paths = { log: path('.log'), rejections: path('.rejected.json') }
  })
  afterEach(() => at.close())

  const ask = (account: Account) => account.sendRead(operations.status, at.createRequest())
  const unusable = (path: string, doing: string) => (thrown: unknown) =>
    thrown instanceof KeyholderError &&
    thrown.code === 'BAD_SETTING' &&
    thrown.message.startsWith(`The file ${path} cannot be ${doing} (`) &&
    /owns this file and its folder.*read-only/.test(thrown.message)

  /** Puts a folder in the way of a file, since nothing stops an administrator who runs the tests. */
  async function block(path: string): Promise<void> {
    await rename(path, `${path}.away`).catch(() => {})
    await mkdir(path)
  }

  async function unblock(path: string): Promise<void> {
    await rm(path, { recursive: true })
    await rename(`${path}.away`, path).catch(() => {})
  }

  for (const [what, blocked, error] of [
    ['request log cannot be read', () => paths.log, () => unusable(paths.log, 'read')],
    ['rejections cannot be read', () => paths.rejections, () => unusable(paths.rejections, 'read')],
    [
      'rejections cannot be written',
      () => `${paths.rejections}.new`,
      () => unusable(paths.rejections, 'written'),
    ],
  ] as const) {
    it(`sends no password after a restart if its ${what}, says so, and goes on when they can`, async () => {
      await block(blocked())
      const account = at.openAfterRestart()
      for (let poll = 0; poll < 3; poll += 1) await assert.rejects(ask(account), error())
      assert.equal(requestsTo(at.simulator, 'auth'), 1)
      await unblock(blocked())
      await ask(account)
      assert.equal(requestsTo(at.simulator, 'auth'), 2)
    })

    it(`sends a password and a code again that have worked in this process if its ${what}`, async () => {
      await block(blocked())
      at.simulator.accounts.expireSessions()
      await ask(at.account)
      assert.equal(requestsTo(at.simulator, 'panel/login'), 2)
    })

    it(`sends a wrong code once at most, with restarts, if its ${what}`, async () => {
      await block(blocked())
      const wrong = { ...at.panel, userCode: '9999' }
      await assert.rejects(at.account.openPanel(wrong), { code: 'BAD_SETTING' })
      for (let restart = 0; restart < 5; restart += 1) {
        at.clock.advance(10 * minute)
        await assert.rejects(at.openAfterRestart().openPanel(wrong), error())
      }
      assert.equal(requestsTo(at.simulator, 'panel/login'), 1)
    })
  }

  it('sends nothing at all after a restart if its folder cannot be written', async () => {
    const { length } = at.simulator.requests
    const folder = join(at.folder, 'file')
    await writeFile(folder, '')
    const surroundings = { clock: at.clock, folder, random: () => 0.5 }
    const open = () => new Account(at.account.settings, new AccountRegistry(at.clock), surroundings, () => {})
    for (let restart = 0; restart < 7; restart += 1) {
      await assert.rejects(ask(open()), unusable(join(folder, basename(paths.rejections)), 'read'))
      at.clock.advance(minute)
    }
    assert.equal(at.simulator.requests.length, length)
  })

  it('shows the error in the words of the dialogs', async () => {
    await block(paths.log)
    const error = await ask(at.openAfterRestart()).catch((thrown: KeyholderError) => thrown)
    assert.ok(error instanceof KeyholderError)
    assert.equal(error.detail.text, 'finding.unusableFile')
    assert.deepEqual(error.detail.values, { path: paths.log, word: 'EISDIR' })
  })

  it('keeps a requested pause for the next process if it can be written only later', async () => {
    const log = new AttemptLog(paths.log, at.clock)
    await log.open()
    await block(paths.log)
    await log.noteBackoff(10 * minute)
    await unblock(paths.log)
    at.clock.advance(minute)
    await log.noteStarts(1)
    assert.equal(await new AttemptLog(paths.log, at.clock).recallBackoff(), 9 * minute)
  })
})

describe('An account on a disk that turned read-only', () => {
  let at: AccountHarness
  let endReadOnly = () => {}
  beforeEach(async () => {
    at = await startAccountHarness()
    await ask(at.account)
    at.clock.advance(minute)
    await until(() => {
      const path = acceptedPath()
      return path !== '' && Object.keys(JSON.parse(readFileSync(path, 'utf8'))).length === 2
    })
    endReadOnly = makeReadOnly(at.folder)
  })
  afterEach(async () => {
    endReadOnly()
    await at.close()
  })

  const acceptedPath = () => {
    const name = readdirSync(at.folder).find((one) => one.endsWith('.accepted.json'))
    return name === undefined ? '' : join(at.folder, name)
  }
  const ask = (account: Account, panel = at.panel) =>
    account.sendRead(operations.status, { ...at.createRequest(), panel })
  const sent = () => ({
    signIns: requestsTo(at.simulator, 'auth'),
    logins: requestsTo(at.simulator, 'panel/login'),
  })
  const unwritable = { code: 'BAD_SETTING', message: /cannot be written \(EROFS\).*worked before/ }
  /** Restarts, waits until secrets may be sent, and asks. */
  const askLater = async (settings?: RawSettings, panel?: PanelKey) => {
    const account = at.openAfterRestart(settings)
    await assert.rejects(ask(account, panel), unwritable)
    at.clock.advance(2 * minute)
    return ask(account, panel)
  }

  it('sends nothing in the first minute after a start, then password and code that have worked before', async () => {
    const account = at.openAfterRestart()
    const { length } = at.simulator.requests
    for (let second = 0; second < 60; second += 10) {
      await assert.rejects(ask(account), unwritable)
      at.clock.advance(10 * 1000)
    }
    assert.equal(at.simulator.requests.length, length)
    at.clock.advance(1000)
    await ask(account)
    assert.deepEqual(sent(), { signIns: 2, logins: 2 })
  })

  it('sends no sign-in in 15 starts within 5 minutes', async () => {
    const { length } = at.simulator.requests
    for (let start = 0; start < 15; start += 1) {
      const account = at.openAfterRestart()
      for (let poll = 0; poll < 2; poll += 1) {
        await assert.rejects(ask(account), unwritable)
        at.clock.advance(10 * 1000)
      }
    }
    assert.equal(at.simulator.requests.length, length)
  })

  it('sends no password and no code that is new', async () => {
    await assert.rejects(askLater({ password: 'another' }), unwritable)
    await assert.rejects(askLater({ email: 'somebody@example.com' }), unwritable)
    assert.equal(sent().signIns, 1)
    await assert.rejects(askLater({}, { ...at.panel, userCode: '9999' }), unwritable)
    await assert.rejects(askLater({}, { ...at.panel, serial: 'B2C3D4' }), unwritable)
    assert.equal(sent().logins, 1)
  })

  it('sends a rejected password no second time in this process', async () => {
    at.simulator.accounts.setPassword('changed')
    const account = at.openAfterRestart()
    await assert.rejects(ask(account), unwritable)
    at.clock.advance(2 * minute)
    for (let poll = 0; poll < 5; poll += 1) {
      await assert.rejects(ask(account), { code: 'BAD_CREDENTIALS' })
      at.clock.advance(10 * minute)
    }
    assert.equal(sent().signIns, 2)
  })

  it('sends a rejected password no second time after a restart if the disk is full, on which files can be removed', async () => {
    endReadOnly()
    const path = acceptedPath()
    for (const full of [path, path.replace('.accepted', '.rejected')]) await mkdir(`${full}.new`)
    at.simulator.accounts.setPassword('changed')
    for (let start = 0; start < 3; start += 1) {
      const account = at.openAfterRestart()
      await ask(account).catch(() => {})
      at.clock.advance(10 * minute)
      await assert.rejects(ask(account), { code: start === 0 ? 'BAD_CREDENTIALS' : 'BAD_SETTING' })
    }
    assert.equal(sent().signIns, 2)
  })

  it('sends nothing that was rejected while the disk could be written, though it had worked before', async () => {
    endReadOnly()
    at.simulator.accounts.setPassword('changed')
    await assert.rejects(ask(at.openAfterRestart()), { code: 'BAD_CREDENTIALS' })
    endReadOnly = makeReadOnly(at.folder)
    const account = at.openAfterRestart()
    at.clock.advance(2 * minute)
    await assert.rejects(ask(account), { code: 'BAD_CREDENTIALS' })
    assert.equal(sent().signIns, 2)
  })

  it('sends nothing of which no note says that it has worked, as after an update', async () => {
    endReadOnly()
    await rm(acceptedPath())
    endReadOnly = makeReadOnly(at.folder)
    await assert.rejects(askLater(), unwritable)
    assert.equal(sent().signIns, 1)
  })

  it('goes on at the end of the pause as usual if it can be written again', async () => {
    const account = at.openAfterRestart({ password: at.simulator.password })
    await assert.rejects(ask(account), unwritable)
    endReadOnly()
    at.clock.advance(minute + 1000)
    await ask(account)
    const other = { ...at.panel, userCode: '9999' }
    await assert.rejects(ask(account, other), { code: 'WRONG_USER_CODE' })
  })
})
