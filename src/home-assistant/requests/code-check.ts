import { createHash, timingSafeEqual } from 'node:crypto'
import { minute, second } from '../../duration.ts'
import { KeyholderError } from '../../service/error.ts'

/** The number of wrong codes in a row that cost no delay: people mistype. */
const freeMistakes = 2

/** Milliseconds of the first delay, which doubles with each further wrong code, and its maximum. */
const delays = { first: 10 * second, max: 15 * minute }

/** Compares the codes that are typed in Home Assistant with the user code of the panel. */
export class CodeCheck {
  #mistakes = 0
  #blockedUntil = Number.NEGATIVE_INFINITY

  /**
   * Throws unless the code is the right one. The comparison takes the same time for every code, nothing is sent, and the
   * codes appear in no message. After several wrong codes even the right one is refused for a while.
   * @param now milliseconds of the monotonic clock
   * @throws KeyholderError NOT_ALLOWED
   */
  check(entered: string, expected: string, now: number): void {
    const left = this.#blockedUntil - now
    if (left > 0) {
      const seconds = Math.ceil(left / second)
      throw refusal(`After several wrong codes, none is checked for another ${seconds} s. Then try again.`)
    }
    if (timingSafeEqual(digest(entered), digest(expected))) {
      this.#mistakes = 0
      return
    }
    this.#mistakes += 1
    const further = this.#mistakes - freeMistakes
    if (further > 0) this.#blockedUntil = now + Math.min(delays.max, delays.first * 2 ** (further - 1))
    throw refusal('The code is not the user code of the panel, so nothing was sent.')
  }
}

function refusal(sentence: string): KeyholderError {
  return new KeyholderError('NOT_ALLOWED', sentence, { reason: 'WrongCode' })
}

/** Returns a text of the same length for every code. */
function digest(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
