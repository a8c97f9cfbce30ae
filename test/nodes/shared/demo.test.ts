import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { demoOf, endDemo } from '../../../nodes/shared/demo.ts'

const execute = promisify(execFile)
const path = new URL('../../../nodes/shared/demo.js', import.meta.url).href

/** A process that starts a demo, writes to its folder, prints the folder and ends. */
const script = `
  import { writeFileSync } from 'node:fs'
  import { demoOf, endDemo } from '${path}'
  const { folder } = await demoOf('account', () => {})
  writeFileSync(folder + '/events.json', '')
  await endDemo('account')
  console.log(folder)
`

describe('The demo of an account', () => {
  afterEach(() => endDemo('account'))

  it('is one simulated world with a day of events, until the account is removed', async () => {
    const lines: string[] = []
    const open = () => demoOf('account', (line) => lines.push(line))
    const [demo, same] = await Promise.all([open(), open()])
    assert.equal(demo, same)
    assert.deepEqual(lines, [`Demo panel console: ${demo.simulator.url}/`])
    for (const panel of demo.simulator.world.panels) assert.ok(panel.events.length > 0)
    await endDemo('account')
    assert.notEqual(await open(), demo)
    assert.equal(lines.length, 2)
  })

  it('leaves no folder behind when the process ends', async () => {
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', script])
    assert.match(stdout, /keyholder-demo-/)
    assert.equal(existsSync(stdout.trim()), false)
  })
})
