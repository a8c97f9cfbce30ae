import type { Moment } from '../../clock.ts'
import { Documents, failWith, quarantine } from '../../documents.ts'
import { KeyholderError } from '../../service/error.ts'
import { parseJson } from '../../service/schema.ts'
import type { DeliveringNode, ToldStore } from '../lease.ts'
import { type ChainState, chainEvidence, keptChain, recalledChain } from './chain-test.ts'
import type { Evidence, PanelCondition } from './condition.ts'

/** The tests of the alarm chain of a panel: where they are kept, and the conditions that they show. */
export class ChainTests {
  readonly #fileOf: (node: DeliveringNode) => string
  readonly #storeOf: (node: DeliveringNode) => ToldStore | undefined
  /** The evidence of each node that tests; undefined while it does not know how its tests have ended. */
  readonly #shown = new Map<string, readonly Evidence[] | undefined>()
  readonly #listeners = new Set<() => void>()
  readonly #documents = new Documents(
    failWith({
      read: 'Until then the alarm chain is not tested.',
      written: 'The tests of the alarm chain go on, but a restart forgets them.',
    }),
  )

  /**
   * @param fileOf returns the path of the file of a node
   * @param storeOf returns the store that a node shares with other processes; undefined in a process that is alone
   */
  constructor(
    fileOf: (node: DeliveringNode) => string,
    storeOf: (node: DeliveringNode) => ToldStore | undefined,
  ) {
    this.#fileOf = fileOf
    this.#storeOf = storeOf
  }

  /** The conditions that the nodes show. */
  get evidence(): readonly Evidence[] {
    return [...this.#shown.values()].flatMap((shown) => shown ?? [])
  }

  /** Returns false for the condition of a node that does not know how its tests have ended; that of a deleted node is over. */
  speaksOf({ id }: Pick<PanelCondition, 'id'>): boolean {
    const [, nodeId = ''] = id.split(' ')
    return !this.#shown.has(nodeId) || this.#shown.get(nodeId) !== undefined
  }

  /** Takes what a node knows; undefined if it knows nothing yet, or another process tests. */
  show({ id }: DeliveringNode, state: ChainState | undefined): void {
    this.#shown.set(id, state && chainEvidence(state, id))
    for (const listener of this.#listeners) listener()
  }

  /** Forgets a node that ends. Its condition stays until the panel is read the next time: a deploy may start it again. */
  leave({ id }: DeliveringNode): void {
    this.#shown.delete(id)
  }

  /** Calls `listener`, which must not throw, after each change. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Returns the state that was saved last; undefined if there is none.
   * @throws KeyholderError BAD_SETTING if the file is damaged, then the next call finds none, or if it cannot be read now
   */
  async load(node: DeliveringNode, now: () => Moment): Promise<ChainState | undefined> {
    const store = this.#storeOf(node)
    if (store !== undefined) return recalledChain((await store.load())?.told, now())
    const path = this.#fileOf(node)
    // The node before may still write.
    const content = await this.#documents.run(path, () => this.#documents.read(path))
    if (content === undefined) return undefined
    const state = recalledChain(parseJson(content), now())
    if (state !== undefined) return state
    await quarantine(path)
    throw new KeyholderError(
      'BAD_SETTING',
      `The file ${path} is damaged. When the latest test of the alarm chain was answered is not known any more; the next one comes within a day.`,
    )
  }

  /**
   * Saves a state, after those before it.
   * @throws KeyholderError BAD_SETTING if the file cannot be written
   */
  async save(node: DeliveringNode, state: ChainState): Promise<void> {
    const store = this.#storeOf(node)
    if (store !== undefined) return store.save(keptChain(state))
    const path = this.#fileOf(node)
    const content = JSON.stringify(keptChain(state))
    await this.#documents.run(path, () => this.#documents.replace(path, content, { flush: 'file' }))
  }
}
