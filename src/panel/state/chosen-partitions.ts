import { KeyholderError } from '../../service/error.ts'
import { wholePanel } from '../../service/responses/status.ts'
import type { StateView } from './partition-state.ts'

/** The choice of a node. */
interface Choice {
  /** The name of the node, for a sentence. */
  readonly node: string
  /** Partition ids; at least one. */
  readonly partitions: readonly number[]
  /** Called when a chosen partition is missing that was not, or the other way round. */
  onChange(): void
}

/** The receiver of what is told of chosen partitions; the functions must not throw. */
interface ChoiceReports {
  /** Reports that partitions are missing: once, however long. */
  missing(error: KeyholderError): void
  /** Reports a sentence for the log. */
  notice(sentence: string): void
}

/**
 * The partitions that the nodes of a panel have chosen. Partitions can be removed, or all of them be turned off, at the panel:
 * a flow that waits for such a one looks like a quiet house (field fact).
 */
export class ChosenPartitions {
  readonly #states: Set<(view: StateView) => void>
  readonly #reports: ChoiceReports
  readonly #choices = new Set<Choice>()
  /** The partitions that the panel has and uses, as two answers have agreed; undefined before that. */
  #used: readonly number[] | undefined
  /** The missing partitions that were reported. */
  #reported: readonly number[] = []

  /** @param states the listeners of the states that are read */
  constructor(states: Set<(view: StateView) => void>, reports: ChoiceReports) {
    this.#states = states
    this.#reports = reports
  }

  /** True while a chosen partition is missing. */
  get isMissing(): boolean {
    return this.#reported.length > 0
  }

  /** Adds the choice of a node. Returns a function that removes it. */
  add(choice: Choice): () => void {
    this.#choices.add(choice)
    this.#states.add(this.#note)
    return () => {
      this.#choices.delete(choice)
      if (this.#choices.size === 0) {
        this.#states.delete(this.#note)
        this.#used = undefined
      }
      const chosen = this.#missing()
      this.#reported = this.#reported.filter((id) => chosen.includes(id))
    }
  }

  /**
   * Returns those of chosen partitions that the panel does not have or use; none while that is not known. A choice of the whole
   * panel beside others is for panels with and without partitions: then one of them is enough.
   */
  missingOf(partitions: readonly number[]): readonly number[] {
    const used = this.#used
    if (used === undefined) return []
    const missing = partitions.filter((id) => !used.includes(id))
    const isForBoth = partitions.includes(wholePanel) && missing.length < partitions.length
    return isForBoth ? [] : missing
  }

  /** Takes a state of the panel. What is not whole says nothing. */
  readonly #note = ({ partitions, hasAllPartitions }: StateView): void => {
    if (hasAllPartitions !== true) return
    // If the setup says of all that they are not in use, it says nothing.
    const active = partitions.filter(({ active }) => active)
    const used = (active.length > 0 ? active : partitions).map(({ id }) => id)
    const before = this.#used
    this.#used = used
    const isSame = before?.length === used.length && used.every((id) => before.includes(id))
    if (!isSame) for (const { onChange } of [...this.#choices]) onChange()
    this.#report(this.#missing())
  }

  #missing(): readonly number[] {
    const all = [...this.#choices].flatMap(({ partitions }) => this.missingOf(partitions))
    return [...new Set(all)].sort((one, other) => one - other)
  }

  #report(missing: readonly number[]): void {
    const reported = this.#reported
    this.#reported = missing
    const back = reported.filter((id) => !missing.includes(id))
    if (back.length > 0) this.#reports.notice(`The panel has ${named(back)} again.`)
    if (missing.every((id) => reported.includes(id))) return
    const choices = [...this.#choices].filter(({ partitions }) => this.missingOf(partitions).length > 0)
    const nodes = [...new Set(choices.map(({ node }) => node))].join(', ')
    this.#reports.missing(
      new KeyholderError(
        'NOT_FOUND',
        `The panel does not have ${named(missing)}, or does not use it, but it is selected in: ${nodes}. Change "Partitions" there.`,
      ),
    )
  }
}

function named(ids: readonly number[]): string {
  const parts = ids.map((id) => (id === wholePanel ? 'the whole panel as a partition' : `partition ${id}`))
  return parts.join(', ')
}
