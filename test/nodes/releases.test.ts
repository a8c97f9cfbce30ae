import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectInMemory } from '../../harness/clock/memory-connections.ts'
import { processClock, processTime } from '../../harness/clock/process-fake-clock.ts'
import type { RunningFlow } from '../../harness/flow/running-flow.ts'
import { useFlowHarness } from '../../harness/flow.ts'
import {
  createSavedPart,
  readSaved,
  type SavedRelease,
  savedReleases,
  useHashingCostOfProduct,
  withHomeAssistant,
} from '../../harness/saved-release.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { memories } from '../../nodes/home-assistant/unserved.ts'
import { minute } from '../../src/duration.ts'

/** The versions that had no command that bypasses open zones. */
const withoutBypass = ['0.1.0']

/** The versions that recorded which zones they had bypassed. */
const withBypassRecords = ['0.2.0']

/** The ID of a detector of the recorded panel that is removed while Node-RED is off. */
const removedDevice = 828780

for (const release of savedReleases()) {
  describe(`What version ${release.version} has left is loaded:`, () => {
    const harness = useFlowHarness()
    const files = join(release.folder, 'keyholder')
    const hasBypass = !withoutBypass.includes(release.version)
    let userDir = ''
    let restoreCost = () => {}
    before(() => {
      restoreCost = useHashingCostOfProduct()
    })
    after(() => restoreCost())
    // Files say when they were written; the clock of this process may be days before that or after it.
    let step = 0
    beforeEach(() => {
      step = release.deliveredAt + minute - processClock.wall()
      processClock.stepWall(step)
      userDir = mkdtempSync(join(tmpdir(), 'keyholder-release-'))
      cpSync(files, join(userDir, 'keyholder'), { recursive: true })
    })
    afterEach(() => {
      processClock.stepWall(-step)
      rmSync(userDir, { recursive: true, force: true })
    })

    const start = (saved: SavedRelease): Promise<RunningFlow> =>
      harness.startParts([createSavedPart(saved)], { settings: { userDir } })
    const replay = async () => {
      const simulator = await harness.startSimulator({ replay: release.recording })
      connectInMemory(simulator, release.port)
      return simulator
    }

    it('an event comes once, a rejected user code is not sent again, and recorded bypasses are removed', async () => {
      const simulator = await replay()
      const flow = await start(release)
      assert.ok(release.missed.length > 0)
      await flow.output('state').next()
      await flow.output('events').take(release.missed.length)
      await processTime.pass(minute)
      const told = flow.output('events').all
      assert.deepEqual(
        told.map(({ payload }) => payload.id),
        release.missed,
      )
      assert.ok(told.every((message) => !('redelivered' in message)))
      assert.deepEqual(
        flow.caught.all.map(({ error }) => error.source.id),
        ['refused'],
      )
      assert.equal(requestsTo(simulator, 'panel/login'), 1)
      const removed = flow.logged.filter((line) =>
        /were removed: they named zone 2\./.test(JSON.stringify(line)),
      )
      assert.equal(removed.length, withBypassRecords.includes(release.version) ? 1 : 0)
      const files = readdirSync(join(userDir, 'keyholder'))
      assert.deepEqual(
        files.filter((name) => name.includes('bypasses')),
        [],
      )
    })

    it('query and command do what their fields say', async () => {
      await replay()
      const flow = await start(release)
      await flow.output('state').next()
      flow.input('query')
      assert.equal((await flow.output('query').next()).operation, 'status')
      flow.input('command')
      // A replay carries out no command. With bypasses, the partition is armed.
      if (hasBypass) {
        const { payload } = await flow.output('command').next()
        assert.deepEqual([payload.state, payload.already], ['AWAY', true])
        return
      }
      const { error } = await flow.caught.next(({ error }) => error.source.id === 'command')
      assert.match(error.message, /the command AWAY for partition 1/i)
    })

    it('what it has announced to Home Assistant is announced anew, or removed if the panel lacks it now', async () => {
      const kept = new Map<string, string>(Object.entries(readSaved(release.folder, 'announcements')))
      const { responses } = release.recording
      const devices = responses.get('devices')
      assert.ok(Array.isArray(devices?.body))
      const without = devices.body.filter(({ id }) => id !== removedDevice)
      const { url } = await harness.startSimulator({
        replay: {
          ...release.recording,
          responses: new Map([...responses, ['devices', { ...devices, body: without }]]),
        },
      })
      const [saved, id] = withHomeAssistant(release)
      // As in a process that has just started: what the broker keeps is all that is known. The service has another address,
      // so that nothing that was read from the one of the other tests counts.
      memories.clear()
      // As after the password was entered for that address.
      rmSync(join(userDir, 'keyholder', 'stored-for.json'), { force: true })
      const flows = saved.flows.map((node) => (node.id === 'account' ? { ...node, url } : node))
      const flow = await start({ ...saved, flows })
      const out = flow.output(id)
      for (const [topic, payload] of kept)
        if (topic.startsWith('keyholder/')) flow.input(id, { topic, payload, retain: true })
      flow.input(id, { topic: 'keyholder/bridge', payload: 'online' })
      await out.next(
        ({ topic, payload }) => topic === 'keyholder/A1B2C3/devices/availability' && payload === 'online',
      )
      // Three lists of devices, the first two of which can be 33 seconds apart, tell that one is gone.
      await processTime.pass(2 * minute)
      const announced = new Set<string>()
      for (const { topic = '', payload } of out.all) {
        if (!topic.endsWith('/config')) continue
        if (payload === '') announced.delete(topic)
        else announced.add(topic)
        kept.set(topic, payload)
      }
      const left = [...kept].filter(([topic, payload]) => topic.endsWith('/config') && payload !== '')
      assert.deepEqual(left.map(([topic]) => topic).toSorted(), [...announced].toSorted())
      assert.ok(announced.size > 10)
    })
  })
}
