import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)

/** Ways to read a clock of the machine, or to have a timer run on one. */
const readings =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bhrtime\b|\bset(?:Timeout|Interval)\b|\bAbortSignal\.timeout\b|\buptime\(/

function withoutComments(file: string): string {
  return readFileSync(new URL(file, root), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}

describe('The clock', () => {
  it('is read in one file; all other code gets a clock as a parameter, so that tests can control it', () => {
    const sources = ['src', 'nodes'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
        .map((file) => `${folder}/${file}`),
    )
    const reading = sources.filter((file) => readings.test(withoutComments(file)))
    assert.deepEqual(reading, ['src/clock.ts'])
  })
})
