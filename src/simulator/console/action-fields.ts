/** An action that the simulated world does not allow now; one sentence for the user of the console. */
export class Refused extends Error {}

type Body = Readonly<Record<string, unknown>>

/**
 * Returns the text in a field.
 * @throws RangeError if there is none
 */
export function text(body: Body, field: string): string {
  const value = own(body, field)
  if (typeof value === 'string') return value
  throw new RangeError(`"${field}" must be a text.`)
}

/**
 * Returns the number in a field.
 * @throws RangeError if there is none
 */
export function numeral(body: Body, field: string): number {
  const value = own(body, field)
  if (typeof value === 'number') return value
  throw new RangeError(`"${field}" must be a number.`)
}

/**
 * Returns the boolean in a field.
 * @throws RangeError if there is none
 */
export function flag(body: Body, field: string): boolean {
  const value = own(body, field)
  if (typeof value === 'boolean') return value
  throw new RangeError(`"${field}" must be true or false.`)
}

function own(body: Body, field: string): unknown {
  return Object.hasOwn(body, field) ? body[field] : undefined
}
