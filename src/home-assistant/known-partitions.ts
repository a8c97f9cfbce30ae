import type { NamedPartition } from './entities/partition-entities.ts'

/** Knows the partitions of a panel and their names, also those that one answer of the service leaves out. */
export class KnownPartitions {
  readonly #names = new Map<number, string>()

  /** All partitions, ordered by id. */
  get all(): readonly NamedPartition[] {
    return [...this.#names].map(([id, name]) => ({ id, name })).toSorted((one, other) => one.id - other.id)
  }

  /** Notes the ids of partitions that were announced before: one answer without them is no reason to remove them. */
  noteAnnounced(ids: readonly number[]): void {
    for (const id of ids) if (!this.#names.has(id)) this.#names.set(id, '')
  }

  /** Notes the partitions that are there. @param areAll true if it is certain that there is no other one */
  note(partitions: readonly NamedPartition[], areAll: boolean): void {
    // The name is missing until the setup of the panel was read.
    for (const { id, name } of partitions) this.#names.set(id, name || (this.#names.get(id) ?? ''))
    const ids = new Set(partitions.map(({ id }) => id))
    for (const id of areAll ? [...this.#names.keys()] : []) if (!ids.has(id)) this.#names.delete(id)
  }
}
