import { type Comparison, isMet, ratio, worstComparison } from './comparison.ts'

/** The result of a benchmark; no comparison if it failed. */
export interface BenchmarkResult {
  id: number
  name: string
  comparisons: readonly Comparison[]
}

/** Returns one entry for each benchmark with its worst comparison; null if it failed. */
export function formatJson(results: readonly BenchmarkResult[]): string {
  const entries = results.map(({ id, name, comparisons }) => {
    const one = worstComparison(comparisons)
    if (one === undefined) {
      return { id, measure: name, ours: null, theirs: null, ratio: null, goal: null, met: false }
    }
    const { what, unit, ours, theirs, goal } = one
    const measure = `${name}: ${what}${unit && ` (${unit})`}`
    return { id, measure, ours, theirs, ratio: ratio(one), goal, met: isMet(one) }
  })
  return JSON.stringify(entries, null, 2)
}

/** Returns all comparisons of all benchmarks. */
export function formatTable(results: readonly BenchmarkResult[]): string {
  const rows = results.flatMap(({ id, name, comparisons }) => [
    [String(id), name, '', '', '', '', comparisons.length === 0 ? 'failed' : ''],
    ...comparisons.map((one) => [
      '',
      `  ${one.what}`,
      formatNumber(one.ours, one.unit),
      formatNumber(one.theirs, one.unit),
      String(ratio(one)),
      `<= ${one.goal}`,
      isMet(one) ? 'met' : 'NOT MET',
    ]),
  ])
  const table = [['', 'measure', 'ours', 'theirs', 'ratio', 'goal', ''], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  const isNumeric = (column: number) => column >= 2 && column <= 4
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        isNumeric(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return table.map(line).join('\n')
}

function formatNumber(value: number, unit: string): string {
  const digits = Number.isInteger(value) ? 0 : value >= 100 ? 0 : value >= 10 ? 1 : 3
  return `${value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}${unit && ` ${unit}`}`
}
