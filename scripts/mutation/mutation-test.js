// `npm run test:mutation`: shows which small faults in the policies the tests detect. It changes no file of
// the project.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureNow } from '../../harness/mocha/suite-record.js'
import { UserError } from '../command.js'
import { measureAll, measureCoverage } from './coverage.js'
import { markEquivalentMutants, readEquivalentMutants } from './equivalent-mutants.js'
import { inParallel } from './in-parallel.js'
import { addOriginalPlaces } from './original-place.js'
import { copyProject } from './project-copy.js'
import { describeMutant, describeResults, mutationRecordPath, recordOf } from './report.js'
import { drawSample } from './sample.js'
import { listFiles, readMutants } from './source-files.js'
import { testMutant } from './test-mutant.js'

const options = {
  files: {
    ...{ type: 'string', multiple: true },
    default: ['src/account', 'src/panel', 'src/cluster', 'src/messages'],
  },
  tests: {
    ...{ type: 'string', multiple: true },
    default: [
      ...['test/messages', 'test/account', 'test/panel', 'test/service', 'test/nodes', 'test/cluster'],
      // They start a Redis server each, and take seconds.
      'test/processes/cluster',
    ],
  },
  sample: { type: 'string', default: '150' },
  all: { type: 'boolean', default: false },
  time: { type: 'string', default: '30' },
  jobs: { type: 'string', default: String(availableParallelism()) },
}
const root = process.cwd()
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => ending.abort())

const folder = await mkdtemp(join(tmpdir(), 'mutation-'))
// Temporary files that a killed test leaves are removed together with this folder.
process.env.TMPDIR = folder
try {
  await run(readOptions())
} catch (error) {
  ending.abort()
  if (!(error instanceof UserError) && error.name !== 'AbortError') throw error
  if (error instanceof UserError) console.error(error.message)
  process.exitCode = error instanceof UserError ? 1 : 130
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function run({ files, tests, sample, all, time, jobs, seed }) {
  const { signal } = ending
  const measured = measureNow()
  const { mutants, stale } = markEquivalentMutants(
    await readMutants(root, files),
    await readEquivalentMutants(join(root, 'scripts/mutation/equivalent-mutants.json')),
  )
  if (mutants.length === 0) throw new UserError(`There is nothing to mutate in ${files.join(', ')}.`)
  const drawn = await addOriginalPlaces(all ? mutants : drawSample(mutants, sample, seed), {
    root,
    folder,
    signal,
  })
  console.error(`${drawn.length} of ${mutants.length} mutants, drawn with SEED=${seed}`)
  const copies = await Promise.all(
    Array.from({ length: jobs }, (_, job) => copyProject(root, join(folder, `project-${job}`))),
  )
  const testFiles = await listFiles(root, tests, '.test.js')
  const coverage = await measureAll(testFiles, copies, (file, copy) =>
    measureCoverage(file, drawn, { root: copy, folder, signal }),
  )
  const results = await inParallel(drawn, copies, async (mutant, position, copy) => {
    if (mutant.equivalent !== undefined) return { mutant, outcome: 'equivalent', untried: 0 }
    const start = performance.now()
    const { outcome, untried } = await testMutant(mutant, coverage, {
      root: copy,
      signal,
      maxTime: 1000 * time,
    })
    const ms = performance.now() - start
    console.error(
      `${position} of ${drawn.length}: ${outcome}, ${describeMutant(mutant)}, ${formatSeconds(ms)} s`,
    )
    return { mutant, outcome, untried }
  })
  console.log(describeResults(results, stale))
  if (`${files}` === `${options.files.default}` && `${tests}` === `${options.tests.default}`) {
    await mkdir(dirname(mutationRecordPath), { recursive: true })
    await writeFile(mutationRecordPath, JSON.stringify({ measured, ...recordOf(results, seed) }))
  }
}

function readOptions() {
  const { sample, time, jobs, ...others } = readArguments()
  const seed = process.env.SEED ?? '1'
  const numbers = { sample, time, jobs, SEED: seed }
  for (const [name, text] of Object.entries(numbers)) {
    if (!/^[1-9]\d{0,8}$/.test(text))
      throw new UserError(`${name} takes a whole number from 1, not "${text}".`)
  }
  return { ...others, sample: Number(sample), time: Number(time), jobs: Number(jobs), seed: Number(seed) }
}

function readArguments() {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    throw new UserError(error.message)
  }
}

function formatSeconds(ms) {
  return (ms / 1000).toFixed(1)
}
