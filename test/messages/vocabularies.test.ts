import assert from 'node:assert/strict'
import { homeAssistant, inVocabulary, vocabularies } from '../../src/messages/vocabularies.ts'

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
  const homeKit = (native: string, last: number | null) => inVocabulary('homekit', native, last)

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
    const words = vocabularies.map((vocabulary) => inVocabulary(vocabulary, 'HOME', null))
    assert.deepEqual(words, ['HOME', 'armed_home', 0])
  })

  it('is translated to the selected vocabulary', () => {
    assert.equal(inVocabulary('native', 'NOTREADY', 0), 'NOTREADY')
    assert.equal(inVocabulary('home-assistant', 'AWAY', 0), 'armed_away')
  })
})
