import { basename, dirname } from 'node:path/posix'
import { fileURLToPath } from 'node:url'

/** The file with the result of the latest sample, for `npm run report`. */
export const mutationRecordPath = fileURLToPath(
  new URL('../../node_modules/.cache/keyholder-mutation.json', import.meta.url),
)

const goal = 85
const columns = ['mutants', 'killed', 'timed out', 'survived', 'no coverage', 'equivalent', 'score']

/**
 * Describes the results for the terminal: each mutant that no test detected or that is on the list of equivalent ones,
 * a table of folders and files, the score of all that are not on the list.
 * @param {{ mutant: object, outcome: string, untried: number }[]} results
 * @param {{ file: string, original: string, replacement: string }[]} stale entries of the list that name no mutant
 */
export function describeResults(results, stale) {
  const missed = ['no coverage', 'survived', 'equivalent'].flatMap((outcome) =>
    describeSection(outcome, results.filter((result) => result.outcome === outcome).map(describeMissed)),
  )
  const gone = stale.map(({ file, ...change }) => `  ${describeMutant({ place: file, ...change })}`)
  const score = `mutation score: ${scoreOf(results)} (goal ${goal} %)`
  return [
    ...missed,
    ...describeSection('to remove from equivalent-mutants.json, since they name no mutant', gone),
    ...describeTable(results),
    '',
    score,
  ].join('\n')
}

/** Returns the columns and the row of a sample in a table. */
export function recordOf(results, seed) {
  return { columns: ['seed', ...columns], row: [seed, ...cellsOf(results)] }
}

/** Describes a mutant in one line. */
export function describeMutant({ place, original, replacement }) {
  return `${place}: ${shorten(original)} -> ${replacement === ';' ? '(removed)' : shorten(replacement)}`
}

function describeSection(title, lines) {
  return lines.length > 0 ? [`${title}:`, ...lines, ''] : []
}

function describeMissed({ mutant, untried }) {
  const note = untried > 0 ? ` (test files not tried: ${untried})` : ''
  const reason = mutant.equivalent === undefined ? '' : `; ${mutant.equivalent}`
  return `  ${describeMutant(mutant)}${note}${reason}`
}

function describeTable(results) {
  const rows = groupBy(results, ({ mutant }) => dirname(mutant.file)).flatMap(([folder, inFolder]) => [
    describeRow(folder, inFolder),
    ...groupBy(inFolder, ({ mutant }) => basename(mutant.place.replace(/:.*/, ''))).map(([file, inFile]) =>
      describeRow(`  ${file}`, inFile),
    ),
  ])
  return [describeCells('', columns), ...rows, describeRow('all', results)]
}

function describeRow(name, results) {
  return describeCells(name, cellsOf(results))
}

function cellsOf(results) {
  const count = (wanted) => results.filter(({ outcome }) => outcome === wanted).length
  return [results.length, ...columns.slice(1, -1).map(count), scoreOf(results)]
}

function describeCells(name, cells) {
  return name.padEnd(28) + cells.map((cell) => String(cell).padStart(13)).join('')
}

function scoreOf(results) {
  const noticed = results.filter(({ outcome }) => ['killed', 'timed out'].includes(outcome))
  const noticeable = results.filter(({ outcome }) => outcome !== 'equivalent')
  return noticeable.length === 0 ? '-' : `${((100 * noticed.length) / noticeable.length).toFixed(1)} %`
}

function groupBy(values, keyOf) {
  const groups = new Map()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return [...groups]
}

function shorten(text) {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 90 ? `${line.slice(0, 89)}…` : line
}
