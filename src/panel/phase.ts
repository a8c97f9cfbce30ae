import { createHash } from 'node:crypto'

/**
 * Returns the phase of a panel from 0 up to 1, always the same for the same text. Texts that differ little, such as the
 * serials of panels from one delivery, have phases that are far apart.
 */
export function phaseOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}
