import type { Random } from '../random.ts'

/**
 * Returns a text in the form of a UUID, like all tokens of the service (field fact); randomness comes from
 * the seed.
 */
export function uuid(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.between(0, 15).toString(16)).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}
