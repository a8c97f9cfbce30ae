import type { Source } from '../blind-times.ts'
import type { House } from '../life.ts'
import type { Surroundings } from './check.ts'

/** The words in which a node tells a fact. */
export interface Claim {
  readonly fact: string
  readonly source: Source
  /** The fact whose values may be told, too, while the source is blind. */
  readonly whileBlind?: string
  /** Another source, without which only those values are known: they may be told until it shows what has changed. */
  readonly needs?: Source | undefined
  /** Returns what is told of a value of the fact; the value itself by default. */
  wordOf?(value: string): unknown
}

interface Told extends Claim {
  word: unknown
  /** The moment since which it is told, in milliseconds of the monotonic clock. */
  since: number
}

/**
 * The facts that a node tells. Each word must have been true since the poll before the latest one, and a word that is true
 * all the time must not be replaced by another one.
 */
export class Claims {
  readonly #of: Surroundings
  readonly #node: string
  readonly #told = new Map<string, Told>()
  /** The facts that no world has, which wrong answers have told: that of a device with another number, which is gone since. */
  readonly #invented = new Set<string>()

  constructor(of: Surroundings, node: string) {
    this.#of = of
    this.#node = node
  }

  /** Notes what is told of a fact from now on. */
  tell(claim: Claim, word: unknown, now: number): void {
    const { fact } = claim
    if (this.#isInvented(claim, now)) return
    const { blind } = this.#of
    const before = this.#told.get(fact)
    if (before?.word === word) return
    // What is heard first may have been told for as long as it may be true.
    const since = before === undefined ? blind.earliest(claim.source, now, 2) : now
    this.#told.set(fact, { ...claim, word, since })
    if (before === undefined) return
    if (blind.isWrong(claim.source, before.since, now)) return
    const isLate = blind.isBlind(claim.source, before.since, now)
    const from = isLate ? Math.min(before.since, blind.earliest(claim.source, now, 2)) : before.since
    const values = this.#valuesOf(fact, this.#isNeeded(claim, now) ? claim.whileBlind : fact, from, now)
    if (values.every((value) => wordOf(claim, value) === before.word))
      this.#report(
        fact,
        `is no longer told as ${inWords(before.word)} but as ${inWords(word)}, and did not change`,
      )
  }

  #isInvented({ fact, source }: Claim, now: number): boolean {
    const { blind, world } = this.#of
    if (world.facts.has(fact)) return false
    if (blind.isWrong(source, now, now)) this.#invented.add(fact)
    return this.#invented.has(fact)
  }

  /** Forgets what is told of a fact, because it is marked as old. */
  withdraw(fact: string): void {
    this.#told.delete(fact)
  }

  /** Compares all that is told with the world. */
  compare(now: number): void {
    const { blind } = this.#of
    for (const claim of this.#told.values()) {
      const { fact, source, word } = claim
      if (blind.isWrong(source, now, now)) continue
      const earliest = blind.earliest(source, now, 2)
      const isLess = blind.isBlind(source, earliest, now) || this.#isNeeded(claim, now)
      const values = this.#valuesOf(fact, isLess ? claim.whileBlind : fact, earliest, now)
      if (values.some((value) => wordOf(claim, value) === word)) continue
      const truth = [...new Set(values.map((value) => inWords(wordOf(claim, value))))].join(' or ')
      this.#report(fact, `is told as ${inWords(word)}, and is ${truth}`)
    }
  }

  /** Returns the values of a fact between two moments, and those of the fact that may be told in its place. */
  #valuesOf(fact: string, alternative = fact, from: number, now: number): string[] {
    return [fact, alternative].flatMap((one) => this.#of.world.facts.values(one, from, now))
  }

  /** Returns true if the other source that a claim needs was blind, or has perhaps not shown the latest change of the fact. */
  #isNeeded({ fact, needs }: Claim, now: number): boolean {
    if (needs === undefined) return false
    const { blind, world } = this.#of
    const earliest = blind.earliest(needs, now, 2)
    return blind.isBlind(needs, earliest, now) || world.facts.values(fact, earliest, now).length > 1
  }

  #report(fact: string, sentence: string): void {
    this.#of.report(`${this.#node} ${fact}`, `${this.#node}: ${fact} ${sentence}`)
  }
}

/**
 * Returns the fact that may be told in place of an alarm: what is armed. An old status and a new list, which no longer has the
 * alarm, tell it; without a list of alarms, so does a status until the events are read.
 */
export function insteadOfAlarm(armed: string, { hasAlarmList }: House): Partial<Claim> {
  return { whileBlind: armed, needs: hasAlarmList ? undefined : 'events' }
}

function wordOf({ wordOf: own }: Claim, value: string): unknown {
  return own === undefined ? value : own(value)
}

function inWords(word: unknown): string {
  return String(word) || 'nothing'
}
