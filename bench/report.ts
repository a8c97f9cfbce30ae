import type { ListedBenchmark } from './benchmarks.ts'
import type { Comparison } from './comparison.ts'
import { isMet, roundRatio, type Spread, type Summary, summarize, worstSummary } from './summary.ts'

/** The result of a benchmark. */
export interface BenchmarkResult extends Pick<ListedBenchmark, 'name' | 'once'> {
  id: number
  /** The comparisons of each run; no run if one failed. */
  runs: readonly (readonly Comparison[])[]
}

/** Returns one entry for each benchmark with its worst comparison; null if it failed. */
export function formatJson(results: readonly BenchmarkResult[]): string {
  const entries = results.map(({ id, name, runs }) => {
    const one = worstSummary(summarize(runs))
    if (one === undefined) {
      const nothing = { ours: null, theirs: null, ratio: null, min: null, max: null, goal: null }
      return { id, measure: name, ...nothing, met: false }
    }
    const { what, unit, ours, theirs, goal } = one
    const measure = `${name}: ${what}${unit && ` (${unit})`}`
    const { median, min, max } = rounded(one.ratio)
    return { id, measure, ours, theirs, ratio: median, min, max, goal, met: isMet(one) }
  })
  return JSON.stringify(entries, null, 2)
}

/** Returns all comparisons of all benchmarks: medians of the runs, and the lowest and highest ratio. */
export function formatTable(results: readonly BenchmarkResult[]): string {
  const rows = results.flatMap((result) => [
    [String(result.id), `${result.name}${countOfRuns(result)}`, '', '', '', '', '', ''],
    ...summarize(result.runs).map((one) => ['', `  ${one.what}`, ...cellsOf(one)]),
  ])
  const table = [['', 'measure', 'ours', 'theirs', 'ratio', '(min to max)', 'goal', ''], ...rows]
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

/** Returns how often a benchmark was run. */
function countOfRuns({ runs, once }: BenchmarkResult): string {
  if (runs.length === 0) return ': failed'
  if (runs.length > 1) return `, ${runs.length} runs`
  return once === 'same' ? ', 1 run: always the same' : ', 1 run'
}

/** Returns the cells of a comparison, from the column of our value on. */
export function cellsOf(one: Summary): string[] {
  const { median, min, max } = rounded(one.ratio)
  // A figure to compare with has no goal.
  const goal = [`${one.isExact ? '=' : '<='} ${one.goal}`, isMet(one) ? 'met' : 'NOT MET']
  return [
    formatNumber(one.ours, one.unit),
    formatNumber(one.theirs, one.unit),
    String(median),
    min === max ? '' : `(${min} to ${max})`,
    ...(one.goal === Number.POSITIVE_INFINITY ? ['', ''] : goal),
  ]
}

function rounded({ min, median, max }: Spread): Spread {
  return { min: roundRatio(min), median: roundRatio(median), max: roundRatio(max) }
}

function formatNumber(value: number, unit: string): string {
  const digits = Number.isInteger(value) ? 0 : value >= 100 ? 0 : value >= 10 ? 1 : 3
  return `${value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}${unit && ` ${unit}`}`
}
