import assert from 'node:assert/strict'
import { defaultStates, isSettable, requestable } from '../../../src/service/responses/status.ts'

interface Row {
  settable: boolean
  options: string[]
  statuses: string[]
  next: string[]
}

/** Interface specification 3, row by row. */
const table: Readonly<Record<string, Row>> = {
  AWAY: { settable: true, options: ['NOENTRY', 'LATCHKEY'], statuses: ['EXIT'], next: ['DISARM', 'HOME'] },
  HOME: { settable: true, options: ['NOENTRY'], statuses: ['EXIT'], next: ['DISARM', 'AWAY'] },
  DISARM: { settable: true, options: [], statuses: [], next: ['DISARM', 'AWAY', 'HOME'] },
  ENTRY_DELAY: { settable: false, options: [], statuses: [], next: ['DISARM'] },
  PROGRAMMING: { settable: false, options: [], statuses: [], next: [] },
}
const all = Object.keys(table)

describe('The states of a panel without a state set', () => {
  for (const [name, row] of Object.entries(table)) {
    const { settable, options, statuses, next } = row
    // @spec 3
    it(`include ${name}: ${settable ? '' : 'not '}settable, followed by ${next.join(' ') || 'no other state'}`, () => {
      const found = defaultStates.find((state) => state.name === name)
      assert.deepEqual(found, { name, settable, options, statuses, transitions: next })
      assert.equal(isSettable(defaultStates, name), settable)
    })
  }

  // @spec 3
  it('are exactly five', () => {
    assert.deepEqual(
      defaultStates.map(({ name }) => name),
      all,
    )
  })
})

describe('The states that can be requested', () => {
  const cases = {
    AWAY: ['HOME', 'DISARM'],
    HOME: ['AWAY', 'DISARM'],
    DISARM: ['AWAY', 'HOME', 'DISARM'],
    ENTRY_DELAY: ['DISARM'],
    PROGRAMMING: [],
    // No rule speaks of it: the panel decides.
    SLEEPING: ['AWAY', 'HOME', 'DISARM'],
  }
  for (const [current, states] of Object.entries(cases)) {
    // @spec 3-rule-2
    it(`are ${states.join(' ') || 'none'} while the panel is in ${current}`, () => {
      assert.deepEqual(requestable(defaultStates, current), states)
    })
  }

  // @spec 3-rule-2
  it('are all that are settable while the panel is in a state that its own definitions lack', () => {
    const own = defaultStates.filter(({ name }) => name !== 'HOME')
    assert.deepEqual(requestable(own, 'HOME'), ['AWAY', 'DISARM'])
    assert.deepEqual(requestable([], 'HOME'), [])
  })

  // @spec 3-rule-1
  it('are both reachable and settable', () => {
    const state = (name: string, settable: boolean, transitions: string[]) => ({
      name,
      settable,
      transitions,
      options: [],
      statuses: [],
    })
    const states = [state('A', true, ['B', 'D']), state('B', false, []), state('C', true, ['A'])]
    assert.deepEqual(requestable(states, 'A'), [])
    assert.deepEqual(requestable(states, 'C'), ['A'])
  })
})
