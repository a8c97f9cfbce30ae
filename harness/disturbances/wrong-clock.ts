import fc from 'fast-check'
import { day, hour } from '../../src/duration.ts'
import { atEnd, type LastingDisturbance, lastingDisturbance } from './lasting-disturbance.ts'
import { lengthsOrForEver } from './lengths.ts'

const month = 30 * day

/** Milliseconds by which a clock is ahead, or behind if negative. */
export const clockOffsets = [hour, -hour, month, -month] as const

const inWords = (offset: number) => `${Math.abs(offset) / hour} h ${offset > 0 ? 'ahead' : 'behind'}`

/** Returns a machine whose wall clock is wrong. */
export function wrongMachineClock(offset: number, lasts: number): LastingDisturbance {
  return lastingDisturbance(`clock of the machine ${inWords(offset)}`, lasts, ({ clock }, signal) => {
    clock.stepWall(offset)
    atEnd(signal, () => clock.stepWall(-offset))
  })
}

/** Returns a panel whose clock is wrong: it dates its events and readings with it. */
export function wrongPanelClock(offset: number, lasts: number): LastingDisturbance {
  const what = `clock of the panel ${inWords(offset)}`
  return lastingDisturbance(what, lasts, ({ simulator, serial }, signal) => {
    const { clock } = simulator.world.panel(serial)
    clock.offset += offset
    atEnd(signal, () => {
      clock.offset -= offset
    })
  })
}

const offsetsAndLengths = fc.tuple(fc.constantFrom(...clockOffsets), lengthsOrForEver)

/** An arbitrary for machines whose clock is wrong. */
export const wrongMachineClocks: fc.Arbitrary<LastingDisturbance> = offsetsAndLengths.map((values) =>
  wrongMachineClock(...values),
)

/** An arbitrary for panels whose clock is wrong. */
export const wrongPanelClocks: fc.Arbitrary<LastingDisturbance> = offsetsAndLengths.map((values) =>
  wrongPanelClock(...values),
)
