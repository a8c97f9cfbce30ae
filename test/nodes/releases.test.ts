import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectInMemory } from '../../harness/clock/memory-connections.ts'
import { processTime } from '../../harness/clock/process-fake-clock.ts'
import type { FlowPart } from '../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../harness/flow.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { RejectedCredentials } from '../../src/account/service-user/auth/rejected-credentials.ts'
import { minute } from '../../src/duration.ts'
import { parseRecording } from '../../src/simulator/replay.ts'

const releases = join(import.meta.dirname, '../releases')

interface Release {
  flows: FlowPart['nodes']
  credentials: FlowPart['credentials']
  /** The messages of the events node. */
  delivered: { id: number }[]
  recording: { answers: { events: { answer: { event: number }[] } } }
}

/** Returns what `scripts/record-release.js` kept of a version: a Node-RED was killed, and three events happened after it. */
function readRelease(version: string): Release {
  const read = (name: string) => JSON.parse(readFileSync(join(releases, version, `${name}.json`), 'utf8'))
  const [flows, credentials, delivered, recording] = ['flows', 'credentials', 'delivered', 'recording'].map(
    read,
  )
  return { flows, credentials, delivered, recording }
}

/** Returns the port of the service: the names of the files contain its address. */
function portOf({ flows }: Release): number {
  const account = flows.find(({ id }) => id === 'account')
  return Number(new URL(`${account?.url}`).port)
}

/** Returns the part of a flow with all that was saved, and a recorder behind each node. */
function createSavedPart({ flows, credentials }: Release): FlowPart {
  const nodes = flows.filter(({ type }) => type !== 'tab')
  const ids = nodes.filter(({ z }) => z !== undefined).map(({ id }) => id)
  return {
    account: 'account',
    panel: 'panel',
    ids: new Map(ids.map((id) => [id, id])),
    credentials,
    nodes: nodes.flatMap((node) =>
      ids.includes(node.id)
        ? [
            { ...node, wires: [[`out ${node.id}`]] },
            { id: `out ${node.id}`, type: 'recorder', z: node.z, x: 600, y: 100, wires: [] },
          ]
        : [node],
    ),
  }
}

for (const version of readdirSync(releases)) {
  describe(`The flows and files of version ${version}`, () => {
    const harness = useFlowHarness()
    const release = readRelease(version)
    const { cost } = RejectedCredentials
    let userDir = ''
    before(() => {
      // The hashes in the file have the cost of the product.
      RejectedCredentials.cost = 16_384
    })
    after(() => {
      RejectedCredentials.cost = cost
    })
    beforeEach(() => {
      userDir = mkdtempSync(join(tmpdir(), 'keyholder-release-'))
      cpSync(join(releases, version, 'keyholder'), join(userDir, 'keyholder'), { recursive: true })
    })
    afterEach(() => rmSync(userDir, { recursive: true, force: true }))

    it('are loaded: an event comes once, and a rejected user code is not sent again', async () => {
      const replay = parseRecording(JSON.stringify(release.recording))
      const simulator = await harness.startSimulator({ replay })
      connectInMemory(simulator, portOf(release))
      const flow = await harness.startParts([createSavedPart(release)], { settings: { userDir } })
      const happened = release.recording.answers.events.answer.map(({ event }) => event)
      const missed = happened.slice(happened.indexOf(release.delivered.at(-1)?.id ?? 0) + 1)
      assert.ok(missed.length > 0)
      await flow.output('state').next()
      await flow.output('events').take(missed.length)
      await processTime.pass(minute)
      const told = flow.output('events').all
      assert.deepEqual(
        told.map(({ payload }) => payload.id),
        missed,
      )
      assert.ok(told.every((message) => !('redelivered' in message)))
      assert.deepEqual(
        flow.caught.all.map(({ error }) => error.source.id),
        ['refused'],
      )
      assert.equal(requestsTo(simulator, 'panel/login'), 1)
      // These have fields of their own only, as version 0.1.0 saved them.
      flow.input('query')
      assert.equal((await flow.output('query').next()).operation, 'status')
      flow.input('command')
      const command = await flow.caught.next(({ error }) => error.source.id === 'command')
      assert.match(command.error.message, /the command AWAY for partition 1/i)
    })
  })
}
