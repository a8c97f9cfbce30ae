import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Rejected } from '../../src/account/service-user/auth/judgement.ts'
import { RejectedCredentials } from '../../src/account/service-user/auth/rejected-credentials.ts'
import { RejectionFile } from '../../src/account/service-user/auth/rejection-store.ts'
import { TokenHolder, type TokenSources } from '../../src/account/service-user/auth/token-holder.ts'
import { LocalTokenStore, type MadeToken } from '../../src/account/service-user/auth/token-store.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { operations } from '../../src/service/operations.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { neverAborted, startAccountHarness } from '../account.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import { seed } from '../mocha/seed.ts'
import { requestsTo } from '../simulator.ts'
import { withoutKillGuard } from '../without-kill-guard.ts'

/** Runs the tasks of the scheduler in its order, and waits for disk and network in between. */
async function interleave(scheduler: fc.Scheduler, over: Promise<unknown>): Promise<void> {
  const state = { isOver: false }
  void over.finally(() => {
    state.isOver = true
  })
  while (!state.isOver) {
    await new Promise(setImmediate)
    if (scheduler.count() > 0) await scheduler.waitOne()
  }
}

/** A service that accepts only the newest token; the scheduler decides on the duration of each step. */
class Service {
  makes = 0
  made = 0
  mostAtOnce = 0
  calls = 0
  readonly #scheduler: fc.Scheduler
  readonly #fails: readonly boolean[]
  #atOnce = 0
  #valid = 0

  /** @param fails tells for each sign-in if it fails */
  constructor(scheduler: fc.Scheduler, fails: readonly boolean[]) {
    this.#scheduler = scheduler
    this.#fails = fails
  }

  expire(): void {
    this.#valid = 0
  }

  readonly signIn = async (): Promise<MadeToken> => {
    const fails = this.#fails[this.makes] ?? false
    this.makes += 1
    this.#atOnce += 1
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce)
    await this.#scheduler.schedule(Promise.resolve(), 'signed in')
    this.#atOnce -= 1
    if (fails) throw new KeyholderError('NETWORK', 'unplugged')
    this.made += 1
    this.#valid = this.made
    return { value: `${this.made}` }
  }

  /** Returns true if the token is valid when the request arrives. */
  async takes(token: string): Promise<boolean> {
    this.calls += 1
    await this.#scheduler.schedule(Promise.resolve(), `arrived with ${token}`)
    const isTaken = Number(token) === this.#valid
    await this.#scheduler.schedule(Promise.resolve(), `answered ${token}`)
    return isTaken
  }
}

/** Adds tests of the promises of a token holder, with `numRuns` random interleavings, or fewer for slow tests. */
export function testTokenHolder(numRuns: number): void {
  describe(`The token holder, for random interleavings of its callers (SEED=${seed})`, () => {
    let folder: string
    let sources: TokenSources
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
      const rejectedCredentials = new RejectedCredentials(
        new RejectionFile(join(folder, 'rejected.json')),
        new FakeClock(),
        withoutKillGuard,
      )
      sources = { rejectedCredentials, tokens: new LocalTokenStore(new FakeClock()) }
    })
    after(() => rm(folder, { recursive: true }))

    const callers = fc.integer({ min: 2, max: 50 })

    /**
     * Sends a request like an account, repeated once after an expiry; returns the number of attempts and the result.
     */
    async function call(session: TokenHolder, service: Service): Promise<{ calls: number; end: string }> {
      for (let calls = 1; ; calls += 1) {
        try {
          const token = await session.token(service.signIn)
          assert.equal(token.generation, service.made, 'a newer token was handed out already')
          if (await service.takes(token.value)) return { calls, end: 'answered' }
          session.expire(token)
        } catch (thrown) {
          return { calls, end: (thrown as KeyholderError).code }
        }
        if (calls === 2) return { calls, end: 'expired twice' }
      }
    }

    it('signs in once for each expiry and failure, repeats no call more than once, and fails no call without need', () =>
      fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          callers,
          fc.integer({ min: 0, max: 3 }),
          fc.array(fc.boolean(), { maxLength: 4 }),
          async (scheduler, count, expiries, fails) => {
            const service = new Service(scheduler, fails)
            const session = new TokenHolder(
              sources,
              { subject: 'sign-in', secrets: ['right'] },
              new FakeClock(),
            )
            const state = { expiries: 0 }
            for (let expiry = 0; expiry < expiries; expiry += 1) {
              void scheduler.schedule(Promise.resolve(), 'expiry').then(() => {
                state.expiries += 1
                service.expire()
              })
            }
            const calls = Array.from({ length: count }, async (_, caller) => {
              await scheduler.schedule(Promise.resolve(), `caller ${caller}`)
              return call(session, service)
            })
            await interleave(scheduler, Promise.all(calls))
            const ends = await Promise.all(calls)
            assert.equal(service.mostAtOnce, 1)
            const failed = fails.slice(0, service.makes).filter(Boolean).length
            assert.equal(service.makes, service.made + failed)
            assert.ok(
              service.made <= 1 + state.expiries,
              `${service.made} sign-ins, ${state.expiries} expiries`,
            )
            if (failed === 0) assert.ok(ends.every(({ end }) => end !== 'NETWORK'))
            if (state.expiries < 2) assert.ok(ends.every(({ end }) => end !== 'expired twice'))
            if (state.expiries === 0 && failed === 0) assert.ok(ends.every(({ calls }) => calls === 1))
          },
        ),
        { numRuns, seed },
      ))

    it('signs in once when a token expires with any number of calls in flight', () =>
      fc.assert(
        fc.asyncProperty(fc.scheduler(), callers, async (scheduler, count) => {
          const service = new Service(scheduler, [])
          const session = new TokenHolder(
            sources,
            { subject: 'sign-in', secrets: ['right'] },
            new FakeClock(),
          )
          await interleave(scheduler, session.token(service.signIn))
          const calls = Array.from({ length: count }, () => call(session, service))
          await new Promise(setImmediate)
          service.expire()
          await interleave(scheduler, Promise.all(calls))
          for (const { end } of await Promise.all(calls)) assert.equal(end, 'answered')
          assert.equal(service.made, 2)
          assert.equal(service.makes, 2)
        }),
        { numRuns: Math.ceil(numRuns * 0.3), seed },
      ))

    it('tries rejected credentials once, for any number of callers and for two holders that share them', () =>
      fc.assert(
        fc.asyncProperty(fc.scheduler(), callers, fc.uuid(), async (scheduler, count, secret) => {
          const secrets = { subject: 'sign-in', secrets: [secret] }
          const sessions = [
            new TokenHolder(sources, secrets, new FakeClock()),
            new TokenHolder(sources, secrets, new FakeClock()),
          ] as const
          let tries = 0
          const reject = async () => {
            tries += 1
            await scheduler.schedule(Promise.resolve(), 'rejected')
            throw new Rejected(new KeyholderError('BAD_CREDENTIALS', 'wrong'))
          }
          const calls = Array.from({ length: count }, async (_, caller) => {
            await scheduler.schedule(Promise.resolve(), `caller ${caller}`)
            await assert.rejects(sessions[caller % 2 ? 1 : 0].token(reject), { code: 'BAD_CREDENTIALS' })
          })
          await interleave(scheduler, Promise.all(calls))
          await Promise.all(calls)
          assert.equal(tries, 1)
        }),
        { numRuns: Math.ceil(numRuns * 0.01), seed },
      ))
  })
}

