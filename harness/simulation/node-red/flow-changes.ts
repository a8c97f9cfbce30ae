import { isDeepStrictEqual } from 'node:util'
import type { FlowFile, NodeDefinition } from './flow-file.ts'
import { referringFields } from './flow-file.ts'

/** The changes of a deploy, as the ids of nodes and tabs; Node-RED tells it in its event `flows:stopping`. */
export interface FlowChanges {
  /** New nodes and tabs, and those of a tab that is enabled again. */
  added: string[]
  /** Nodes with a changed field, nodes that refer to such a node or to a deleted one, and the tabs of these nodes. */
  changed: string[]
  /** Deleted and disabled nodes and tabs. */
  removed: string[]
  /** Nodes with other wires. */
  rewired: string[]
  /** Nodes without a change that wires connect to nodes with a change, over any number of nodes. */
  linked: string[]
  /** Tabs with other environment variables. */
  flowChanged: string[]
}

/** The fields that say where a node is and to what it is wired; a node goes on if only they change. */
const placeFields: readonly string[] = ['x', 'y', 'wires']

/** Returns what a deploy changes, by the rules of Node-RED. */
export function changesBetween(before: FlowFile, after: FlowFile): FlowChanges {
  const comparison = new Comparison(before, after)
  comparison.compareTabs()
  comparison.compareNodes()
  comparison.markUsers()
  return comparison.changes()
}

class Comparison {
  readonly #before: FlowFile
  readonly #after: FlowFile
  readonly #added = new Set<string>()
  readonly #changed = new Set<string>()
  readonly #removed = new Set<string>()
  readonly #rewired = new Set<string>()
  readonly #flowChanged = new Set<string>()

  constructor(before: FlowFile, after: FlowFile) {
    this.#before = before
    this.#after = after
  }

  compareTabs(): void {
    for (const id of this.#before.tabs.keys()) if (!this.#after.tabs.has(id)) this.#removed.add(id)
    for (const [id, { isDisabled }] of this.#before.tabs) {
      const tab = this.#after.tabs.get(id)
      if (!tab || tab.isDisabled === isDisabled) continue
      if (isDisabled) this.#added.add(id)
      else this.#removed.add(id)
    }
  }

  compareNodes(): void {
    for (const old of this.#before.all.values()) {
      const { id, type, z = '' } = old
      const now = this.#after.all.get(id)
      if (type === 'tab') {
        if (now && !this.#removed.has(id) && !isDeepStrictEqual(old.env, now.env)) this.#flowChanged.add(id)
      } else if (!now || this.#removed.has(z)) {
        this.#removed.add(id)
        if (!this.#removed.has(z)) this.#markTab(z)
      } else if (this.#added.has(z)) {
        this.#added.add(id)
      } else {
        this.#compareNode(old, now)
      }
    }
    for (const { id, z = '' } of this.#after.all.values()) {
      if (this.#before.all.has(id)) continue
      this.#added.add(id)
      this.#markTab(z)
    }
  }

  #compareNode(old: NodeDefinition, now: NodeDefinition): void {
    const { id, z = '' } = now
    if (!old.d && now.d) this.#removed.add(id)
    if (haveOtherFields(old, now) || now.credentials) {
      this.#changed.add(id)
      this.#markTab(z)
    }
    if (!isDeepStrictEqual(old.wires, now.wires)) {
      this.#rewired.add(id)
      this.#markTab(z)
    }
  }

  #markTab(id: string): void {
    if (this.#after.all.has(id)) this.#changed.add(id)
  }

  /** Marks the nodes that refer to a node with a change, and those that refer to these. */
  markUsers(): void {
    for (let size = -1; size !== this.#changed.size; ) {
      size = this.#changed.size
      for (const definition of this.#after.all.values()) {
        const fields = referringFields(definition).filter((field) => field !== 'z')
        const isUser = fields.some((field) => {
          // As in Node-RED, a list with one id refers to it too, such as the scope of a Catch node.
          const value = String(definition[field])
          return this.#changed.has(value) || this.#removed.has(value)
        })
        if (!isUser || this.#changed.has(definition.id)) continue
        this.#changed.add(definition.id)
        this.#markTab(definition.z ?? '')
      }
    }
  }

  changes(): FlowChanges {
    const [added, changed, removed, rewired, flowChanged] = [
      this.#added,
      this.#changed,
      this.#removed,
      this.#rewired,
      this.#flowChanged,
    ].map((ids) => [...ids]) as [string[], string[], string[], string[], string[]]
    const modified = [...added, ...changed, ...removed, ...rewired]
    return { added, changed, removed, rewired, linked: this.#linkedTo(modified), flowChanged }
  }

  /** Returns the other nodes that wires connect to the given ones, by the wires before and after the deploy. */
  #linkedTo(modified: readonly string[]): string[] {
    const links = new Map<string, string[]>()
    const link = (from: string, to: string) => {
      links.set(from, [...(links.get(from) ?? []), to])
    }
    for (const { all } of [this.#before, this.#after]) {
      const isNew = (from: string, to: string) => all === this.#before.all || !links.get(from)?.includes(to)
      for (const { id, type, wires = [] } of all.values()) {
        if (type === 'tab') continue
        for (const target of wires.flat()) {
          if (isNew(id, target)) link(id, target)
          if (all.has(target) && isNew(target, id)) link(target, id)
        }
      }
    }
    const isModified = new Set(modified)
    const linked: string[] = []
    const visited = new Set<string>()
    const waiting = [...modified]
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (visited.has(id)) continue
      visited.add(id)
      const targets = links.get(id)
      if (!targets) continue
      if (!isModified.has(id)) linked.push(id)
      waiting.push(...targets)
    }
    return linked
  }
}

function haveOtherFields(old: NodeDefinition, now: NodeDefinition): boolean {
  const fieldsOf = (definition: NodeDefinition) =>
    Object.fromEntries(Object.entries(definition).filter(([field]) => !placeFields.includes(field)))
  return !isDeepStrictEqual(fieldsOf(old), fieldsOf(now))
}
