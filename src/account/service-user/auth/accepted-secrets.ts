import { Documents, doWithout } from '../../../documents.ts'
import { dictionary, parse, parseJson, text } from '../../../service/schema.ts'

/** The number of accepted secrets of an owner that are noted: several account nodes can have different ones. */
const maxMarks = 4

/**
 * The file with marks of the secrets that the service has accepted, which only those who have the secrets can compute. It is
 * evidence for a process that can read the disk and not write it. A file of its own, because it is written when nobody waits
 * for it. None of the methods rejects.
 */
export class AcceptedSecrets {
  readonly #path: string
  /** The owners of the secrets by the mark. */
  #marks: Promise<Map<string, string>> | undefined
  readonly #documents = new Documents(doWithout)

  /** @param path file below the user directory */
  constructor(path: string) {
    this.#path = path
  }

  /** Returns true if secrets are noted as accepted. @param subject their owner */
  async has(mark: string, subject: string): Promise<boolean> {
    return (await this.#load()).get(mark) === subject
  }

  /** Returns true if secrets of an owner are noted as accepted. */
  async hasOf(subject: string): Promise<boolean> {
    return [...(await this.#load()).values()].includes(subject)
  }

  async add(mark: string, subject: string): Promise<void> {
    const marks = await this.#load()
    if (marks.has(mark)) return
    const others = [...marks].filter(([, owner]) => owner === subject)
    for (const [other] of others.slice(0, Math.max(0, others.length + 1 - maxMarks))) marks.delete(other)
    marks.set(mark, subject)
    await this.#save(marks)
  }

  /** Removes the file first: a full disk has no room for a new one, and the next process must not take the mark as evidence. */
  async delete(mark: string): Promise<void> {
    const marks = await this.#load()
    if (!marks.delete(mark)) return
    await this.#documents.run(this.#path, () => this.#documents.remove(this.#path))
    await this.#save(marks)
  }

  /** Returns the marks, read once and always the same object; a file that is missing, damaged or cannot be read has none. */
  #load(): Promise<Map<string, string>> {
    this.#marks ??= this.#documents
      .read(this.#path)
      .then((content = '') => parse(dictionary(text), parseJson(content))?.value ?? new Map())
    return this.#marks
  }

  #save(marks: Map<string, string>): Promise<void> {
    return this.#documents.run(this.#path, () =>
      this.#documents.replace(this.#path, JSON.stringify(Object.fromEntries(marks))),
    )
  }
}
