import { inputsForReach } from './reach.js'
import { plainTests, worlds } from './worlds.js'

/** The page with the table. */
export const tablePath = 'docs/design-faults.md'

const columns = [plainTests, ...worlds.map(({ name }) => name)]

/**
 * Describes who notices which fault, as a page in Markdown.
 * @param {import('./faults.js').Fault[]} faults
 * @param {{ says: string, found: string }[]} sentences the faults that have no patch
 * @param {(fault: object, column: string) => import('./results.js').Result | undefined} resultOf
 */
export function describeTable(faults, sentences, resultOf) {
  const results = faults.flatMap((fault) => columns.flatMap((column) => resultOf(fault, column) ?? []))
  const measured = [...new Set(results.map((result) => result.measured))].sort()
  const inputs = results.flatMap((result) => result.inputs ?? [])
  const noticed = faults.filter((fault) => columns.some((column) => isNoticed(resultOf(fault, column))))
  return `# Faults of design

Written by \`npm run design-faults\`. Each of the ${faults.length} faults in \`test/design-faults/\` was once in the product, or nearly: a patch
brings it back as somebody would write it. The table shows who notices it. Tests of single lines do not show what a
world is worth; this table does. ${noticed.length} of the ${faults.length} are noticed by something that was run.

- **7**: the seventh random input of the world is the first one with which a property of it fails. **> 10**: none of the first ten
  is. The seed of all worlds is 1, so that chance decides nothing. **-**: nothing of it notices it, or the world, with
  ${inputsForReach} inputs, runs no function that the fault changes. **not run**: nobody has looked.
- *${plainTests}*: the first test file of \`npm test\` that notices it, of those that are nearest to the changed sources, and of
  those that try a property beside them, which come last and are written in italics. What needs another process is not run.
- *kept stories*: **yes** if one of the lives in \`test/stories/\` notices it, in which something untrue was told once.
- *simulation*: random lives of houses on simulated machines, of houses with Home Assistant, of houses in the hour that clocks repeat and of
  houses at the panel's own pace, each as many as the number says. **= 4**: the first four of each are the same with the fault and without: they do
  nothing to which it matters.
- *shared delivery* are the properties of events that one of several processes delivers; *requests* those of the store of the rate limit.
- No column have what starts real processes, the simulated week, which only \`npm run test:deep\` lives, and the household of
  \`npm run bench\`, which measures and judges nothing.

${measured.length === 0 ? 'Nothing was run yet.' : `Measured ${measured.join('; ')}, with ${describeRange(inputs)} random inputs of each property.`}

| fault | what goes wrong | found | ${columns.join(' | ')} |
|---|---|---|${columns.map(() => '---').join('|')}|
${faults.map((fault) => rowOf(fault, resultOf)).join('\n')}

| column | noticed | not noticed | not reached |
|---|---|---|---|
${columns.map((column) => summaryOf(column, faults, resultOf)).join('\n')}

## Faults without a patch

They are in code of the cluster whose design is about to change. Whoever writes the new one tries these again.

| what goes wrong | found |
|---|---|
${sentences.map(({ says, found }) => `| ${cell(says)} | ${cell(found)} |`).join('\n')}
`
}

function rowOf(fault, resultOf) {
  const cells = columns.map((column) => cellOf(resultOf(fault, column)))
  return `| ${fault.name} | ${cell(fault.says)} | ${cell(fault.found)} | ${cells.join(' | ')} |`
}

function cellOf(result) {
  if (result === undefined) return 'not run'
  if (result.failure !== undefined) return result.failure
  if (result.isReached === false) return '-'
  if (result.file !== undefined) return result.file === null ? '-' : describeFile(result)
  if (result.inputs === undefined) return result.first === null ? '-' : 'yes'
  if (result.changed === 0) return `= ${result.inputs}`
  return result.first === null ? `> ${result.inputs}` : String(result.first)
}

function describeFile({ file, isOfWorld }) {
  const name = file.replace(/^test\//, '').replace(/\.test\.js$/, '')
  return isOfWorld ? `*${name}*` : name
}

function isNoticed(result) {
  return result !== undefined && !/^(-|[>=] \d+|not run|fails without it)$/.test(cellOf(result))
}

function summaryOf(column, faults, resultOf) {
  const results = faults.flatMap((fault) => resultOf(fault, column) ?? [])
  const noticed = results.filter(isNoticed).length
  const unreached = results.filter(({ isReached }) => isReached === false).length
  return `| ${column} | ${noticed} | ${results.length - noticed - unreached} | ${unreached} |`
}

function describeRange(numbers) {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  return numbers.length === 0 ? 'no' : least === most ? `${least}` : `${least} to ${most}`
}

function cell(text) {
  return text.replaceAll('|', '\\|')
}
