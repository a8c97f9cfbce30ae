import type { Life, Lived } from '../life.ts'
import { differencesOf, sentenceOf } from './sentences.ts'

/** The most lines of a story: what a person reads at once. */
export const mostLines = 20

/** The most untrue sentences in a story; the first one is the one to mend. */
const mostUntrue = 3

/**
 * Returns the lines of the story of a life: its house, one line for each step, what was untrue, and the command that
 * repeats it. Of a long life, several steps share a line.
 * @param lived the moments of its steps, and what was untrue in it
 * @param command the command that lives it again
 */
export function tellStory({ house, steps }: Life, { times, untrue }: Lived, command: string): string[] {
  const unusual = differencesOf(house)
  const first = unusual === '' ? 'The usual house.' : `A house with a difference: ${unusual}.`
  const last = [
    ...untrue
      .slice(0, mostUntrue)
      .map(({ at, sentence }) => `Untrue at ${clockOf(at)}: ${oneLine(sentence)}`),
    ...(untrue.length > mostUntrue ? [`and ${untrue.length - mostUntrue} more`] : []),
    `Repeat it with: ${command}`,
  ]
  const told = steps.map(({ deed }, nth) => {
    const at = times[nth]
    // A life that ended with an error has not come to its last steps.
    return at === undefined ? `then ${sentenceOf(deed)}` : `${clockOf(at)} ${sentenceOf(deed)}`
  })
  return [first, ...joined(told, mostLines - 1 - last.length).map((line) => `  ${line}`), ...last]
}

/** Joins lines evenly, so that no more than some are left. */
function joined(lines: readonly string[], most: number): string[] {
  const together = Math.max(1, Math.ceil(lines.length / most))
  const count = Math.ceil(lines.length / together)
  return Array.from({ length: count }, (_, nth) =>
    lines.slice(nth * together, (nth + 1) * together).join('; '),
  )
}

/** Returns a duration as minutes and seconds, such as `1:20`. */
function clockOf(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' | ')
}
