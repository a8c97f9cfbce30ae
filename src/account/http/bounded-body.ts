import { checkService, KeyholderError } from '../../service/error.ts'

/** Bytes. No answer of the service comes near it; a larger one is cut off before it fills the memory. */
const maxBodyBytes = 4 * 1024 * 1024

/**
 * The largest number of values. No answer of the service comes near it: a list of 1,000 events has 27,000.
 *
 * The cost of parsing JSON depends on its values, not on its bytes: 4 MB of brackets alone would take a
 * second and 360 MB to parse, and nothing else in Node-RED would run meanwhile.
 */
const maxValues = 100_000

/** The body of an answer as it arrives, within limits. */
export class BoundedBody {
  readonly #chunks: Buffer[] = []
  #size = 0
  #counted = 0
  #values = 0

  /**
   * Adds a decompressed chunk. A decompression bomb, small in transfer, reaches the limit here before it
   * fills the memory.
   * @throws KeyholderError RESPONSE_TOO_LARGE
   */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    // A body cannot have more values than bytes.
    if (this.#size > maxValues) this.#count()
    if (this.#size > maxBodyBytes) throw tooLarge('is larger than 4 MB')
    if (this.#values > maxValues) throw tooLarge(`has more than ${maxValues.toLocaleString('en-US')} values`)
  }

  text(): string {
    const [first] = this.#chunks
    // Most bodies arrive in one chunk, which need not be copied.
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    return body.toString('utf8')
  }

  #count(): void {
    for (const chunk of this.#chunks.slice(this.#counted)) this.#values += valuesIn(chunk)
    this.#counted = this.#chunks.length
  }
}

/** Counts commas, colons and opening brackets: one precedes every value and every name but the first. */
function valuesIn(json: Buffer): number {
  let count = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number
    // The codes of the two opening brackets differ in one bit.
    if (byte === 0x2c || byte === 0x3a || (byte & 0xdf) === 0x5b) count += 1
  }
  return count
}

function tooLarge(bound: string): KeyholderError {
  return new KeyholderError(
    'RESPONSE_TOO_LARGE',
    `The answer of the service ${bound} and was cut off. ${checkService}`,
  )
}
