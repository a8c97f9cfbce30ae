import { type Answer, badParams, type Extra } from '../answer.ts'

const unfit = Symbol('unfit')

/** Reads one field of a command: its value, or that it is of another type. */
export type Reader<T> = (value: unknown) => T | typeof unfit

type ValueOf<R> = R extends Reader<infer T> ? T : never

/** A whole number; a text of digits is none, as with the real service. */
export const integer: Reader<number> = (value) => (Number.isSafeInteger(value) ? (value as number) : unfit)

/** True or false. */
export const truth: Reader<boolean> = (value) => (typeof value === 'boolean' ? value : unfit)

/** A text. */
export const word: Reader<string> = (value) => (typeof value === 'string' ? value : unfit)

/** A list of texts; missing, it is empty. */
export const words: Reader<readonly string[]> = (value) => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : unfit
}

/** The named fields of a command, or the answer that names every one that is missing or of another type. */
export function readCommand<R extends Readonly<Record<string, Reader<unknown>>>>(
  body: Readonly<Record<string, unknown>>,
  readers: R,
): { fields: { [K in keyof R]: ValueOf<R[K]> } } | Answer {
  const extras: Extra[] = []
  const fields = Object.entries(readers).map(([key, read]) => {
    const sent = Object.hasOwn(body, key) ? body[key] : undefined
    const value = read(sent)
    if (value === unfit) extras.push({ key, value: sent === undefined ? 'required' : 'incorrect' })
    return [key, value]
  })
  if (extras.length > 0) return badParams(extras)
  return { fields: Object.fromEntries(fields) as { [K in keyof R]: ValueOf<R[K]> } }
}

/** The refusal of a field whose value names nothing that there is. */
export function incorrect(key: string): Answer {
  return badParams([{ key, value: 'incorrect' }])
}
