import { badParams, type FieldError, type HttpResponse } from '../http-response.ts'

const invalid = Symbol('invalid')

/** Reads one field of a command: returns its value, or reports a wrong type. */
export type FieldReader<T> = (value: unknown) => T | typeof invalid

type ValueOf<R> = R extends FieldReader<infer T> ? T : never

/** A whole number; a string of digits is refused, as by the real service. */
export const integer: FieldReader<number> = (value) =>
  Number.isSafeInteger(value) ? (value as number) : invalid

/** A boolean. */
export const boolean: FieldReader<boolean> = (value) => (typeof value === 'boolean' ? value : invalid)

/** A string. */
export const string: FieldReader<string> = (value) => (typeof value === 'string' ? value : invalid)

/** A list of strings; empty if missing. */
export const stringList: FieldReader<readonly string[]> = (value) => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : invalid
}

/** Returns the named fields of a command, or a response that names all missing and wrong ones. */
export function readCommand<R extends Readonly<Record<string, FieldReader<unknown>>>>(
  body: Readonly<Record<string, unknown>>,
  readers: R,
): { fields: { [K in keyof R]: ValueOf<R[K]> } } | HttpResponse {
  const extras: FieldError[] = []
  const fields = Object.entries(readers).map(([key, read]) => {
    const sent = Object.hasOwn(body, key) ? body[key] : undefined
    const value = read(sent)
    if (value === invalid) extras.push({ key, value: sent === undefined ? 'required' : 'incorrect' })
    return [key, value]
  })
  if (extras.length > 0) return badParams(extras)
  return { fields: Object.fromEntries(fields) as { [K in keyof R]: ValueOf<R[K]> } }
}

/** Returns the error for a field whose value refers to nothing that exists. */
export function incorrectField(key: string): HttpResponse {
  return badParams([{ key, value: 'incorrect' }])
}
