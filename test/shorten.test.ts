import assert from 'node:assert/strict'
import { shorten } from '../src/service/error.ts'

describe('A text that is too long', () => {
  for (const [text, length, cut] of [
    ['Kitchen window', 14, 'Kitchen window'],
    ['Kitchen window, Cellar', 21, 'Kitchen window…'],
    ['Kitchen window, Cellar', 16, 'Kitchen window…'],
    ['Kitchen window, Cellar', 15, 'Kitchen window…'],
    ['Kitchen window, Cellar', 14, 'Kitchen…'],
    ['Wohnzimmerfenster', 10, 'Wohnzimme…'],
    ['😀😀😀😀', 4, '😀…'],
  ] as const) {
    it(`is cut after a word, with an ellipsis: ${text} to ${length} characters`, () => {
      assert.equal(shorten(text, length), cut)
      assert.ok(cut.length <= length)
    })
  }
})
