import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const tests = new URL('./', import.meta.url)
const { spec }: { spec: string[] } = JSON.parse(readFileSync(new URL('../.mocharc.json', tests), 'utf8'))
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(new URL('../package.json', tests), 'utf8'),
)

/** Returns the regular expression of a pattern with `*`, `**` and `!(name)`. */
function expressionOf(pattern: string): RegExp {
  const others = pattern.replaceAll('.', '\\.').replace(/!\((\w+)\)/, '(?!$1\\b)*')
  return new RegExp(`^${others.replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))}$`)
}

/** The folders whose tests need Node alone: those of other suites have a configuration of their own. */
const folders = readdirSync(tests, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !existsSync(new URL(`${entry.name}/.mocharc.json`, tests)))
  .map(({ name }) => name)
  .filter((name) =>
    readdirSync(new URL(name, tests), { recursive: true }).some((file) => `${file}`.endsWith('.test.ts')),
  )

describe('npm test', () => {
  it('runs the tests of each folder exactly once', () => {
    // A file that fits two patterns would run twice side by side.
    const once = ['test/*.test.js', ...folders.map((name) => `test/${name}/**/*.test.js`)]
    assert.deepEqual(spec.toSorted(), once.toSorted())
  })
})

describe('npm run quick', () => {
  it('runs files that npm test runs, each once', () => {
    const files: string[] = JSON.parse(readFileSync(new URL('quick.json', tests), 'utf8'))
    const patterns = spec.map(expressionOf)
    assert.ok(files.length > 20)
    assert.equal(new Set(files).size, files.length)
    assert.deepEqual(
      files.filter((file) => !existsSync(new URL(`../${file}`, tests))),
      [],
      'Remove what is gone, or choose the files again: npm run quick -- --choose.',
    )
    assert.deepEqual(
      files.filter((file) => !patterns.some((pattern) => pattern.test(file.replace(/ts$/, 'js')))),
      [],
    )
  })
})

describe('npm run test:long', () => {
  it('runs each file of its folder exactly once', () => {
    const long = new URL('long/', tests)
    const { spec }: { spec: string[] } = JSON.parse(readFileSync(new URL('.mocharc.json', long), 'utf8'))
    const patterns = spec.map(expressionOf)
    const files = readdirSync(long, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `test/long/${file.replaceAll('\\', '/').replace(/ts$/, 'js')}`)
    assert.ok(files.length > 20)
    assert.deepEqual(
      files.filter((file) => patterns.filter((pattern) => pattern.test(file)).length !== 1),
      [],
    )
  })
})

describe('Each suite', () => {
  const suites = ['test', ...Object.keys(scripts).filter((name) => /^test:(?!mutation|deep)/.test(name))]

  for (const name of suites) {
    it(`has bounds that are checked after its tests: ${name}`, () => {
      // test/home-assistant has the tests of src/home-assistant; the folder of this suite is named after the program.
      const folder = name.replace('test:', '').replace('home-assistant', 'hass')
      const page = `test/bounds/${folder}.test`
      assert.ok(existsSync(new URL(`../${page}.ts`, tests)))
      assert.equal(scripts[`post${name}`], `mocha --config test/bounds/.mocharc.json ${page}.js`)
    })
  }

  it('is run by the script of the checks', () => {
    const script = readFileSync(new URL('../.ci/run', tests), 'utf8')
    for (const name of suites.slice(1))
      assert.match(script, new RegExp(`^ *(NODE_RED=\\S+ )?suite '?${name}\\b`, 'm'))
  })

  it('is built without the check of types, which the script of the checks makes once', () => {
    for (const name of suites) assert.match(`${scripts[name]}`, /^npm run -s build:changed && /)
    assert.match(`${scripts.check}`, /^tsc --noEmit && /)
    assert.match(
      readFileSync(new URL('../.ci/run', tests), 'utf8'),
      /^ *run 'npm run check' \d+ npm run check$/m,
    )
  })

  it('is run whole where the script runs it in two parts', () => {
    const script = readFileSync(new URL('../.ci/run', tests), 'utf8')
    const parts = [...script.matchAll(/^ *suite .*?\d+ long \d+ (.*?)(?: &)?$/gm)]
    assert.deepEqual(
      parts.map(([, options]) => options),
      [
        "--ignore 'test/long/processes/**'",
        "--ignore 'test/long/*.test.js' --ignore 'test/long/!(processes)/**'",
      ],
    )
  })
})
