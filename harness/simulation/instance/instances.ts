import { BlindTimes } from '../blind-times.ts'
import type { Surroundings } from '../checks/check.ts'
import type { Deed, InstanceDeed } from '../life.ts'

const instanceDeeds: Readonly<Record<InstanceDeed['what'], true>> = {
  'machine clock': true,
  restart: true,
  kill: true,
  'power cut': true,
  stall: true,
  deploy: true,
  'disk full': true,
  'disk read-only': true,
  'disk slow': true,
  'file unreadable': true,
  'folder denied': true,
  'node off': true,
  ask: true,
  command: true,
  rehearsal: true,
  'rehearsal stops': true,
  'rehearsed command': true,
  'chain test': true,
  'chain answer': true,
}

/** Returns true for a deed that happens to one Node-RED or its machine. */
export function isInstanceDeed(deed: Deed): deed is InstanceDeed {
  return Object.hasOwn(instanceDeeds, deed.what)
}

/** Returns the words for an instance of a life with several. @param nth its number from 0 */
export function nameOfInstance(nth: number): string {
  return `instance ${nth + 1}`
}

/** Returns a subject or a sentence of an untruth without the instance that has told it. */
export function withoutInstance(text: string): string {
  return text.replace(/^instance \d+:? /, '')
}

/**
 * Returns what the checks of an instance know: it has its own blind times. If there are several, its name is in all that is
 * reported and noted.
 * @param of what is known of the life
 */
export function surroundingsOf(nth: number, of: Surroundings): Surroundings {
  const blind = new BlindTimes(of.blind.pollEvery, of.blind)
  if (of.house.instances === 1) return { ...of, blind }
  const name = nameOfInstance(nth)
  return {
    ...of,
    blind,
    report: (subject, sentence) => of.report(`${name} ${subject}`, `${name}: ${sentence}`),
    record: { note: (at, what, thing) => of.record.note(at, `${name} ${what}`, thing) },
  }
}
