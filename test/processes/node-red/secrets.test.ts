import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../../harness/clock/until.ts'
import { Canaries } from '../../../harness/fixtures/canaries.ts'
import type { NodeRedProcess } from '../../../harness/node-red/node-red-process.ts'
import { withRecorder } from '../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../harness/node-red.ts'
import { type SiteHarness, startSiteHarness } from '../../../harness/site.ts'
import { cutAfter } from '../../../src/simulator/faults/network-faults.ts'
import { htmlPage, invalidJson, status } from '../../../src/simulator/faults/response-faults.ts'
import { tokenRevoked } from '../../../src/simulator/faults/service-faults.ts'

const faults = [
  cutAfter(100),
  invalidJson(),
  tokenRevoked('session'),
  status(500),
  // The last one: a page holds the account.
  htmlPage(403),
]

describe('A real Node-RED after many failures shows no password, user code, token or cookie', () => {
  let harness: NodeRedHarness
  let nodeRed: NodeRedProcess
  let site: SiteHarness
  let canaries: Canaries

  before(async () => {
    // Everything is logged, and all that flows keep is kept on disk.
    const logging = { console: { level: 'trace', metrics: true, audit: true } }
    const contextStorage = { default: { module: 'localfilesystem' } }
    harness = await startNodeRedHarness({}, { settings: { logging, contextStorage }, hasEditor: true })
    site = await startSiteHarness('site', harness.messages, { every: 0.4 })
    canaries = new Canaries(site.simulator)
    await harness.writeFlowFile([])
    nodeRed = harness.startNodeRed()
    await nodeRed.url
    // It listens before it has read the credentials, and what is deployed between the two loses its own.
    await until(() => /Started flows/.test(nodeRed.output))
    await nodeRed.deploy(withRecorder(site.flows, harness.messages.url))
    await harness.messages.from('state site').first()
    for (const fault of faults) {
      const failures = () => harness.messages.from('tab site catch').all.length
      const before = failures()
      site.simulator.faults.clear()
      site.simulator.faults.start(fault)
      site.simulator.faults.start(canaries.echo())
      await site.press(nodeRed)
      await harness.messages.until(() => failures() > before, `a failure with ${fault.name}`)
    }
    assert.ok(canaries.all.length >= 5)
  })

  after(async () => {
    await site.close()
    await harness.close()
  })

  it('in its output, even at the most verbose log level', () => {
    assert.match(nodeRed.output, /keyholder-panel/)
    canaries.assertUnseenIn(nodeRed.output)
  })

  it('in messages, errors and statuses', () => {
    canaries.assertUnseenIn(harness.messages.all)
  })

  it('in the flows that it sends to the editor', async () => {
    canaries.assertUnseenIn(await nodeRed.get('flows'))
  })

  it('in the credentials that it sends to the editor', async () => {
    const account = await nodeRed.get('credentials/keyholder-account/account site')
    const panel = await nodeRed.get('credentials/keyholder-panel/panel site')
    assert.deepEqual(account, { email: site.simulator.email, has_password: true, has_storedFor: false })
    assert.deepEqual(panel, { has_userCode: true, has_storedFor: false })
  })

  // The last one: a file that is being replaced would be gone when it is read.
  it("in any file except Node-RED's credentials, which contain no token", async () => {
    await nodeRed.kill()
    const files = await readdir(harness.userDir, { recursive: true, withFileTypes: true })
    const paths = files
      .filter((file) => file.isFile() && !file.parentPath.includes('node_modules'))
      .map(({ parentPath, name }) => join(parentPath, name))
    assert.ok(paths.filter((path) => /[\\/]keyholder[\\/]/.test(path)).length >= 2, paths.join('\n'))
    for (const path of paths) {
      const text = await readFile(path, 'utf8')
      if (!/flows_cred\.json/.test(path)) canaries.assertUnseenIn(text)
      else for (const token of canaries.tokens) assert.ok(!text.includes(token), path)
    }
  })
})
