import { KeyholderError } from '../service/error.ts'

/** No answer of the service comes near this; what does is cut off before it fills the memory. */
const largestBody = 4 * 1024 * 1024

/**
 * Nor near this many values: a list of 1,000 events has 27,000.
 *
 * What JSON costs is a matter of its values and not of its bytes: 4 MB of brackets alone would take a second and
 * 360 MB to parse, and nothing else in Node-RED would run meanwhile.
 */
const mostValues = 100_000

/** The body of an answer as it comes in, within bounds. */
export class AnswerBody {
  readonly #chunks: Buffer[] = []
  #size = 0
  #counted = 0
  #values = 0

  /**
   * Takes what came, unpacked: a bomb that is small on its way grows here and not in the memory.
   * @throws KeyholderError RESPONSE_TOO_LARGE
   */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    // Fewer bytes cannot have more values.
    if (this.#size > mostValues) this.#count()
    if (this.#size > largestBody) throw tooLarge('4 MB')
    if (this.#values > mostValues) throw tooLarge(`${mostValues.toLocaleString('en-US')} values`)
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }

  #count(): void {
    for (const chunk of this.#chunks.slice(this.#counted)) this.#values += valuesIn(chunk)
    this.#counted = this.#chunks.length
  }
}

/** Commas, colons and opening brackets: one of them stands before every value and every name but the first. */
function valuesIn(json: Buffer): number {
  let count = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number
    // The two brackets differ in one bit.
    if (byte === 0x2c || byte === 0x3a || (byte & 0xdf) === 0x5b) count += 1
  }
  return count
}

function tooLarge(bound: string): KeyholderError {
  return new KeyholderError(
    'RESPONSE_TOO_LARGE',
    `The service sent more than ${bound} in one answer; it was cut off.`,
  )
}
