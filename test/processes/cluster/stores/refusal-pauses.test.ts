import assert from 'node:assert/strict'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { connectScripts, userParts } from '../../../../harness/cluster/connected-scripts.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { withoutKillGuard } from '../../../../harness/without-kill-guard.ts'
import { Paused, Refused } from '../../../../src/account/service-user/auth/judgement.ts'
import { RejectedCredentials } from '../../../../src/account/service-user/auth/rejected-credentials.ts'
import { SharedRejections } from '../../../../src/cluster/stores/rejections.ts'
import { day, minute } from '../../../../src/duration.ts'
import { KeyholderError } from '../../../../src/service/error.ts'

describeWithRedis('The pause after a refusal without a clear reason', (server) => {
  it('is as long on a machine that runs for a month, though neither system names its start', async () => {
    await server.restart()
    const old = new FakeClock()
    old.advance(30 * day)
    let sent = 0
    const connections = []
    const attempts = []
    for (const [index, clock] of [new FakeClock(), old].entries()) {
      const connected = await connectScripts(server, { clock })
      connections.push(connected)
      const rejections = new SharedRejections(userParts(connected, clock, index + 1))
      const credentials = new RejectedCredentials(rejections, clock, withoutKillGuard)
      attempts.push(() =>
        credentials.attemptUnlessRejected({ subject: 'sign-in', secrets: ['secret'] }, async () => {
          sent += 1
          throw new Refused(new KeyholderError('BAD_RESPONSE', 'Refused.'), false)
        }),
      )
    }
    for (const attempt of attempts) {
      await assert.rejects(attempt(), (thrown) => {
        assert.ok(thrown instanceof Paused)
        // The shared clock runs in real time here, and moments are kept to the second.
        assert.ok(thrown.left > minute / 2 && thrown.left <= minute + 1000, `${thrown.left}`)
        return true
      })
    }
    assert.equal(sent, 1)
    for (const { close } of connections) close()
  })
})
