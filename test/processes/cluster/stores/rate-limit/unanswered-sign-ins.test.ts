import assert from 'node:assert/strict'
import { FakeClock } from '../../../../../harness/clock/fake-clock.ts'
import {
  advanceSharedClock,
  type ConnectedScripts,
  connectScripts,
  userParts,
} from '../../../../../harness/cluster/connected-scripts.ts'
import { describeWithRedis } from '../../../../../harness/redis-server.ts'
import { withoutKillGuard } from '../../../../../harness/without-kill-guard.ts'
import { RejectedCredentials } from '../../../../../src/account/service-user/auth/rejected-credentials.ts'
import { TokenHolder } from '../../../../../src/account/service-user/auth/token-holder.ts'
import { SharedRejections } from '../../../../../src/cluster/stores/rejections.ts'
import { SharedTokens } from '../../../../../src/cluster/stores/tokens.ts'
import { minute, second } from '../../../../../src/duration.ts'
import { type ErrorCode, KeyholderError } from '../../../../../src/service/error.ts'

const timeout = () => new KeyholderError('TIMEOUT', 'service.example did not answer in time.', {})

describeWithRedis('A sign-in without an answer', (server) => {
  let clock: FakeClock
  let members: (ConnectedScripts & {
    holder: TokenHolder
    signIn(error?: KeyholderError): Promise<ErrorCode | 'token'>
  })[]
  let sent: number

  beforeEach(async () => {
    await server.empty()
    clock = new FakeClock()
    members = []
    sent = 0
  })
  afterEach(() => {
    for (const { close } of members) close()
  })

  /** Adds an instance with these secrets. */
  async function add(password = 'secret') {
    const connected = await connectScripts(server, { clock })
    const number = members.length + 1
    await connected.command('ZADD', 'members', 9e15, number)
    const parts = userParts(connected, clock, number)
    const rejections = new SharedRejections(parts)
    const tokens = new SharedTokens(parts, rejections)
    const rejectedCredentials = new RejectedCredentials(rejections, clock, withoutKillGuard)
    const secrets = { subject: 'sign-in', secrets: [password] }
    const holder = new TokenHolder({ rejectedCredentials, tokens }, secrets, clock)
    /** Returns the code of the error with which it fails. */
    const signIn = async (error?: KeyholderError): Promise<ErrorCode | 'token'> => {
      const make = async () => {
        sent += 1
        if (error === undefined) return { value: 'token' }
        holder.noteFailure(error)
        throw error
      }
      return holder.token(make).then(
        () => 'token',
        (thrown: KeyholderError) => thrown.code,
      )
    }
    const member = { ...connected, holder, signIn }
    members.push(member)
    return member
  }

  async function pass(ms: number): Promise<void> {
    clock.advance(ms)
    const [first] = members
    if (first !== undefined) await advanceSharedClock(first, ms)
    // Each must hear of it.
    for (const { command } of members) await command('GET', 'clock')
  }

  it('is not repeated by any instance before its pause is over, which grows with the failures of all of them', async () => {
    const [one, other, third] = [await add(), await add(), await add()]
    const order = [one, other, third, one]
    for (const [index, minutes] of [1, 5, 15, 60].entries()) {
      assert.equal(await order[index]?.signIn(timeout()), 'TIMEOUT')
      assert.equal(sent, index + 1)
      for (const member of members) assert.equal(await member.signIn(timeout()), 'TIMEOUT')
      await pass(minutes * minute - 2 * second)
      for (const member of members) assert.equal(await member.signIn(), 'TIMEOUT')
      assert.equal(sent, index + 1)
      await pass(4 * second)
    }
    assert.equal(await other.signIn(), 'token')
    assert.equal(await third.signIn(), 'token')
    assert.equal(sent, 5)
  })

  it('begins with a short pause again after a token, and keeps no other secrets waiting', async () => {
    const [one, other, changed] = [await add(), await add(), await add('another')]
    assert.equal(await one.signIn(timeout()), 'TIMEOUT')
    assert.equal(await changed.signIn(), 'token')
    await pass(minute + second)
    assert.equal(await other.signIn(), 'token')
    const { connection } = one
    const fields = (await connection.send('HKEYS', ['keyholder:{test}:user:user1:tokens'])) as Buffer[]
    assert.equal(fields.length, 2)
  })
})
