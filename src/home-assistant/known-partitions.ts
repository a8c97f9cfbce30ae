import { Absences } from './absences.ts'
import type { NamedPartition } from './entities/partition-entities.ts'

/** Knows the partitions of a panel and their names, also those that one answer of the service leaves out. */
export class KnownPartitions {
  readonly #names = new Map<string, NamedPartition>()
  readonly #absences = new Absences()

  /** All partitions, ordered by id. */
  get all(): readonly NamedPartition[] {
    return [...this.#names.values()].toSorted((one, other) => one.id - other.id)
  }

  /** Notes the ids of partitions that were announced before: one answer without them is no reason to remove them. */
  noteAnnounced(ids: readonly number[]): void {
    for (const id of ids) if (!this.#names.has(`${id}`)) this.#names.set(`${id}`, { id, name: '' })
  }

  /**
   * Notes the partitions of an answer.
   * @param at its arrival, in milliseconds of the monotonic clock
   * @param minAbsence milliseconds between the first and the last of the answers that lack a partition that is gone
   */
  note(partitions: readonly NamedPartition[], at: number, minAbsence: number): void {
    // The name is missing until the setup of the panel was read.
    for (const { id, name } of partitions)
      this.#names.set(`${id}`, { id, name: name || (this.#names.get(`${id}`)?.name ?? '') })
    const listed = new Set(partitions.map(({ id }) => `${id}`))
    for (const id of this.#absences.note(this.#names.keys(), listed, at, minAbsence)) this.#names.delete(id)
  }
}
