import assert from 'node:assert/strict'
import { homeAssistant, inVocabulary, vocabularies } from '../../src/messages/state-words.ts'

/** Returns a partition in a state, with options. */
const stateOf = (value: string, options: string[] = [], isArmed = false) => ({ value, options, isArmed })

describe('The vocabulary home-assistant', () => {
  const words = {
    AWAY: 'armed_away',
    HOME: 'armed_home',
    DISARM: 'disarmed',
    ENTRY_DELAY: 'pending',
    ARMING: 'arming',
    ALARM: 'triggered',
    PROGRAMMING: 'unknown',
    NOTREADY: 'unknown',
    constructor: 'unknown',
  }
  for (const [native, word] of Object.entries(words)) {
    it(`translates ${native} to ${word}`, () => assert.equal(homeAssistant(native), word))
  }
})

describe('The vocabulary homekit', () => {
  const homeKit = (native: string, last: number | null) => inVocabulary('homekit', stateOf(native), last)

  for (const [native, number] of Object.entries({ HOME: 0, AWAY: 1, DISARM: 3, ALARM: 4 })) {
    it(`translates ${native} to ${number} after any other number`, () => {
      for (const last of [null, 0, 1, 3, 4]) assert.equal(homeKit(native, last), number)
    })
  }

  for (const native of ['ARMING', 'ENTRY_DELAY', 'PROGRAMMING', 'UNKNOWN', 'NOTREADY']) {
    it(`keeps the last number for ${native}`, () => {
      for (const last of [0, 1, 3, 4]) assert.equal(homeKit(native, last), last)
    })
  }

  it('starts with away for an entry delay and with disarmed for everything else', () => {
    assert.equal(homeKit('ENTRY_DELAY', null), 1)
    for (const native of ['ARMING', 'PROGRAMMING', 'UNKNOWN']) assert.equal(homeKit(native, null), 3)
  })
})

describe('A native state word', () => {
  it('has three vocabularies, and the first and default one is the native one', () => {
    assert.deepEqual(vocabularies, ['native', 'home-assistant', 'homekit'])
    const words = vocabularies.map((vocabulary) => inVocabulary(vocabulary, stateOf('HOME'), null))
    assert.deepEqual(words, ['HOME', 'armed_home', 0])
  })

  it('is translated to the selected vocabulary', () => {
    assert.equal(inVocabulary('native', stateOf('NOTREADY'), 0), 'NOTREADY')
    assert.equal(inVocabulary('home-assistant', stateOf('AWAY'), 0), 'armed_away')
  })
})

describe('A way to be armed that not every panel has', () => {
  const words = (value: string, options: string[], isArmed: boolean) =>
    vocabularies.map((vocabulary) => inVocabulary(vocabulary, stateOf(value, options, isArmed), 3))

  // @spec 2.6
  it('is night for NIGHT and for HOME without entry delay; native keeps the word of the panel', () => {
    assert.deepEqual(words('NIGHT', [], true), ['NIGHT', 'armed_night', 2])
    assert.deepEqual(words('HOME', ['NOENTRY'], true), ['HOME', 'armed_night', 2])
    assert.deepEqual(words('HOME', ['LATCHKEY'], true), ['HOME', 'armed_home', 0])
    assert.deepEqual(words('AWAY', ['NOENTRY'], true), ['AWAY', 'armed_away', 1])
  })

  // @spec 2.6
  it('is armed in every vocabulary if it is an own state of the panel, never disarmed or unknown', () => {
    assert.deepEqual(words('VACATION', [], true), ['VACATION', 'armed_custom_bypass', 1])
  })

  it('is nothing that only looks armed: a delay, an alarm or the programming', () => {
    for (const value of ['ENTRY_DELAY', 'ARMING', 'ALARM', 'PROGRAMMING', 'DISARM'])
      assert.deepEqual(words(value, [], true), words(value, [], false), value)
  })
})
