import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { type ErrorRow, errorTable } from '../../../src/service/error-table.ts'
import { operations } from '../../../src/service/operations.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { errorResponse, type HttpResponse } from '../../../src/simulator/http/http-response.ts'

/** Returns an answer that signals an expired token the way this row of the error table describes. */
function answerOf({ status, reasons = [] }: ErrorRow): HttpResponse {
  const number = reasons.find((reason) => typeof reason === 'number') ?? status
  const word = reasons.find((reason) => typeof reason === 'string') ?? 'Expired'
  return errorResponse(status, Number(number), String(word), 'Unable to recognize session token')
}

/** A fault that makes the simulator report every expired token the way this row describes. */
function shownAs(row: ErrorRow): Fault {
  return {
    name: `expiry shown as ${row.status}`,
    answer: (getOriginal) => {
      const original = getOriginal()
      return [401, 440].includes(original.status) ? answerOf(row) : original
    },
  }
}

const titleOf = ({ status, reasons, says }: ErrorRow) =>
  [status, ...(reasons ? [`with ${reasons.join(' or ')}`] : []), ...(says ? [`that says ${says}`] : [])].join(
    ' ',
  )

describe('Fifty requests in flight when a token expires', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
    await at.account.sendRead(operations.status, at.createRequest())
  })
  afterEach(() => at.close())

  /**
   * Sends fifty requests, expires a token when the first one has arrived, and returns the additional sign-ins and
   * panel logins. Only requests that are on their way then are repeated: three at most.
   */
  async function costOfFifty(expire: () => void): Promise<Record<'auth' | 'login', number>> {
    const before = {
      auth: requestsTo(at.simulator, 'auth'),
      login: requestsTo(at.simulator, 'panel/login'),
      status: requestsTo(at.simulator, 'status'),
    }
    const expiresInFlight: Fault = {
      name: 'token expires in flight',
      answer: (getOriginal) => {
        expire()
        return getOriginal()
      },
    }
    at.simulator.faults.start(expiresInFlight, { operation: 'status', times: 1 })
    const fifty = Array.from({ length: 50 }, (_, index) =>
      at.account.sendRead(operations.status, { ...at.createRequest(), locale: `${index}` }),
    )
    for (const { value } of await Promise.all(fifty)) assert.ok(value.partitions.length > 0)
    const repeated = requestsTo(at.simulator, 'status') - before.status - 50
    assert.ok(repeated >= 1 && repeated <= 3, `${repeated}`)
    return {
      auth: requestsTo(at.simulator, 'auth') - before.auth,
      login: requestsTo(at.simulator, 'panel/login') - before.login,
    }
  }

  for (const row of errorTable.filter(({ effect }) => effect === 'session token expired')) {
    it(`cause one panel login and no sign-in if the service reports the expired session as ${titleOf(row)}`, async () => {
      const end = () => at.simulator.accounts.expireSessions()
      at.simulator.faults.start(shownAs(row), { operation: 'status' })
      assert.deepEqual(await costOfFifty(end), { auth: 0, login: 1 })
    })
  }

  for (const row of errorTable.filter(({ effect }) => effect === 'user token expired')) {
    const end = () => at.simulator.accounts.expireUserTokens()
    if (row.operation === undefined) {
      it(`cause one sign-in and one panel login if the service reports the expired user token as ${titleOf(row)}`, async () => {
        at.simulator.faults.start(shownAs(row), { operation: 'status' })
        assert.deepEqual(await costOfFifty(end), { auth: 1, login: 1 })
      })
    }
    it(`cause one sign-in if the panel login reports the expired user token as ${titleOf(row)}`, async () => {
      const dead = errorTable.find(({ status }) => status === 440)
      if (dead) at.simulator.faults.start(shownAs(dead), { operation: 'status' })
      at.simulator.faults.start(shownAs(row), { operation: 'panel/login' })
      assert.deepEqual(await costOfFifty(end), { auth: 1, login: 2 })
    })
  }
})
