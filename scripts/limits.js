import { readdir, readFile, writeFile } from 'node:fs/promises'

// Writes docs/limits.md: all limits and times of the code, with the comments that say why.
// With --check it changes nothing, and fails if the page differs from the code.

const page = 'docs/limits.md'

const introduction = `# Limits and times

Each number in \`src/\` and \`nodes/\` that bounds something and that no setting changes, with its reason; the simulator has its own. What
a setting changes, with its default, is on [settings.md](settings.md). To change a number, change it in its file, with its comment, and
run \`npm run limits\`, which writes this page.
`

const sections = {
  'src/service': 'Answers of the service',
  'src/account': 'Requests and sign-ins',
  'src/panel': 'Panels',
  'src/messages': 'Messages',
  'src/home-assistant': 'Home Assistant',
  'src/cluster': 'Clusters',
  nodes: 'Nodes',
}

/** Numbers that bound nothing: versions of formats, sizes of keys, words of the service, and defaults. */
const noLimits = new Set([
  ...['format', 'nonceBytes', 'tagBytes', 'keyLength', 'firstStandIn', 'unconfirmed', 'quarter'],
  ...['wholePanel', 'disarm', 'fastOpen', 'bypassType', 'usualReminder', 'defaultPort'],
])

const durations = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** A constant of a module: its comment, name and value, which may be a table of several lines. */
const declaration =
  /(\/\*\*(?:(?!\*\/).)*?\*\/\n)?^(export )?const (\w+)(?:: \w+)? = (\{\n(?: {2}[^\n]+\n)+\}|[^\n]+)$/gms

/** Returns the number, or the table of numbers, that an expression of known constants stands for. */
function evaluated(expression, known) {
  const words = expression.match(/[a-z]\w*(?!\w*:)/gi) ?? []
  const isPlain = /^[\w\s.,:*+/(){}[\]-]*[\w)}\]]$/.test(expression)
  if (!isPlain || !words.every((word) => word in known)) return undefined
  const value = Function(...Object.keys(known), `return (${expression})`)(...Object.values(known))
  const parts = typeof value === 'object' ? Object.values(value) : [value]
  return parts.length > 0 && parts.every((part) => typeof part === 'number') ? value : undefined
}

/** Lists the limits of a file. Constants that follow each other at once share a comment. */
function limitsOf({ file, text }, exported) {
  const known = { ...durations, ...exported }
  const limits = []
  let reason = ''
  let end = 0
  for (const match of text.matchAll(declaration)) {
    const [whole, comment, isExported, name, expression] = match
    const value = evaluated(expression, known)
    if (value === undefined) continue
    known[name] = value
    if (isExported) exported[name] = value
    if (comment !== undefined)
      reason = comment.replace(/\s*\*\/\n$|^\/\*\*\s*(?:\* )?/g, '').replace(/(?:\n \*)+ ?/g, ' ')
    else if (match.index !== end + 1) reason = ''
    end = match.index + whole.length
    if (!noLimits.has(name)) limits.push({ file, name, reason, value: shown(value, reason, expression) })
  }
  return limits
}

/** Returns a value with its unit, which its comment or its expression tells. */
function shown(value, reason, expression) {
  if (Array.isArray(value)) return value.map((part) => shown(part, reason, expression)).join(', ')
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([key, part]) => `${key}: ${shown(part, reason, expression)}`)
      .join(', ')
  }
  const isTime = /milliseconds/i.test(reason) || /\b(?:second|minute|hour|day)\b/.test(expression)
  if (isTime && !/^(?:Hours|The most minutes)/.test(reason)) return time(value)
  if (/1024/.test(expression)) return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MB` : `${value / 1024} kB`
  return value.toLocaleString('en-US')
}

/** Returns a time in the longest unit of which it is a whole number. */
function time(milliseconds) {
  for (const [unit, length] of Object.entries(durations).reverse()) {
    const number = milliseconds / length
    if (Number.isInteger(number)) return `${number} ${unit}${number === 1 ? '' : 's'}`
  }
  return `${milliseconds.toLocaleString('en-US')} ms`
}

/** Reads the sources of a folder, in alphabetical order. */
async function sourcesOf(folder) {
  const files = await readdir(folder, { recursive: true })
  const sources = files.filter((file) => file.endsWith('.ts')).map((file) => file.replaceAll('\\', '/'))
  return Promise.all(
    sources.toSorted().map(async (file) => ({ file, text: await readFile(`${folder}/${file}`, 'utf8') })),
  )
}

const problems = []
const exported = {}
let text = introduction
for (const [folder, title] of Object.entries(sections)) {
  const limits = (await sourcesOf(folder)).flatMap((source) => limitsOf(source, exported))
  for (const { file, name, reason } of limits)
    if (reason === '')
      problems.push(`${folder}/${file}: say in a comment above ${name} what it bounds, and why.`)
  const rows = limits.map(
    ({ file, name, reason, value }) =>
      `| ${value} | ${reason.replace(/^Milliseconds/, 'Time')} | \`${name}\` in [${file}](../${folder}/${file}) |\n`,
  )
  text += `\n## ${title}\n\n| value | meaning and reason | place |\n|---|---|---|\n${rows.join('')}`
}
if (problems.length === 0 && text !== (await readFile(page, 'utf8').catch(() => ''))) {
  if (process.argv.includes('--check')) problems.push(`${page} differs from the code: run npm run limits.`)
  else await writeFile(page, text)
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
