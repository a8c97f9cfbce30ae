import assert from 'node:assert/strict'
import { type ApiClient, installerAt, type Reply, signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'

const frontDoor = 1
const window = 2
const smoke = 6

describe('the commands of the simulator', () => {
  const at = useSimulatorHarness(signedIn)

  const set = (state: string, more: object = {}) =>
    at.caller.post('set_state', { partition: 1, state, ...more })
  const progress = async ({ body }: Reply) => {
    const [process] = (await at.caller.get(`process_status?process_tokens=${body.process_token}`)).body
    return [process.status, process.error, process.message]
  }
  /** Waits until the panel has executed a command; returns its result. */
  const execute = async (sent: Promise<Reply>) => {
    const reply = await sent
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    at.clock.advance(2000)
    return progress(reply)
  }

  // @spec 3-rule-3
  it('return a token and pass from start through handled to succeeded', async () => {
    const reply = await set('AWAY')
    assert.deepEqual(Object.keys(reply.body), ['process_token'])
    assert.deepEqual(await progress(reply), ['start', null, ''])
    at.clock.advance(1000)
    assert.deepEqual(await progress(reply), ['handled', null, ''])
    assert.equal(at.panel.partitions[0]?.state, 'DISARM')
    at.clock.advance(1000)
    assert.deepEqual(await progress(reply), ['succeeded', null, ''])
    const [house] = (await at.caller.get('status')).body.partitions
    assert.deepEqual([house.state, house.status], ['AWAY', 'EXIT'])
  })

  it('arm, switch the mode and disarm, for one partition or all', async () => {
    for (const [partition, state] of [
      [2, 'AWAY'],
      [2, 'HOME'],
      [-1, 'DISARM'],
      [-1, 'AWAY'],
    ] as const) {
      assert.deepEqual(await execute(set(state, { partition })), ['succeeded', null, ''])
      assert.equal(at.panel.partitions[1]?.state, state)
    }
    assert.equal(at.panel.partitions[2]?.state, 'AWAY')
  })

  it('name the user of the session in the event list', async () => {
    await at.caller.logIn('A1B2C3', at.simulator.secondUserCode)
    await execute(set('HOME'))
    const [event] = at.panel.events
    assert.equal(event?.appointment, 'Ben')
    assert.equal(event?.zone, 2)
    const installer = await installerAt(at.simulator)
    await execute(installer.post('set_state', { partition: 1, state: 'DISARM' }))
    assert.equal(at.panel.events[1]?.appointment, 'Installer')
  })

  it('accept the options of a state, and NOEXIT', async () => {
    await execute(set('AWAY', { options: ['NOENTRY', 'LATCHKEY', 'NOEXIT'] }))
    const [house] = (await at.caller.get('status')).body.partitions
    assert.deepEqual(house, {
      id: 1,
      state: 'AWAY',
      status: '',
      ready: true,
      options: ['NOENTRY', 'LATCHKEY'],
    })
    await execute(set('DISARM'))
    assert.deepEqual((await at.caller.get('status')).body.partitions[0].options, [])
  })

  const wrong: [what: string, fields: object, key: string, value: string][] = [
    ['a partition that is not there', { partition: 9, state: 'AWAY' }, 'partition', 'incorrect'],
    ['a partition as text', { partition: '1', state: 'AWAY' }, 'partition', 'incorrect'],
    ['no partition', { state: 'AWAY' }, 'partition', 'required'],
    ['no state', { partition: 1 }, 'state', 'required'],
    ['an unknown state', { partition: 1, state: 'NIGHT' }, 'state', 'incorrect'],
    ['a state that is not settable', { partition: 1, state: 'PROGRAMMING' }, 'state', 'incorrect'],
    ['an unknown option', { partition: 1, state: 'AWAY', options: ['FAST'] }, 'options', 'incorrect'],
    [
      'the option of another state',
      { partition: 1, state: 'HOME', options: ['LATCHKEY'] },
      'options',
      'incorrect',
    ],
    ['options that are no list', { partition: 1, state: 'AWAY', options: 'NOENTRY' }, 'options', 'incorrect'],
  ]
  for (const [what, fields, key, value] of wrong) {
    // @spec 3-rule-1
    it(`are refused at once: ${what}`, async () => {
      const { status, body } = await at.caller.post('set_state', fields)
      assert.equal(status, 400)
      assert.equal(body.error_reason_code, 'BadRequestParams')
      assert.deepEqual(body.extras, [{ key, value }])
      assert.equal(at.clock.pending, 0)
    })
  }

  it('fail if the panel is not ready to be armed', async () => {
    at.panel.open(window)
    assert.deepEqual(await execute(set('AWAY')), ['failed', 'PMAX_ERROR', 'NotReady'])
    assert.equal(at.panel.events[0]?.type_id, 98)
  })

  // @spec 3-rule-2
  it('fail if the current state does not allow the transition', async () => {
    at.panel.openInstallerMenu()
    for (const state of ['AWAY', 'DISARM']) {
      assert.deepEqual(await execute(set(state)), ['failed', 'PMAX_ERROR', 'InvalidState'])
    }
    at.panel.disarm(-1)
  })

  it('are replaced by a later command and not executed', async () => {
    const earlier = await set('AWAY')
    at.clock.advance(1500)
    const later = await set('HOME')
    assert.deepEqual(await progress(earlier), ['failed', 'PMAX_ERROR', 'Replaced'])
    at.clock.advance(2000)
    assert.deepEqual(await progress(earlier), ['failed', 'PMAX_ERROR', 'Replaced'])
    assert.deepEqual(await progress(later), ['succeeded', null, ''])
    assert.deepEqual(
      at.panel.events.map(({ type_id }) => type_id),
      [85],
    )
  })

  const house = async () => {
    const [{ state, status }] = (await at.caller.get('status')).body.partitions
    return `${state} ${status}`.trim()
  }

  it('start the exit delay, which depends on the speed of the world', async () => {
    at.simulator.world.time.setSpeed(5)
    await set('AWAY')
    at.clock.advance(400)
    assert.equal(await house(), 'AWAY EXIT')
    at.panel.open(frontDoor)
    at.panel.close(frontDoor)
    at.clock.advance(3999)
    assert.equal(await house(), 'AWAY EXIT')
    at.clock.advance(1)
    assert.equal(await house(), 'AWAY')
    assert.deepEqual((await at.caller.get('alarms')).body, [])
  })

  it('disarm during the entry delay, before it becomes an alarm', async () => {
    for (const isInTime of [true, false]) {
      await execute(set('AWAY', { options: ['NOEXIT'] }))
      at.panel.open(frontDoor)
      assert.equal(await house(), 'ENTRY_DELAY')
      at.clock.advance(isInTime ? 10_000 : 20_000)
      assert.equal(await house(), isInTime ? 'ENTRY_DELAY' : 'AWAY')
      assert.equal((await at.caller.get('alarms')).body.length, isInTime ? 0 : 1)
      at.panel.close(frontDoor)
      assert.deepEqual(await execute(set('DISARM')), ['succeeded', null, ''])
      at.clock.advance(60_000)
      assert.equal(await house(), 'DISARM')
    }
  })

  it('arm without entry delay if requested', async () => {
    await execute(set('AWAY', { options: ['NOEXIT', 'NOENTRY'] }))
    at.panel.open(frontDoor)
    assert.equal(await house(), 'AWAY')
    assert.equal((await at.caller.get('alarms')).body.length, 1)
    at.panel.close(frontDoor)
    await execute(set('DISARM'))
  })

  it('do not affect commands to another panel', async () => {
    const cottage = await signedIn(at.simulator, '012345')
    const here = await set('AWAY')
    await cottage.post('set_state', { partition: -1, state: 'AWAY' })
    at.clock.advance(2000)
    assert.deepEqual(await progress(here), ['succeeded', null, ''])
    assert.equal(at.simulator.world.panel('012345').partitions[0]?.state, 'AWAY')
  })

  it('are refused while the panel is offline, and fail if it goes offline in the meantime', async () => {
    const reply = await set('AWAY')
    at.panel.goOffline()
    at.clock.advance(2000)
    assert.deepEqual(await progress(reply), ['failed', 'PMAX_ERROR', 'NotConnected'])
    const { status, body } = await set('AWAY')
    assert.equal(status, 400)
    assert.equal(body.error, 400)
    assert.equal(body.error_reason_code, 'PanelNotConnected')
  })

  it('are accepted while the connection only flaps', async () => {
    at.panel.flap(90)
    assert.deepEqual(await execute(set('HOME')), ['succeeded', null, ''])
  })

  it('report the progress of several commands at once, under both parameter names', async () => {
    const tokens = [(await set('AWAY')).body.process_token, (await set('HOME')).body.process_token]
    const statuses = async (query: string) =>
      (await at.caller.get(`process_status?${query}`)).body.map(({ status }: { status: string }) => status)
    assert.deepEqual(await statuses(`process_tokens=${tokens.join()}`), ['failed', 'start'])
    assert.deepEqual(await statuses(`process_tokens=${tokens.join('&process_tokens=')}`), ['failed', 'start'])
    assert.deepEqual(await statuses(`process_token=${tokens[1]}`), ['start'])
  })

  it('report no progress without a token, for an unknown one, or for one of another panel', async () => {
    const { body } = await set('AWAY')
    const extras = async (asking: ApiClient, query: string) => {
      const reply = await asking.get(`process_status${query}`)
      assert.equal(reply.status, 400)
      return reply.body.extras[0]
    }
    assert.deepEqual(await extras(at.caller, ''), { key: 'process_tokens', value: 'required' })
    const incorrect = { key: 'process_tokens', value: 'incorrect' }
    assert.deepEqual(await extras(at.caller, '?process_tokens=none'), incorrect)
    const cottage = await signedIn(at.simulator, '012345')
    assert.deepEqual(await extras(cottage, `?process_tokens=${body.process_token}`), incorrect)
  })

  it('bypass a zone by its number and end the bypass', async () => {
    const bypassed = async () =>
      (await at.caller.get('devices')).body.find(
        (device: { device_type: string; device_number: number }) =>
          device.device_type === 'ZONE' && device.device_number === window,
      ).traits.bypass.enabled
    for (const wanted of [true, false]) {
      const sent = at.caller.post('set_bypass_zone', { zone: window, set: wanted })
      assert.deepEqual(await execute(sent), ['succeeded', null, ''])
      assert.equal(await bypassed(), wanted)
    }
    assert.deepEqual(
      at.panel.events.map(({ type_id }) => type_id),
      [97],
    )
  })

  it('do not bypass a fire zone, an armed zone or a missing one', async () => {
    const bypass = (zone: number) => at.caller.post('set_bypass_zone', { zone, set: true })
    assert.deepEqual(await execute(bypass(smoke)), ['failed', 'PMAX_ERROR', 'BypassNotAllowed'])
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    assert.deepEqual(await execute(bypass(window)), ['failed', 'PMAX_ERROR', 'NotDisarmed'])
    assert.deepEqual((await bypass(99)).body.extras, [{ key: 'zone', value: 'incorrect' }])
    at.panel.disarm(1)
  })

  it('sound the sirens until they are silenced, the panel is disarmed, or four minutes have passed', async () => {
    const sound = () => execute(at.caller.post('activate_siren', {}))
    assert.deepEqual(await sound(), ['succeeded', null, ''])
    assert.equal(at.panel.siren.sounding, true)
    await execute(at.caller.post('disable_siren', { mode: 'all' }))
    assert.equal(at.panel.siren.sounding, false)
    await sound()
    at.panel.disarm(1)
    assert.equal(at.panel.siren.sounding, false)
    await sound()
    at.clock.advance(239_000)
    assert.equal(at.panel.siren.sounding, true)
    at.clock.advance(1000)
    assert.equal(at.panel.siren.sounding, false)
  })
})
