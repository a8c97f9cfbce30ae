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
