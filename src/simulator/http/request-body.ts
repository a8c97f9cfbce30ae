import { badParams, type FieldError, type HttpResponse, invalidBody } from './http-response.ts'

/** The fields of a POST by name, as strings. */
export interface Fields {
  text(field: string): string
}

/** Returns the body of a POST as an object, or an error response; a missing body is an empty object. */
export function readBody(text: string): { body: Readonly<Record<string, unknown>> } | HttpResponse {
  try {
    const body: unknown = text.trim() === '' ? {} : JSON.parse(text)
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return invalidBody
    return { body: body as Record<string, unknown> }
  } catch {
    return invalidBody
  }
}

/**
 * Returns the named fields of a body as strings, or an error response that names all wrong ones.
 *
 * A number is converted to its digits, so a code with leading zeros becomes too short, as in the real service
 * (field fact).
 */
export function readFields(
  body: Readonly<Record<string, unknown>>,
  minLengths: Readonly<Record<string, number>>,
): Fields | HttpResponse {
  const fields = new Map<string, string>()
  const extras: FieldError[] = []
  for (const [key, length] of Object.entries(minLengths)) {
    const value = Object.hasOwn(body, key) ? body[key] : undefined
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
    if (value === undefined || value === null || text === '') extras.push({ key, value: 'required' })
    else if (text === undefined) extras.push({ key, value: 'incorrect' })
    else if (text.length < length) extras.push({ key, value: `minLength:${length}` })
    else fields.set(key, text)
  }
  return extras.length > 0 ? badParams(extras) : { text: (field) => fields.get(field) ?? '' }
}
