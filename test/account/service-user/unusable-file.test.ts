import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { Account } from '../../../src/account/account.ts'
import { AccountRegistry } from '../../../src/account/account-registry.ts'
import { AttemptLog } from '../../../src/account/service-user/rate-limit/attempt-log.ts'
import { minute } from '../../../src/duration.ts'
import { KeyholderError } from '../../../src/service/error.ts'
import { operations } from '../../../src/service/operations.ts'

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
