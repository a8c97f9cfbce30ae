import type { PartitionState } from '../panel/state/partition-state.ts'
import { isNight } from '../service/responses/status.ts'

/** The vocabularies for states. */
export const vocabularies = ['native', 'home-assistant', 'homekit'] as const

/** One of the vocabularies. */
export type Vocabulary = (typeof vocabularies)[number]

/** The words for a state in both directions: as it is told, and as it is requested. */
interface StateWords {
  /** The state of Home Assistant's alarm control panel. */
  homeAssistant?: string
  /** The state of HomeKit's security system: 0 stay, 1 away, 2 night, 3 disarmed, 4 triggered. */
  homeKit?: number
  /** The command of Home Assistant that requests it. */
  command?: string
  /** The effect of the request of a state, for a sentence; absent for one that nobody requests by these words. */
  effect?: string
  /** True for a state that only the panel itself sets. */
  isReport?: true
}

/** The word for a panel's own armed state that no other panel has. */
const ownArmed = 'ARMED'

/** The states with words of their own, by their native words; `DISARMING` is a word of Home Assistant alone. */
const stateWords: ReadonlyMap<string, StateWords> = new Map<string, StateWords>(
  Object.entries({
    AWAY: { homeAssistant: 'armed_away', homeKit: 1, command: 'ARM_AWAY', effect: 'to arm' },
    HOME: {
      homeAssistant: 'armed_home',
      homeKit: 0,
      command: 'ARM_HOME',
      effect: 'to arm with people at home',
    },
    NIGHT: {
      homeAssistant: 'armed_night',
      homeKit: 2,
      command: 'ARM_NIGHT',
      effect: 'to do so without entry delay',
    },
    [ownArmed]: { homeAssistant: 'armed_custom_bypass', homeKit: 1 },
    DISARM: { homeAssistant: 'disarmed', homeKit: 3, effect: 'to disarm' },
    ENTRY_DELAY: { homeAssistant: 'pending', isReport: true },
    ARMING: { homeAssistant: 'arming', isReport: true },
    ALARM: { homeAssistant: 'triggered', homeKit: 4, isReport: true },
    PROGRAMMING: { isReport: true },
    DISARMING: { isReport: true },
  }),
)

/** The words of Home Assistant's alarm control panel for states. */
export const homeAssistantStates = [...stateWords.values()].flatMap(({ homeAssistant: word }) => word ?? [])

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
  return isArmed && stateWords.get(value)?.homeAssistant === undefined && value !== 'PROGRAMMING'
    ? ownArmed
    : value
}

/** Returns the word of Home Assistant's alarm control panel for a common word; `unknown` if there is none. */
export function homeAssistant(native: string): string {
  return stateWords.get(native)?.homeAssistant ?? 'unknown'
}

/** Returns the number of HomeKit's security system for a common word; null if there is none. */
export function homeKitNumber(native: string): number | null {
  return stateWords.get(native)?.homeKit ?? null
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

/** The states that every panel can have on request, for a sentence: each with a word of each vocabulary. */
export const requestableStates = `Use ${[...stateWords]
  .filter(([, { effect }]) => effect !== undefined)
  .map(([native, words]) => `${native} (or ${words.homeAssistant}, ${words.homeKit}) ${words.effect}`)
  .join(', ')}.`

/** The states that are requested or only reported, by all their words in capitals. */
const statesByWord: ReadonlyMap<string | undefined, string> = new Map(
  [...stateWords]
    .filter(([native]) => native !== ownArmed)
    .flatMap(([native, words]) =>
      [native, words.homeAssistant?.toUpperCase(), words.command, words.homeKit?.toString()].map(
        (word) => [word, native] as const,
      ),
    ),
)

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
  const state = statesByWord.get(capitals)
  if (state !== undefined) return stateWords.get(state)?.isReport ? 'report' : { request: state }
  return nameForm.test(trimmed) ? { request: trimmed } : 'unknown'
}
