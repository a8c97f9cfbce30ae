import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'

const minute = 60_000
const hour = 60 * minute

describe('The keypad of the dashboard example', () => {
  let now: number
  let kept: Map<string, unknown>
  let press: (command: unknown, value?: string) => unknown
  /** The text that the page shows. */
  let shown:
    | {
        states: Record<string, { state: { entryDelay?: number } }>
        answers: Record<string, { word: string; minutes?: number }>
      }
    | undefined

  beforeEach(async () => {
    const example = new URL('../../../examples/Dashboard.json', import.meta.url)
    const flows: FlowNode[] = JSON.parse(await readFile(example, 'utf8'))
    const keypad = flows.find(({ name }) => name === 'keypad')
    now = Date.UTC(2026, 0, 2)
    kept = new Map()
    class FlowDate extends Date {
      static override now = () => now
    }
    const run = new Function('msg', 'context', 'flow', 'env', 'Date', String(keypad?.func))
    const context = new Map()
    const variables = new Map([
      ['DISARM_CODE', '2468'],
      ['ENTRY_DELAY', '30'],
    ])
    press = (command, value = 'AWAY') => {
      const fetchedAt = new Date(now).toISOString()
      const message = { _msgid: '1', command, fetchedAt, payload: { 1: { state: { value } } } }
      const sent = run(message, context, kept, variables, FlowDate)
      shown = sent?.[0]?.payload
      return sent?.[1]?.payload
    }
    press(null)
  })

  const disarm = (code: string) => press({ partition: 1, state: 'DISARM', code })
  const word = () => shown?.answers[1]?.word

  /** Enters wrong codes, each as soon as the keypad takes one, and returns the number of those that were compared. */
  const guess = (ms: number): number => {
    const end = now + ms
    let compared = 0
    for (; now < end; now += minute) {
      disarm('0000')
      if (word() === 'wrong') compared += 1
    }
    return compared
  }

  it('sends a disarm with the code', () => {
    assert.deepEqual(press({ partition: 1, state: 'DISARM', code: '2468' }), {
      partition: 1,
      state: 'DISARM',
    })
  })

  for (const state of [
    'DISARM',
    'disarm',
    'DISARMED',
    'disarmed',
    ' DISARM ',
    '3',
    3,
    ['DISARM'],
    'toString',
  ]) {
    it(`sends no ${JSON.stringify(state)} without the code, whatever else the page sends`, () => {
      assert.equal(press({ partition: 1, state }), undefined)
    })
  }

  it('takes a message without a command for the states', () => {
    assert.equal(press(null), undefined)
    assert.deepEqual(shown?.states, { 1: { state: { value: 'AWAY' } } })
  })

  it('tells what is left of each entry delay, since the answer that showed it first', () => {
    const left = () => shown?.states[1]?.state.entryDelay
    press(null, 'ENTRY_DELAY')
    assert.equal(left(), 30)
    now += 7000
    press(null, 'ENTRY_DELAY')
    assert.equal(left(), 23)
    press(null, 'ALARM')
    assert.equal(left(), undefined)
    press(null, 'ENTRY_DELAY')
    assert.equal(left(), 30)
  })

  for (const command of [false, 0, '', 'DISARM', true, [], {}]) {
    it(`shows nothing for ${JSON.stringify(command)} instead of a command`, () => {
      assert.equal(press(command), undefined)
      assert.equal(shown, undefined)
    })
  }

  it('pauses longer after each further wrong code, also for the right one, and counts anew after that', () => {
    disarm('2468')
    for (let wrong = 0; wrong < 5; wrong += 1) disarm('0000')
    for (const minutes of [5, 10, 20, 40, 60, 60]) {
      assert.equal(disarm('2468'), undefined)
      assert.deepEqual([word(), shown?.answers[1]?.minutes], ['wait', minutes])
      now += minutes * minute
      disarm('0000')
      assert.equal(word(), 'wrong')
    }
    now += hour
    assert.ok(disarm('2468'))
    for (let wrong = 0; wrong < 4; wrong += 1) disarm('0000')
    assert.ok(disarm('2468'))
  })

  it('lets nobody try 10,000 codes within a third of a year', () => {
    assert.ok(guess(120 * 24 * hour) < 5000)
  })

  it('pauses after the second wrong code since a restart, and forgets wrong codes after a day', () => {
    disarm('0000')
    disarm('0000')
    assert.equal(disarm('2468'), undefined)
    now += 25 * hour
    for (let wrong = 0; wrong < 4; wrong += 1) disarm('0000')
    assert.ok(disarm('2468'))
  })

  it('goes on with the pause after a deploy, and after a restart if the context is kept in files', () => {
    for (let wrong = 0; wrong < 3; wrong += 1) disarm('0000')
    kept = new Map(structuredClone([...kept]))
    assert.equal(disarm('2468'), undefined)
  })

  it('pauses for an hour at most if the clock was ahead', () => {
    for (let wrong = 0; wrong < 2; wrong += 1) disarm('0000')
    now -= 20 * hour
    press(null)
    now += hour
    assert.ok(disarm('2468'))
  })
})