/** Adds a test of the promises of an account for its sessions, with `numRuns` random interleavings. */
export function testAccountSessions(numRuns: number): void {
  describe(`An account, for random interleavings of requests, expiries and cancellations (SEED=${seed})`, () => {
    it('signs in once for each expiry, sends no token that it knows to be expired, and answers all remaining callers', () =>
      fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(fc.record({ isPoll: fc.boolean(), leaves: fc.boolean() }), {
            minLength: 2,
            maxLength: 50,
          }),
          fc.constantFrom('session' as const, 'user' as const),
          async (scheduler, askers, kind) => {
            const at = await startAccountHarness()
            try {
              const ask = (locale: string, isPoll: boolean, signal: AbortSignal) =>
                at.account.sendRead(operations.status, {
                  ...{ lane: isPoll ? 'poll' : 'urgent', maxAge: 0, panel: at.panel, locale, signal },
                })
              await ask('', false, neverAborted())
              const asked = at.simulator.requests.length
              const refused = { sessions: 0 }
              const slow: Fault = {
                name: 'answers when the scheduler decides',
                send: (answer, wire) => {
                  void scheduler.schedule(Promise.resolve(), 'answer').then(() => {
                    const said = answer()
                    if (said.status !== 200) refused.sessions += 1
                    wire.send(said)
                  })
                },
              }
              at.simulator.faults.start(slow)
              void scheduler.schedule(Promise.resolve(), 'expiry').then(() => {
                if (kind === 'user') at.simulator.accounts.expireUserTokens()
                else at.simulator.accounts.expireSessions()
              })
              const leaving = new AbortController()
              void scheduler.schedule(Promise.resolve(), 'leave').then(() => leaving.abort())
              const answers = askers.map(async ({ isPoll, leaves }, asker) => {
                await scheduler.schedule(Promise.resolve(), `asker ${asker}`)
                await ask(`${asker}`, isPoll, leaves ? leaving.signal : neverAborted())
              })
              await interleave(scheduler, Promise.allSettled(answers))
              const ends = await Promise.allSettled(answers)
              for (const [asker, { status }] of ends.entries()) {
                if (!askers[asker]?.leaves) assert.equal(status, 'fulfilled')
              }
              // These may be in flight with the expired token, and as many again may follow aborted requests.
              const underWay = 3 + 1
              const most = askers.some(({ leaves }) => leaves) ? 2 * underWay : underWay
              assert.ok(refused.sessions <= most, `${refused.sessions} refused`)
              const { signIns, panelLogins } = at.simulator.accounts
              // The client does not notice the refusal of an aborted request.
              const renewed = askers.some(({ leaves }) => leaves) ? [0, 1] : [refused.sessions > 0 ? 1 : 0]
              assert.ok(renewed.includes(panelLogins - 1), `${panelLogins} panel logins`)
              assert.ok((kind === 'user' ? renewed : [0]).includes(signIns - 1), `${signIns} sign-ins`)
              const sent = at.simulator.requests.length - asked
              const renewals = requestsTo(at.simulator, 'auth') + requestsTo(at.simulator, 'panel/login') - 2
              assert.ok(sent <= askers.length + refused.sessions + renewals, `${sent} for ${askers.length}`)
            } finally {
              await at.close()
            }
          },
        ),
        { numRuns, seed },
      ))
  })
}
