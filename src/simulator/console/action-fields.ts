/** An action that the simulated world does not allow now; one sentence for the user of the console. */
export class ActionError extends Error {}

type Body = Readonly<Record<string, unknown>>

/**
 * Returns the text in a field.
 * @throws RangeError if it is missing or has another type
 */
export function stringField(body: Body, field: string): string {
  const value = readOwn(body, field)
  if (typeof value === 'string') return value
  throw new RangeError(`"${field}" must be a text.`)
}

/**
 * Returns the number in a field.
 * @throws RangeError if it is missing or has another type
 */
export function numberField(body: Body, field: string): number {
  const value = readOwn(body, field)
  if (typeof value === 'number') return value
  throw new RangeError(`"${field}" must be a number.`)
}

/**
 * Returns the boolean in a field.
 * @throws RangeError if it is missing or has another type
 */
export function booleanField(body: Body, field: string): boolean {
  const value = readOwn(body, field)
  if (typeof value === 'boolean') return value
  throw new RangeError(`"${field}" must be true or false.`)
}

function readOwn(body: Body, field: string): unknown {
  return Object.hasOwn(body, field) ? body[field] : undefined
}
