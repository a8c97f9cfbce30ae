import assert from 'node:assert/strict'
import { ConnectedPanel } from '../../../../harness/home-assistant/connected-panel.ts'
import { describeWithMosquitto } from '../../../../harness/mosquitto.ts'
import { requestsTo } from '../../../../harness/simulator.ts'

const serial = 'keyholder/A1B2C3'
const everything = ['alarm_panel', 'zones', 'readings', 'events', 'diagnostics', 'bypass', 'siren']

describeWithMosquitto('The commands of Home Assistant, with a real broker and a real Node-RED', (broker) => {
  let home: ConnectedPanel

  const partition = (id = 1) => home.client.json(`${serial}/partition_${id}/state`)
  /** The results of commands and the events since the test began. */
  let since = 0
  const passed = (path: string) =>
    home.client.messages.all
      .slice(since)
      .filter(({ topic, payload }) => topic === `${serial}/${path}` && payload !== '')
      .map(
        ({ payload }): Record<string, string> =>
          payload.startsWith('{') ? JSON.parse(payload) : { payload },
      )
  const result = async (type: string) => {
    await home.client.until(() => passed('command').some(({ event_type }) => event_type === type), type)
    return passed('command').find(({ event_type }) => event_type === type) ?? assert.fail()
  }

  before(async () => {
    home = await ConnectedPanel.open(broker, { entities: everything })
    await home.client.until(() => home.client.latest.has(`${serial}/announced`))
  })
  beforeEach(() => {
    since = home.client.messages.all.length
  })
  after(() => home?.close())

  it('arm and disarm a partition, and tell who did it', async () => {
    await home.client.publish(`${serial}/partition_1/set`, 'ARM_HOME')
    assert.deepEqual(await result('done'), {
      event_type: 'done',
      action: 'set_state',
      partition: 1,
      state: 'HOME',
      options: [],
    })
    await home.client.until(() => partition()?.state === 'arming' || partition()?.state === 'armed_home')
    await home.client.until(() => passed('event').some(({ event_type }) => event_type === 'arm'))
    await home.client.until(() => home.client.latest.has(`${serial}/armed_by/state`))
    since = home.client.messages.all.length
    await home.client.publish(`${serial}/partition_1/set`, 'DISARM')
    await result('done')
    await home.client.until(() => partition()?.state === 'disarmed')
  })

  it('are refused with the reason as an event, and as an error for a Catch node', async () => {
    home.panel.open(2)
    await home.client.until(() => partition()?.ready === 'OFF')
    await home.client.publish(`${serial}/partition_1/set`, 'ARM_AWAY')
    const { code, reason } = await result('refused')
    assert.equal(code, 'NOT_SETTABLE')
    assert.match(reason ?? '', /Kitchen window \(zone 2\)/)
    const error = await home.harness.messages.from('tab catch').first()
    assert.match(error.error.message, /Kitchen window/)
    home.panel.close(2)
  })

  it('bypass a zone, and the switch shows it at once', async () => {
    const { id } = home.panel.zone(2)
    await home.client.publish(`${serial}/d${id}/bypass/set`, 'ON')
    await home.client.until(() => home.client.json(`${serial}/d${id}/state`)?.bypass === 'ON')
    assert.equal(home.panel.zone(2).traits.bypass?.enabled, true)
    await home.client.until(() => home.client.json(`${serial}/panel/state`)?.bypassed_zones === 'ON')
    await home.client.publish(`${serial}/d${id}/bypass/set`, 'OFF')
    await home.client.until(() => home.client.json(`${serial}/d${id}/state`)?.bypass === 'OFF')
    // A switch may show what is done before the result of the command has come.
    await home.client.until(() => passed('command').length === 2)
  })

  it('turn the siren on and off, and read the panel', async () => {
    await home.client.publish(`${serial}/siren/set`, 'ON')
    await result('done')
    assert.equal(requestsTo(home.harness.simulator, 'activate_siren'), 1)
    await home.client.publish(`${serial}/siren/set`, 'OFF')
    await home.client.until(() => passed('command').length === 2)
    await home.client.publish(`${serial}/refresh/set`, 'PRESS')
    assert.deepEqual(
      passed('command').map(({ event_type }) => event_type),
      ['done', 'done'],
    )
  })

  it('are ignored if they are for something else, and refused for a partition that is not there', async () => {
    const before = requestsTo(home.harness.simulator, 'set_state')
    for (const topic of ['partition_1/get', 'partition_x/set', 'd1/bypass/set', 'partition_1/set/more'])
      await home.client.publish(`${serial}/${topic}`, 'ARM_HOME')
    await home.client.publish('keyholder/012345/partition_1/set', 'ARM_HOME')
    await home.client.publish(`${serial}/partition_9/set`, 'ARM_HOME')
    const { partition: refused } = await result('refused')
    assert.equal(refused, 9)
    assert.equal(passed('command').length, 1)
    assert.equal(requestsTo(home.harness.simulator, 'set_state'), before)
  })

  it('leave events and device triggers, each once, also over a kill', async () => {
    const smoke = home.panel.devices.find(({ subtype }) => subtype === 'S_SMOKE_AND_HEAT') ?? assert.fail()
    home.panel.open(smoke.device_number ?? 0)
    await home.client.until(() => passed('trigger').length > 1)
    assert.deepEqual(
      passed('trigger').map(({ payload }) => payload),
      ['alarm', 'fire'],
    )
    const event = passed('event').find(({ event_type }) => event_type === 'alarm')
    assert.equal(event?.zone_name, 'Landing')
    await home.client.until(() => home.client.json(`${serial}/d${smoke.id}/state`)?.open === 'ON')
    await home.client.until(() => home.client.json(`${serial}/panel/state`)?.triggered === 'ON')
    await home.client.until(() => partition()?.state === 'triggered')
    home.panel.close(smoke.device_number ?? 0)
    await home.client.until(() => passed('event').some(({ event_type }) => event_type === 'alarm_restore'))
    await home.nodeRed.kill()
    home.panel.tamper(3)
    await home.restart()
    await home.client.until(() => passed('trigger').some(({ payload }) => payload === 'tamper'))
    const repeated = passed('event').filter(({ redelivered }) => redelivered === undefined)
    const alarms = repeated.filter(({ event_type }) => event_type === 'alarm')
    assert.equal(alarms.length, 1)
    home.panel.restoreTamper(3)
  })
})

