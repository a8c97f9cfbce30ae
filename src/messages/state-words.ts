import type { PartitionState } from '../panel/state/partition-state.ts'
import { isNight } from '../service/responses/status.ts'

/** The vocabularies for states. */
export const vocabularies = ['native', 'home-assistant', 'homekit'] as const

/** One of the vocabularies. */
export type Vocabulary = (typeof vocabularies)[number]

/** The word for a panel's own armed state that no other panel has. */
const ownArmed = 'ARMED'

/**
 * Returns the native word that the other vocabularies have a word for: `NIGHT` also for HOME without entry delay, and
 * `ARMED` for an armed state that only this panel has, so that no armed house looks disarmed.
 */
export function commonWord({
  value,
  options,
  isArmed,
}: Pick<PartitionState, 'value' | 'options' | 'isArmed'>): string {
  if (isNight(value, options)) return 'NIGHT'
  return isArmed && !homeAssistantWords.has(value) && value !== 'PROGRAMMING' ? ownArmed : value
}

const homeAssistantWords: ReadonlyMap<string, string> = new Map([
  ['AWAY', 'armed_away'],
  ['HOME', 'armed_home'],
  ['NIGHT', 'armed_night'],
  [ownArmed, 'armed_custom_bypass'],
  ['DISARM', 'disarmed'],
  ['ENTRY_DELAY', 'pending'],
  ['ARMING', 'arming'],
  ['ALARM', 'triggered'],
])

/** Returns the word of Home Assistant's alarm control panel for a common word; `unknown` if there is none. */
export function homeAssistant(native: string): string {
  return homeAssistantWords.get(native) ?? 'unknown'
}

const homeKitNumbers: ReadonlyMap<string, number> = new Map([
  ['HOME', 0],
  ['AWAY', 1],
  ['NIGHT', 2],
  [ownArmed, 1],
  ['DISARM', 3],
  ['ALARM', 4],
])

/**
 * Returns the number of HomeKit's security system for a common word: 0 stay, 1 away, 2 night, 3 disarmed,
 * 4 triggered, else null.
 */
export function homeKitNumber(native: string): number | null {
  return homeKitNumbers.get(native) ?? null
}

/**
 * Returns the number that HomeKit's security system receives for a common word.
 *
 * HomeKit has no delays and no unknown state. Such a state keeps `last`, the last number of the partition. If
 * there is none, an entry delay becomes away, because only an armed panel has an entry delay; anything else
 * becomes disarmed.
 */
function homeKit(native: string, last: number | null): number {
  return homeKitNumber(native) ?? last ?? (native === 'ENTRY_DELAY' ? 1 : 3)
}

/** Returns the state of a partition in a vocabulary; `last` is the partition's last HomeKit number. */
export function inVocabulary(
  vocabulary: Vocabulary,
  partition: Pick<PartitionState, 'value' | 'options' | 'isArmed'>,
  last: number | null,
): string | number {
  switch (vocabulary) {
    case 'native':
      return partition.value
    case 'home-assistant':
      return homeAssistant(commonWord(partition))
    case 'homekit':
      return homeKit(commonWord(partition), last)
  }
}

/** The words of all vocabularies that request a state, in capitals, each with the state that it requests. */
const requests: ReadonlyMap<string, string> = new Map([
  ...['AWAY', 'ARMED_AWAY', 'ARM_AWAY', '1'].map((word) => [word, 'AWAY'] as const),
  ...['HOME', 'ARMED_HOME', 'ARM_HOME', '0'].map((word) => [word, 'HOME'] as const),
  ...['NIGHT', 'ARMED_NIGHT', 'ARM_NIGHT', '2'].map((word) => [word, 'NIGHT'] as const),
  ...['DISARM', 'DISARMED', '3'].map((word) => [word, 'DISARM'] as const),
])

/** Words for states that a panel enters by itself, in capitals. */
const reports: ReadonlySet<string> = new Set([
  ...['ENTRY_DELAY', 'PROGRAMMING', 'ARMING', 'ALARM'],
  ...['PENDING', 'TRIGGERED', 'DISARMING'],
  '4',
])

/** The form of a state's name: capitals, perhaps a number. A word with more digits could be a user code. */
const nameForm = /^[A-Z][A-Z_]{1,38}\d?$/

/** The meaning of a word for a state. */
type StateWord = { request: string } | 'report' | 'unknown'

/**
 * Returns the state that a word of any vocabulary requests, `report` if it can only be reported, or
 * `unknown`. Any other word in capitals may be the name of a state that the panel defines itself.
 */
export function parseStateWord(word: string | number): StateWord {
  const trimmed = String(word).trim()
  const capitals = trimmed.toUpperCase()
  const request = requests.get(capitals)
  if (request !== undefined) return { request }
  if (reports.has(capitals)) return 'report'
  return nameForm.test(trimmed) ? { request: trimmed } : 'unknown'
}
