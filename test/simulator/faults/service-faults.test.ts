import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { type ApiClient, installerAt, signedIn } from '../../../harness/simulator/api-client.ts'
import {
  sessionEnded,
  tokenRevoked,
  versionWithdrawn,
  wrongEventList,
} from '../../../src/simulator/faults/service-faults.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describe('a service fault', () => {
  let simulator: Simulator
  let caller: ApiClient

  beforeEach(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
    caller = await signedIn(simulator)
  })

  afterEach(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  it('withdraws a version from the list and answers its paths with a web page', async () => {
    const end = simulator.faults.start(versionWithdrawn('14.0'))
    for (const path of ['14.0/status', '14.0/auth', '14.0', '14.0/no-such-thing']) {
      const { status, body } = await caller.request('GET', `/rest_api/${path}`)
      assert.equal(status, 404)
      assert.match(body, /^<!DOCTYPE html>/)
    }
    const versions = async () => (await caller.request('GET', '/rest_api/version')).body
    assert.deepEqual((await versions()).rest_versions, ['13.0'])
    assert.deepEqual((await versions()).installer_versions, ['8.0', '11.0'])
    assert.equal((await caller.request('GET', '/rest_api/13.0/status')).status, 200)
    end()
    assert.deepEqual((await versions()).rest_versions, ['13.0', '14.0'])
    assert.equal((await caller.get('status')).status, 200)
  })

  it('withdraws a version and answers its paths with any response', async () => {
    simulator.faults.start(versionWithdrawn('14.0', { status: 410, body: { message: 'gone' } }))
    const { status, body } = await caller.get('status')
    assert.deepEqual([status, body], [410, { message: 'gone' }])
    assert.equal((await caller.request('GET', '/rest_api/13.0/status')).status, 200)
  })

  it('ends the session with any response until the panel is opened again', async () => {
    simulator.faults.start(sessionEnded({ status: 409, body: { message: 'no session' } }))
    for (const path of ['status', 'devices']) assert.equal((await caller.get(path)).status, 409)
    assert.equal((await caller.get('panels')).status, 200)
    await caller.logIn()
    for (const path of ['status', 'devices']) assert.equal((await caller.get(path)).status, 200)
  })

  it('withdraws a version of the installer service', async () => {
    const installer = await installerAt(simulator)
    simulator.faults.start(versionWithdrawn('11.0'))
    assert.match((await installer.get('status')).body, /^<!DOCTYPE html>/)
    assert.deepEqual((await caller.request('GET', '/rest_api/version')).body.installer_versions, ['8.0'])
  })

  it('ends the sessions before each response, as another client would', async () => {
    const end = simulator.faults.start(tokenRevoked('session'), { operation: 'status' })
    assert.equal((await caller.get('status')).status, 440)
    await caller.logIn()
    assert.equal((await caller.get('devices')).status, 200)
    assert.equal((await caller.get('status')).status, 440)
    end()
    await caller.logIn()
    assert.equal((await caller.get('status')).status, 200)
  })

  it('ends the user tokens before each response', async () => {
    simulator.faults.start(tokenRevoked('user'), { operation: 'status' })
    assert.equal((await caller.get('status')).status, 401)
    assert.equal((await caller.get('panels')).status, 401)
  })

  const listed = async () => (await caller.get('events')).body as { event: number }[]
  const errors: [Parameters<typeof wrongEventList>[0], (original: unknown[], changed: unknown[]) => void][] =
    [
      ['empty', (_original, changed) => assert.deepEqual(changed, [])],
      [
        'half',
        (original, changed) => assert.deepEqual(changed, original.slice(0, Math.floor(original.length / 2))),
      ],
      [
        'twice',
        (original, changed) => {
          assert.equal(changed.length, original.length + 1)
          assert.deepEqual(
            changed.filter((entry, place) => JSON.stringify(entry) !== JSON.stringify(changed[place - 1])),
            original,
          )
        },
      ],
      [
        'shuffled',
        (original, changed) => {
          assert.notDeepEqual(changed, original)
          const texts = (list: unknown[]) => list.map((entry) => JSON.stringify(entry)).sort()
          assert.deepEqual(texts(changed), texts(original))
        },
      ],
    ]
  for (const [kind, check] of errors) {
    it(`sends the event list ${kind} and leaves other lists unchanged`, async () => {
      simulator.world.panels[0]?.addEvents(10)
      const [original, devices] = [await listed(), (await caller.get('devices')).body]
      simulator.faults.start(wrongEventList(kind))
      check(original, await listed())
      assert.deepEqual((await caller.get('devices')).body, devices)
      simulator.faults.clear()
      assert.deepEqual(await listed(), original)
    })
  }
})