describeWithMosquitto('A panel that flows may not command, with a real broker', (broker) => {
  it('announces no topic for commands, and refuses them', async () => {
    const home = await ConnectedPanel.open(broker, { entities: everything }, { allowCommands: false })
    try {
      await home.client.until(() => home.client.latest.has(`${serial}/announced`))
      const configs = [...home.client.latest].filter(([topic]) => topic.startsWith('homeassistant/'))
      assert.ok(configs.length > 10)
      for (const [topic, payload] of configs) assert.doesNotMatch(payload, /command_topic/, topic)
      await home.client.publish(`${serial}/partition_1/set`, 'ARM_HOME')
      await home.client.until(
        () => home.client.latest.get(`${serial}/command`)?.includes('COMMANDS_DISABLED') === true,
      )
      assert.equal(requestsTo(home.harness.simulator, 'set_state'), 0)
    } finally {
      await home.close()
    }
  })
})

describeWithMosquitto('The code that Home Assistant asks for, with a real broker', (broker) => {
  it('must be the user code; wrong ones are refused, and appear nowhere', async () => {
    const home = await ConnectedPanel.open(broker, { code: 'remote' })
    try {
      await home.client.until(() => home.client.latest.has(`${serial}/announced`))
      const { userCode } = home.harness.simulator
      const send = (code: string) =>
        home.client.publish(`${serial}/partition_1/set`, JSON.stringify({ action: 'ARM_HOME', code }))
      const results = () =>
        home.client.messages.all
          .filter(({ topic }) => topic === `${serial}/command`)
          .map(({ payload }) => JSON.parse(payload))
      const logins = requestsTo(home.harness.simulator, 'panel/login')
      await send('904672163')
      await home.client.until(() => results().length === 1)
      assert.equal(results()[0].code, 'NOT_ALLOWED')
      await send(userCode)
      await home.client.until(() => results().length === 2)
      assert.equal(results()[1].event_type, 'done')
      for (const code of ['904672164', '904672165', '904672166']) await send(code)
      await home.client.until(() => results().length === 5)
      await send(userCode)
      await home.client.until(() => results().length === 6)
      assert.match(results()[5].reason, /none is checked for another \d+ s/)
      assert.equal(requestsTo(home.harness.simulator, 'panel/login'), logins)
      assert.equal(requestsTo(home.harness.simulator, 'set_state'), 1)
      const told = `${home.nodeRed.output}${JSON.stringify(results())}${JSON.stringify(home.harness.messages.all)}`
      for (const code of ['904672163', '904672164', '904672165', '904672166', userCode])
        assert.ok(!told.includes(code), code)
    } finally {
      await home.close()
    }
  })
})
