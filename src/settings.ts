import { KeyholderError } from './service/error.ts'

/** Settings from the flow file: any of them may be missing, and any number may be a text. */
export type RawSettings = Partial<Record<string, unknown>>

/** Returns a text setting trimmed, a number as its digits, a missing setting as an empty text. */
export function text(raw: RawSettings, field: string): string {
  const value = raw[field]
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** Returns a number setting, or the default if it is empty. */
export function number(
  raw: RawSettings,
  field: string,
  fallback: number,
  { min, max, whole = false }: { min: number; max: number; whole?: boolean },
): number {
  const entered = text(raw, field)
  if (entered === '') return fallback
  const value = Number(entered)
  if (!(value >= min && value <= max) || (whole && !Number.isInteger(value))) {
    throw badSetting(field, `"${entered}" is no ${whole ? 'whole ' : ''}number from ${min} to ${max}`)
  }
  return value
}

/** Returns the error for an invalid setting. */
export function badSetting(field: string, why: string): KeyholderError {
  return new KeyholderError('BAD_SETTING', `${field}: ${why}.`)
}
