import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { until } from '../../../harness/clock/until.ts'
import { type ApiClient, installerAt, type Reply, signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { cutAfter, hang, latency, reset } from '../../../src/simulator/faults/network-faults.ts'
import { emptyBody, invalidJson, status } from '../../../src/simulator/faults/response-faults.ts'
import {
  commandLost,
  panelRefuses,
  processesLost,
  sessionEnded,
  slowPanel,
  staysHandled,
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

describe('a command fault', () => {
  const at = useSimulatorHarness(signedIn)

  const arm = (state = 'AWAY') => at.caller.post('set_state', { partition: 1, state, options: ['NOEXIT'] })
  const asked = ({ body }: Reply) => at.caller.get(`process_status?process_tokens=${body.process_token}`)
  const progress = async (sent: Reply) => {
    const [process] = (await asked(sent)).body
    return [process.status, process.message]
  }
  const state = () => at.panel.partitions[0]?.state

  it('delays commands by seconds of the simulated world', async () => {
    at.simulator.faults.start(slowPanel(30))
    at.simulator.world.time.setSpeed(10)
    const sent = await arm()
    at.clock.advance(100)
    assert.deepEqual(await progress(sent), ['handled', ''])
    at.clock.advance(2899)
    assert.deepEqual([...(await progress(sent)), state()], ['handled', '', 'DISARM'])
    at.clock.advance(1)
    assert.deepEqual([...(await progress(sent)), state()], ['succeeded', '', 'AWAY'])
  })

  it('keeps an executed command "handled" and never reports it as replaced', async () => {
    at.simulator.faults.start(staysHandled())
    const sent = await arm()
    at.clock.advance(60_000)
    assert.deepEqual([...(await progress(sent)), state()], ['handled', '', 'AWAY'])
    await arm('HOME')
    assert.deepEqual(await progress(sent), ['handled', ''])
  })

  it('loses a command on the way to the panel until a later one replaces it', async () => {
    const end = at.simulator.faults.start(commandLost())
    const sent = await arm()
    end()
    at.clock.advance(3_600_000)
    assert.deepEqual([...(await progress(sent)), state()], ['start', '', 'DISARM'])
    await arm('HOME')
    assert.deepEqual(await progress(sent), ['failed', 'Replaced'])
    at.clock.advance(2000)
    assert.equal(state(), 'HOME')
  })

  it('makes the panel refuse a command with a reason and not execute it', async () => {
    at.simulator.faults.start(panelRefuses('Replaced'))
    const sent = await arm()
    at.clock.advance(2000)
    assert.deepEqual([...(await progress(sent)), state()], ['failed', 'Replaced', 'DISARM'])
    assert.equal(at.panel.events.length, 0)
  })

  it('applies to the whole course of one command and to no other', async () => {
    const end = at.simulator.faults.start(slowPanel(20), { operation: 'set_state', times: 1 })
    const slow = await arm()
    end()
    at.clock.advance(19_999)
    assert.deepEqual(await progress(slow), ['handled', ''])
    at.clock.advance(1)
    assert.deepEqual(await progress(slow), ['succeeded', ''])
    const swift = await arm('HOME')
    at.clock.advance(2000)
    assert.deepEqual(await progress(swift), ['succeeded', ''])
  })

  it('combines with other command faults', async () => {
    at.simulator.faults.start(slowPanel(20))
    at.simulator.faults.start(panelRefuses('Busy'))
    const sent = await arm()
    at.clock.advance(19_999)
    assert.deepEqual(await progress(sent), ['handled', ''])
    at.clock.advance(1)
    assert.deepEqual(await progress(sent), ['failed', 'Busy'])
  })

  it('loses the progress of commands while the panel still executes them', async () => {
    const sent = await arm()
    const end = at.simulator.faults.start(processesLost())
    assert.equal((await at.caller.get('status')).status, 200)
    assert.deepEqual((await asked(sent)).body.extras, [{ key: 'process_tokens', value: 'incorrect' }])
    end()
    at.clock.advance(2000)
    assert.equal((await asked(sent)).status, 400)
    assert.equal(state(), 'AWAY')
    at.simulator.faults.start(processesLost('empty list'))
    assert.deepEqual((await asked(await arm('HOME'))).body, [])
  })

  /** Sends a command whose response is lost; returns the final state. */
  const stateAfterLoss = async (fault: Fault) => {
    let isSent = false
    const send: Fault['send'] = (getResponse, writer) => {
      if (fault.send) fault.send(getResponse, writer)
      else writer.send(getResponse())
      isSent = true
    }
    const end = at.simulator.faults.start({ ...fault, send })
    const reply = arm().catch(() => undefined)
    await until(() => isSent)
    end()
    await reply
    at.clock.advance(2000)
    return state()
  }

  for (const make of [
    () => reset('done'),
    () => hang('done'),
    () => cutAfter(0, 'done'),
    () => cutAfter(5, 'done'),
    () => latency(3_600_000),
    () => status(504, { isExecuted: true }),
    () => emptyBody(),
    () => invalidJson(),
  ]) {
    it(`loses the response to an executed command: ${make().name}`, async () => {
      assert.equal(await stateAfterLoss(make()), 'AWAY')
    })
  }

  for (const make of [
    () => reset('not done'),
    () => hang('not done'),
    () => cutAfter(0, 'not done'),
    () => cutAfter(5, 'not done'),
    () => status(504),
  ]) {
    it(`loses a command that is not executed: ${make().name}`, async () => {
      assert.equal(await stateAfterLoss(make()), 'DISARM')
    })
  }

  it('is replaced by an option where slow commands are normal', async () => {
    await at.simulator.close()
    const commands = { secondsUntilHandled: 0, secondsUntilDone: 5 }
    at.simulator = await startSimulator({ clock: at.clock, commands })
    at.panel = at.simulator.world.panel('A1B2C3')
    at.caller = await signedIn(at.simulator)
    const sent = await arm()
    at.clock.advance(4999)
    assert.deepEqual(await progress(sent), ['handled', ''])
    at.clock.advance(1)
    assert.deepEqual([...(await progress(sent)), state()], ['succeeded', '', 'AWAY'])
  })
})
