import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { startAccountHarness } from '../../harness/account.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { PanelClient, phaseOf } from '../../src/panel/panel-client.ts'
import { operations } from '../../src/service/operations.ts'

const minute = 60_000

const notAllowed = {
  name: 'refused',
  answer: () => ({
    status: 403,
    body: { error: 10010, error_message: '', error_reason_code: 'NotAllowed' },
  }),
}

describe('The polls of an operation that is not allowed', () => {
  it('pause for twice as long each time, for an hour at most', async () => {
    const at = await startAccountHarness()
    const client = new PanelClient(at.account, at.panel)
    at.simulator.faults.start(notAllowed, { operation: 'alarms' })
    const minutes: number[] = []
    for (let passed = 0; passed <= 4 * 60; passed += 1) {
      const before = requestsTo(at.simulator, 'alarms')
      await assert.rejects(client.request(operations.alarms, { ...at.createRequest(), lane: 'poll' }))
      if (requestsTo(at.simulator, 'alarms') > before) minutes.push(passed)
      at.clock.advance(minute)
    }
    await at.close()
    const pauses = minutes.slice(1).map((one, index) => one - (minutes[index] ?? 0))
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60])
  })
})

describe('The polls of an operation that was answered before', () => {
  it('begin again within ten minutes after hours of refusals', async () => {
    const at = await startAccountHarness()
    const client = new PanelClient(at.account, at.panel)
    const poll = () => client.request(operations.status, { ...at.createRequest(), lane: 'poll' })
    await poll()
    const end = at.simulator.faults.start(notAllowed)
    for (let polls = 0; polls < 2 * 60 * 5; polls += 1) {
      await assert.rejects(poll())
      at.clock.advance(minute / 2)
    }
    end()
    let minutes = 0
    while (!(await poll().catch(() => undefined)) && minutes < 60) {
      at.clock.advance(minute / 2)
      minutes += 0.5
    }
    await at.close()
    assert.ok(minutes <= 10, `${minutes} minutes`)
  })
})

describe('A panel that the account does not have', () => {
  it('is told with the first ten panels that it has', async () => {
    const at = await startAccountHarness({ panels: 12 })
    const client = new PanelClient(at.account, { ...at.panel, serial: 'NONE' })
    const named = at.simulator.serials.slice(0, 10)
    const isTold = ({ message }: Error) =>
      isDeepStrictEqual(message.split('It has: ')[1]?.match(/(?<=^|, )\w+/g), named)
    await assert.rejects(client.identify(at.createRequest()), isTold)
    await at.close()
  })
})

const count = 1000

/** Serials as the service has them: six hexadecimal digits. */
const serialOf = (number: number) => number.toString(16).toUpperCase().padStart(6, '0')

describe('The phases of panels', () => {
  for (const [what, serials] of [
    ['serials in a row', Array.from({ length: count }, (_, nth) => serialOf(0xa1b2c3 + nth))],
    ['serials far apart', Array.from({ length: count }, (_, nth) => serialOf((nth * 0x9e3779b1) & 0xffffff))],
  ] as const)
    it(`spread the polls evenly over the interval, for ${what}`, () => {
      const polls = Array.from({ length: 10 }, () => 0)
      for (const serial of serials) {
        const tenth = Math.floor(phaseOf(serial) * 10)
        polls[tenth] = (polls[tenth] ?? 0) + 1
      }
      for (const one of polls) assert.ok(one > 60 && one < 140, `${polls}`)
    })

  it('are the same for the same serial in each process', () => {
    const phases = ['A1B2C3', 'A1B2C4'].map((serial) => phaseOf(serial).toFixed(6))
    assert.deepEqual(phases, ['0.569891', '0.782476'])
  })
})
