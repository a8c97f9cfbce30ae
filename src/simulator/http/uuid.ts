import type { Random } from '../world/random.ts'

/** A text in the form of a UUID, as all tokens of the service have it (field fact); chance comes from the seed. */
export function uuid(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.between(0, 15).toString(16)).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}
