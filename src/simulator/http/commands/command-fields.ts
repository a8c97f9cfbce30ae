import { type Answer, badParams, type Extra } from '../http-response.ts'

const unfit = Symbol('unfit')

/** Reads one field of a command: returns its value, or reports a wrong type. */
export type Reader<T> = (value: unknown) => T | typeof unfit

type ValueOf<R> = R extends Reader<infer T> ? T : never

/** A whole number; a string of digits is refused, as by the real service. */
export const integer: Reader<number> = (value) => (Number.isSafeInteger(value) ? (value as number) : unfit)

/** A boolean. */
export const truth: Reader<boolean> = (value) => (typeof value === 'boolean' ? value : unfit)

/** A string. */
export const word: Reader<string> = (value) => (typeof value === 'string' ? value : unfit)

/** A list of strings; empty if missing. */
export const words: Reader<readonly string[]> = (value) => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : unfit
}

/** Returns the named fields of a command, or a response that names all missing and wrong ones. */
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

/** Returns the error for a field whose value refers to nothing that exists. */
export function incorrect(key: string): Answer {
  return badParams([{ key, value: 'incorrect' }])
}
