import { readFileSync, writeFileSync } from 'node:fs'
import { type Measured, measureNow } from '../harness/mocha/suite-record.ts'
import { type BenchmarkResult, cellsOf } from './report.ts'
import { summarize } from './summary.ts'

const recordPath = new URL('results.json', import.meta.url)
const pagePath = new URL('../docs/performance.md', import.meta.url)

/** Rows that were measured together. */
export interface KeptGroup {
  measured: Measured
  /** Cells as the page shows them, with their units. The first cell of the first row names the group. */
  rows: string[][]
}

/** A table of figures. */
export interface KeptTable {
  columns: string[]
  groups: KeptGroup[]
}

/** The figures that a release stands on, by the name of their table. */
export type KeptResults = Record<string, KeptTable>

/** Reads the figures that are kept. */
export function readKept(): KeptResults {
  return JSON.parse(readFileSync(recordPath, 'utf8'))
}

/** Keeps figures, and writes them into docs/performance.md. */
export function writeKept(kept: KeptResults): void {
  writeFileSync(recordPath, `${JSON.stringify(kept, null, 1)}\n`)
  writeFileSync(pagePath, renderPage(readFileSync(pagePath, 'utf8'), kept))
}

/** Returns a table with a group in the place of the one that has its name, or at the end. */
export function withGroup({ columns, groups }: KeptTable, added: KeptGroup): KeptTable {
  const nameOf = ({ rows }: KeptGroup) => rows[0]?.[0]
  const isKept = groups.some((group) => nameOf(group) === nameOf(added))
  const replaced = groups.map((group) => (nameOf(group) === nameOf(added) ? added : group))
  return { columns, groups: isKept ? replaced : [...groups, added] }
}

/** Returns the figures with the results of benchmarks in the place of their earlier ones; those that failed stay as they are. */
export function withResults(
  kept: KeptResults,
  results: readonly BenchmarkResult[],
  measured = measureNow(),
): KeptResults {
  const next = { ...kept }
  for (const { id, name, runs } of results) {
    const rows = summarize(runs).map((one, index) => {
      const [ours = '', theirs = '', ratio = '', range = '', goal = '', met = ''] = cellsOf(one)
      const what = index === 0 ? `${name}: ${one.what}` : one.what
      return [index === 0 ? `${id}` : '', what, ours, theirs, `${ratio} ${range}`.trim(), goal, met]
    })
    for (const [key, table] of Object.entries(next))
      if (
        rows.length > 0 &&
        table.groups.some((group) => group.rows[0]?.[0] === `${id}` && isOfBenchmarks(table))
      )
        next[key] = withGroup(table, { measured, rows })
  }
  return next
}

/** Tells if the rows of a table are those of `withResults`; other tables have names that are numbers too. */
function isOfBenchmarks({ columns }: KeptTable): boolean {
  return columns.includes('goal')
}

/** Returns a table in Markdown; its last column tells when each group was measured, and on which commit. */
export function renderTable({ columns, groups }: KeptTable): string {
  if (groups.length === 0) return 'Not measured yet.'
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replaceAll(/ {2,}/g, ' ')
  const rows = groups.flatMap(({ measured: { date, commit }, rows }) =>
    rows.map((cells, index) => line([...cells, index === 0 ? `${date.slice(0, 10)}, ${commit}` : ''])),
  )
  return [line([...columns, 'measured']), `|${'---|'.repeat(columns.length + 1)}`, ...rows].join('\n')
}

/**
 * Returns a page with the kept figures between its marks.
 * @throws Error if it has a mark without figures
 */
export function renderPage(page: string, kept: KeptResults): string {
  return page.replaceAll(
    /(<!-- figures: (\S+) -->\n)[\s\S]*?(<!-- end of figures -->)/g,
    (_, start: string, name: string, end: string) => {
      const table = kept[name]
      if (table === undefined) throw new Error(`There are no figures "${name}" in bench/results.json.`)
      return `${start}\n${renderTable(table)}\n\n${end}`
    },
  )
}
