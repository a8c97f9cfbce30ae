import assert from 'node:assert/strict'
import { phaseOf } from '../../src/panel/phase.ts'

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
