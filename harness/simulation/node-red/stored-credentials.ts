import { copied, type NodeDefinition } from './flow-file.ts'

/** Secrets of nodes by the id of the node. */
export type Credentials = Record<string, Record<string, unknown>>

/** Which secrets a type of nodes has, and of which kind each one is. */
export type CredentialFields = Record<string, { type: string }>

/** The text that the editor sends for a password that stays. */
const unchangedPassword = '__PWRD__'

/** The credentials of all nodes in a process. */
export class StoredCredentials {
  #all: Credentials
  readonly #fields = new Map<string, CredentialFields>()

  constructor(credentials: Credentials) {
    this.#all = copied(credentials)
  }

  /** All credentials, as a deploy stores them. */
  get all(): Credentials {
    return copied(this.#all)
  }

  /** Notes which secrets a type has. */
  register(type: string, fields: CredentialFields): void {
    this.#fields.set(type, fields)
  }

  /** Tells if a type has secrets. */
  isRegistered(type: string): boolean {
    return this.#fields.has(type)
  }

  /** Replaces all credentials by those that are stored. */
  load(credentials: Credentials): void {
    this.#all = copied(credentials)
  }

  /** Returns the credentials of a node; a change of this object is one of what is stored. */
  get(id: string): Record<string, unknown> | undefined {
    return this.#all[id]
  }

  /** Replaces the credentials of a node. The node itself has them when it starts anew. */
  add(id: string, credentials: Record<string, unknown>): void {
    this.#all[id] = credentials
  }

  /** Forgets the credentials of a node. */
  delete(id: string): void {
    delete this.#all[id]
  }

  /** Takes the credentials that the editor has put into definitions, and forgets those of nodes that are gone. */
  takeFrom(definitions: readonly NodeDefinition[]): void {
    for (const definition of definitions) this.#take(definition)
    const known = new Set(definitions.map(({ id }) => id))
    for (const id of Object.keys(this.#all)) if (!known.has(id)) delete this.#all[id]
  }

  #take(definition: NodeDefinition): void {
    const { id, type, credentials } = definition
    if (!credentials) return
    delete definition.credentials
    const fields = this.#fields.get(type)
    if (!fields) return
    const stored = this.#all[id] ?? {}
    for (const [field, { type: kind }] of Object.entries(fields)) {
      const value = (credentials as Record<string, unknown>)[field]
      if (value === undefined || (kind === 'password' && value === unchangedPassword)) continue
      if (typeof value === 'string' && value.trim() === '') delete stored[field]
      else stored[field] = value
    }
    this.#all[id] = stored
  }
}
