import assert from 'node:assert/strict'
import { ConnectedPanel } from '../../harness/home-assistant/connected-panel.ts'
import { describeWithHomeAssistant } from '../../harness/home-assistant/home-assistant.ts'
import { RefusedError } from '../../harness/home-assistant/home-assistant-client.ts'
import { packedPalette } from '../../harness/home-assistant/packed-palette.ts'
import { requestsTo } from '../../harness/simulator.ts'

const house = 'keyholder_A1B2C3_1'
const result = 'keyholder_A1B2C3_command'

describeWithHomeAssistant('The commands of a real Home Assistant', (home) => {
  let panel: ConnectedPanel

  const open = async (fields: object) => {
    const entities = ['alarm_panel', 'zones', 'events', 'bypass']
    const nodeRed = { palette: await packedPalette() }
    const commands = { allowCommands: true }
    panel = await ConnectedPanel.open(home.broker, { entities, ...fields }, commands, nodeRed)
    await home.client.untilShown(house, 'disarmed')
  }
  const arm = (how: string, data = {}) => home.client.act(`alarm_control_panel.alarm_${how}`, house, data)
  const sent = () => requestsTo(panel.harness.simulator, 'set_state')
  const bypassOf = (zone: number) => `keyholder_A1B2C3_d${panel.panel.zone(zone).id}_bypass`

  /** Waits for the next result of a command after something was done; returns its attributes. */
  const resultOf = async (work: () => Promise<void>) => {
    const before = (await home.client.shown(result))?.state
    await work()
    await home.client.until(async () => (await home.client.shown(result))?.state !== before, 'a result')
    return (await home.client.shown(result))?.attributes ?? {}
  }

  describe('without a code', () => {
    before(() => open({ openZones: 'bypass' }))
    after(() => panel.close())

    it('arm and disarm the partition, and its card follows', async () => {
      const { event_type } = await resultOf(() => arm('arm_home'))
      assert.equal(event_type, 'done')
      await home.client.untilShown(house, 'arming')
      await home.client.untilShown('keyholder_A1B2C3_armed_by', 'Anna')
      await resultOf(() => arm('disarm'))
      await home.client.untilShown(house, 'disarmed')
    })

    it('are refused by an open zone: the card stays disarmed, and the result has the reason', async () => {
      panel.panel.open(2)
      await home.client.untilShown('keyholder_A1B2C3_ready_1', 'off')
      const before = sent()
      const { event_type, reason } = await resultOf(() => arm('arm_away'))
      assert.equal(event_type, 'refused')
      assert.match(String(reason), /not ready to arm.*Kitchen window \(zone 2\)/)
      assert.equal((await home.client.shown(house))?.state, 'disarmed')
      assert.equal(sent(), before)
    })

    it('arm past the open zone as custom bypass, and take the bypass back when disarmed', async () => {
      const { event_type } = await resultOf(() => arm('arm_custom_bypass'))
      assert.equal(event_type, 'done')
      await home.client.untilShown(bypassOf(2), 'on')
      await resultOf(() => arm('disarm'))
      await home.client.untilShown(bypassOf(2), 'off')
      panel.panel.close(2)
      await home.client.untilShown('keyholder_A1B2C3_ready_1', 'on')
    })

    it('have no night where the panel has none: Home Assistant itself refuses it', async () => {
      await assert.rejects(arm('arm_night'), RefusedError)
    })

    it('bypass a zone by its switch, but not by its area', async () => {
      await home.client.act('switch.turn_on', bypassOf(2))
      await home.client.untilShown(bypassOf(2), 'on')
      await home.client.act('switch.turn_off', bypassOf(2))
      await home.client.untilShown(bypassOf(2), 'off')
      const before = requestsTo(panel.harness.simulator, 'set_bypass_zone')
      const area_id = (await home.client.devices()).get(bypassOf(1).replace(/_bypass$/, ''))?.area_id
      assert.equal(area_id, 'front_door')
      await home.client.call('call_service', {
        domain: 'homeassistant',
        service: 'turn_on',
        target: { area_id },
      })
      // A command that comes later shows that the earlier one was none.
      await home.client.act('switch.turn_on', bypassOf(2))
      await home.client.untilShown(bypassOf(2), 'on')
      assert.equal(requestsTo(panel.harness.simulator, 'set_bypass_zone'), before + 1)
      assert.equal(panel.panel.zone(1).traits.bypass?.enabled, false)
    })

    it('bypass nothing by voice: the switches are not exposed to it', async () => {
      const entityId = await home.client.idOf(bypassOf(1))
      const { options } = await home.client.call<{ options: Record<string, { should_expose?: boolean }> }>(
        'config/entity_registry/get',
        { entity_id: entityId },
      )
      assert.notEqual(options.conversation?.should_expose, true)
    })
  })

  describe('with the user code', () => {
    before(async () => {
      await open({ code: 'remote', instantNight: true })
      // The card of the node before it may still be there.
      await home.client.until(
        async () => (await home.client.shown(house))?.attributes.code_format === 'number',
        'a card that asks for a code',
      )
    })
    after(() => panel.close())

    it('need a code: Home Assistant itself asks for it', async () => {
      await assert.rejects(arm('arm_home'), RefusedError)
    })

    it('are refused with a wrong code, and sent with the right one', async () => {
      const before = sent()
      const refused = await resultOf(() => arm('arm_home', { code: '904672163' }))
      assert.equal(refused.event_type, 'refused')
      assert.equal(refused.code, 'NOT_ALLOWED')
      assert.equal(sent(), before)
      const code = panel.harness.simulator.userCode
      const done = await resultOf(() => arm('arm_home', { code }))
      assert.equal(done.event_type, 'done')
      await home.client.untilShown(house, 'arming')
      const off = await resultOf(() => arm('disarm', { code: '904672164' }))
      assert.equal(off.event_type, 'refused')
      await resultOf(() => arm('disarm', { code }))
      await home.client.untilShown(house, 'disarmed')
      for (const told of [refused, done, off]) assert.ok(!JSON.stringify(told).includes(code))
    })

    it('arm for the night as HOME without entry delay, where the node offers it', async () => {
      const code = panel.harness.simulator.userCode
      const { event_type } = await resultOf(() => arm('arm_night', { code }))
      assert.equal(event_type, 'done')
      assert.deepEqual(
        [panel.panel.partitions[0]?.state, panel.panel.partitions[0]?.options],
        ['HOME', ['NOENTRY']],
      )
      await resultOf(() => arm('disarm', { code }))
      await home.client.untilShown(house, 'disarmed')
      panel.panel.arm(1, 'HOME', { instant: true, exitDelay: 0 })
      await home.client.untilShown(house, 'armed_night')
    })
  })
})
