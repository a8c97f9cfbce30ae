import type { RequestedState } from '../panel/commands/command.ts'

/** The languages in which a state can be told. */
export const vocabularies = ['native', 'home-assistant', 'homekit'] as const

/** One of the vocabularies. */
export type Vocabulary = (typeof vocabularies)[number]

const homeAssistantWords: ReadonlyMap<string, string> = new Map([
  ['AWAY', 'armed_away'],
  ['HOME', 'armed_home'],
  ['DISARM', 'disarmed'],
  ['ENTRY_DELAY', 'pending'],
  ['ARMING', 'arming'],
  ['ALARM', 'triggered'],
])

/** The native word as Home Assistant's alarm control panel says it; `unknown` where it has no word for it. */
export function homeAssistant(native: string): string {
  return homeAssistantWords.get(native) ?? 'unknown'
}

const homeKitNumbers: ReadonlyMap<string, number> = new Map([
  ['HOME', 0],
  ['AWAY', 1],
  ['DISARM', 3],
  ['ALARM', 4],
])

/** What HomeKit's security system has for the native word: 0 stay, 1 away, 3 disarmed, 4 triggered, else null. */
export function homeKitNumber(native: string): number | null {
  return homeKitNumbers.get(native) ?? null
}

/**
 * The native word as HomeKit's security system is told it.
 *
 * HomeKit knows no delays and nothing unknown. There `last`, the last number the partition had, holds on;
 * before it had any, an entry delay is told as away, since only an armed panel has one, all else as disarmed.
 */
export function homeKit(native: string, last: number | null): number {
  return homeKitNumber(native) ?? last ?? (native === 'ENTRY_DELAY' ? 1 : 3)
}

/** The native word in a vocabulary; `last` is the last number that HomeKit had for the partition. */
export function inVocabulary(vocabulary: Vocabulary, native: string, last: number | null): string | number {
  switch (vocabulary) {
    case 'native':
      return native
    case 'home-assistant':
      return homeAssistant(native)
    case 'homekit':
      return homeKit(native, last)
  }
}

/** The words by which a state can be requested, of all vocabularies, in capitals: what means the one state in each. */
const requests: ReadonlyMap<string, RequestedState> = new Map([
  ...(['AWAY', 'ARMED_AWAY', 'ARM_AWAY', '1'] as const).map((word) => [word, 'AWAY'] as const),
  ...(['HOME', 'ARMED_HOME', 'ARM_HOME', '0'] as const).map((word) => [word, 'HOME'] as const),
  ...(['DISARM', 'DISARMED', '3'] as const).map((word) => [word, 'DISARM'] as const),
])

/** Words for what a panel comes to by itself, in capitals. */
const reports: ReadonlySet<string> = new Set([
  ...['ENTRY_DELAY', 'PROGRAMMING', 'ARMING', 'ALARM'],
  ...['PENDING', 'TRIGGERED', 'DISARMING'],
  '4',
])

/** What a word of any vocabulary requests: a state, nothing but a report of one, or nothing that is known. */
export function requestOf(word: string | number): RequestedState | 'report' | 'unknown' {
  const capitals = String(word).trim().toUpperCase()
  return requests.get(capitals) ?? (reports.has(capitals) ? 'report' : 'unknown')
}
