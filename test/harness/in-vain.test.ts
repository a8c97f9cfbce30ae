import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../harness/account.ts'
import { AutoAdvance } from '../../harness/clock/auto-advance.ts'
import { FakeClock } from '../../harness/clock/fake-clock.ts'
import { showInVain } from '../../harness/clock/in-vain.ts'
import { PendingIo } from '../../harness/clock/pending-io.ts'
import { Recorder } from '../../harness/recorder.ts'
import { operations } from '../../src/service/operations.ts'

describe('A wait in vain', () => {
  it('shows the lines of the test that waits, and not those of the clock', async () => {
    const time = new AutoAdvance(new FakeClock(), new PendingIo())
    const messages = new Recorder<string>('messages', (condition, describe) =>
      time.until(condition, describe),
    )
    async function waitForMessage() {
      await Promise.resolve()
      await messages.next()
    }
    const error: Error = await waitForMessage().then(
      () => assert.fail('it ended'),
      (thrown) => thrown,
    )
    const calls = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line))
    const named = calls.filter((line) => /harness\/in-vain\.test\.[jt]s:\d+/.test(line)).join()
    assert.match(named, /waitForMessage.*Context/)
    assert.doesNotMatch(calls.join(), /\/auto-advance|\/recorder/)
  })

  it('shows what happened last in all that runs, and no longer when that has ended', async () => {
    const hide = showInVain(() => ['Statuses: state "armed"'])
    const time = new AutoAdvance(new FakeClock(), new PendingIo())
    const wait = () =>
      time.until(
        () => false,
        () => 'never',
      )
    await assert.rejects(wait(), { message: 'In vain: never\nStatuses: state "armed"' })
    hide()
    await assert.rejects(wait(), { message: 'In vain: never' })
  })

  describe('for an account', () => {
    let at: AccountHarness
    before(async () => {
      at = await startAccountHarness()
    })
    after(() => at.close())

    it('shows the latest requests with their ages', async () => {
      await at.waitFor(at.account.sendRead(operations.status, at.createRequest()))
      await assert.rejects(
        at.time.until(() => false),
        /In vain: .*\nLatest of 4 requests:\n(.*\n){3} {2}\d+\.0 s ago: GET \/rest_api\/\S+\/status 200$/,
      )
    })
  })
})
