/** The longest text that an id is made of. */
const maxLength = 64

/** The texts by the numbers that stand for them. */
const texts = new Map<number, string>()

/**
 * Returns the number that stands for an id that is a text without a number; undefined if the text is no id. The interface
 * specification (2.5) knows numbers only, but a rule decides only where it speaks: nothing is left out because of it. The
 * number is the same in each process, from -1000 to -9999, where no service has ids.
 */
export function numberFor(text: string): number | undefined {
  if (text.trim() === '' || text.length > maxLength) return undefined
  let hash = 0
  for (const letter of text) hash = (31 * hash + (letter.codePointAt(0) ?? 0)) % 9000
  const number = -1000 - hash
  texts.set(number, text)
  return number
}

/** Returns an id as the service writes it. */
export function asSent(id: number): number | string {
  return texts.get(id) ?? id
}
