import assert from 'node:assert/strict'
import { homeAssistant, homeKit, inVocabulary, vocabularies } from '../../src/messages/vocabularies.ts'

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
    it(`says ${word} for ${native}`, () => assert.equal(homeAssistant(native), word))
  }
})

describe('The vocabulary homekit', () => {
  for (const [native, number] of Object.entries({ HOME: 0, AWAY: 1, DISARM: 3, ALARM: 4 })) {
    it(`says ${number} for ${native}, whatever was before`, () => {
      for (const last of [null, 0, 1, 3, 4]) assert.equal(homeKit(native, last), number)
    })
  }

  for (const native of ['ARMING', 'ENTRY_DELAY', 'PROGRAMMING', 'UNKNOWN', 'NOTREADY']) {
    it(`says the last number for ${native}`, () => {
      for (const last of [0, 1, 3, 4]) assert.equal(homeKit(native, last), last)
    })
  }

  it('says away for an entry delay and disarmed for all else before there was a number', () => {
    assert.equal(homeKit('ENTRY_DELAY', null), 1)
    for (const native of ['ARMING', 'PROGRAMMING', 'UNKNOWN']) assert.equal(homeKit(native, null), 3)
  })
})

describe('A native word in a vocabulary', () => {
  it('is in one of three, of which the native one is the first and so the default', () => {
    assert.deepEqual(vocabularies, ['native', 'home-assistant', 'homekit'])
    const words = vocabularies.map((vocabulary) => inVocabulary(vocabulary, 'HOME', null))
    assert.deepEqual(words, ['HOME', 'armed_home', 0])
  })

  it('is the word itself, or its word in another vocabulary', () => {
    assert.equal(inVocabulary('native', 'NOTREADY', 0), 'NOTREADY')
    assert.equal(inVocabulary('home-assistant', 'AWAY', 0), 'armed_away')
    assert.equal(inVocabulary('homekit', 'ARMING', 0), 0)
  })
})
