import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { ConnectedPanel } from '../../harness/home-assistant/connected-panel.ts'
import { describeWithHomeAssistant, type HomeAssistant } from '../../harness/home-assistant/home-assistant.ts'
import { packedPalette } from '../../harness/home-assistant/packed-palette.ts'
import { Phone } from '../../harness/home-assistant/phone.ts'
import { requestsTo } from '../../harness/simulator.ts'

const page = readFileSync(new URL('../../docs/home-assistant.md', import.meta.url), 'utf8')
const [alarm = '', refusal = '', incident = ''] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
  ([, text]) => text,
)

/** The first blueprint with the trigger and the message of an incident, as the page says. */
const ofIncident = `${alarm.slice(0, alarm.indexOf('triggers:'))}${incident}`

const house = 'keyholder_A1B2C3_1'

/** Makes an automation of a blueprint, as a user does in the form of Home Assistant, and waits until it is on. */
async function addAutomation(
  home: HomeAssistant,
  id: string,
  blueprint: string,
  input: object,
): Promise<void> {
  const path = `keyholder/${id}.yaml`
  home.write(`blueprints/automation/${path}`, blueprint)
  const automation = { alias: id, use_blueprint: { path, input } }
  await home.post(`config/automation/config/${id}`, automation)
  await home.client.until(() => home.client.stateOf(`automation.${id}`)?.state === 'on', id)
}

describeWithHomeAssistant('A blueprint of the documentation, in a real Home Assistant', (home) => {
  let panel: ConnectedPanel
  let phone: Phone

  before(async () => {
    const nodeRed = { palette: await packedPalette() }
    const more = [
      { id: 'incident', type: 'keyholder-incident', wires: [['to broker']] },
      { id: 'to broker', type: 'mqtt out', topic: 'keyholder/incident', broker: 'broker', wires: [] },
    ]
    panel = await ConnectedPanel.open(home.broker, {}, { allowCommands: true }, nodeRed, more)
    await home.client.untilShown(house, 'disarmed')
    phone = await Phone.register(home)
    const inputs = { phone: await phone.deviceId(), event: await home.client.idOf('keyholder_A1B2C3_event') }
    await addAutomation(home, 'alarm', alarm, inputs)
    const result = await home.client.idOf('keyholder_A1B2C3_command')
    await addAutomation(home, 'refused', refusal, { phone: inputs.phone, result })
    await addAutomation(home, 'incident', ofIncident, inputs)
  })
  after(async () => {
    phone?.close()
    await panel?.close()
  })

  it('tells why arming failed', async () => {
    panel.panel.open(2)
    await home.client.untilShown('keyholder_A1B2C3_ready_1', 'off')
    await home.client.act('alarm_control_panel.alarm_arm_away', house)
    const { title, message, data } = await phone.messages.next()
    assert.equal(title, 'Not armed')
    assert.match(message, /Kitchen window \(zone 2\)/)
    assert.equal(data.tag, 'keyholder-refused')
    panel.panel.close(2)
  })

  it('tells an alarm with its place, and one button, which opens Home Assistant and disarms nothing', async () => {
    const smoke = panel.panel.devices.find(({ subtype }) => subtype === 'S_SMOKE_AND_HEAT') ?? assert.fail()
    panel.panel.open(smoke.device_number ?? 0)
    const { title, message, data } = await phone.messages.next(({ data }) => data.tag === 'keyholder-alarm')
    assert.match(title, /: Landing$/)
    assert.match(message, /^At \d\d:\d\d$/)
    assert.equal(data.channel, 'Alarms')
    assert.deepEqual(data.actions, [{ action: 'URI', title: 'Open the alarm panel', uri: '/lovelace' }])
    await home.client.untilShown(house, 'triggered')
    for (const { action } of data.actions ?? []) await phone.press(action)
    await home.client.events.first(({ event_type }) => event_type === 'mobile_app_notification_action')
    // A command that comes later shows that there was none before.
    await home.client.act('alarm_control_panel.alarm_disarm', house)
    await home.client.untilShown(house, 'disarmed')
    assert.equal(requestsTo(panel.harness.simulator, 'set_state'), 1)
  })

  it('tells an incident as one message that grows, with its title and its summary', async () => {
    const { title, message, data } = await phone.messages.first(
      ({ data }) => data.tag !== 'keyholder-alarm' && data.tag !== 'keyholder-refused',
    )
    assert.match(title, /Landing/)
    assert.notEqual(message, '')
    // The id of an incident that was told before the event of its alarm came has no event in it.
    assert.match(String(data.tag), /^keyholder-(A1B2C3|alarm)-\d+-/)
  })
})
