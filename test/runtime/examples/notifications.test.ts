import assert from 'node:assert/strict'
import { until } from '../../../harness/clock/until.ts'
import { cursorsSaved } from '../../../harness/cursors/cursor-files.ts'
import {
  bedroomWindow,
  frontDoor,
  ImportedExamples,
  kitchenWindow,
} from '../../../harness/node-red/imported-examples.ts'
import { RestartedNodeRed } from '../../../harness/node-red/restarted-node-red.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'

const alarm = 'Alarm to the phone'
const armed = 'Armed with a window open'
const digest = 'Battery and trouble digest'
const trend = 'Temperature trend'
const home = 'Who came home'

const livingRoom = 4
const hallway = 5
const clock = /, (Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:\d\d$/

describe('The examples that notify, in a real Node-RED', () => {
  let site: RestartedNodeRed
  let examples: ImportedExamples

  /** Waits for another second: an alarm in the second in which the one before ended is part of it. */
  const nextSecond = async () => {
    const second = () => Math.floor(examples.panel.clock.now() / 1000)
    const now = second()
    await until(() => second() > now)
  }

  before(async () => {
    site = await RestartedNodeRed.open()
    examples = await ImportedExamples.open([alarm, armed, digest, trend, home], {}, { site })
    const { messages } = examples.harness
    await messages.from(`${digest}: notification`).first()
  })
  after(() => site?.close())
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  // First, because the end of another alarm hides the first sign of an alarm for a minute.
  it('call nobody for an alarm that a disarm stops before its report, and once for an alarm that is reported', async () => {
    const { panel } = examples
    const calls = examples.harness.messages.from(`${alarm}: call or siren`)
    const before = calls.all.length
    panel.setOptions({ abortTime: 240 })
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(bedroomWindow)
    await examples.waitForNotification(alarm, / Not reported by the panel yet\./)
    panel.close(bedroomWindow)
    panel.disarm(1, { user: 'Ben' })
    await examples.waitForNotification(alarm, / Stopped before the panel reported it\./)
    assert.equal(calls.all.length, before)
    await nextSecond()
    panel.setOptions({ abortTime: 0 })
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(kitchenWindow)
    await until(() => calls.all.length > before)
    panel.open(bedroomWindow)
    await examples.waitForNotification(alarm, /[AP]M, then Bedroom window /)
    panel.close(bedroomWindow)
    panel.close(kitchenWindow)
    panel.disarm(1, { user: 'Ben' })
    await examples.waitForNotification(alarm, /then Bedroom window .* Over .*, disarmed by Ben\./)
    assert.deepEqual(
      calls.all.slice(before).map(({ title }) => title),
      ['Burglary: Kitchen window'],
    )
  })

  it('report an alarm with its zone, and the user who canceled it', async () => {
    const panel = examples.panel
    const before = examples.notifications(alarm).length
    const sent = () => examples.harness.messages.from(`${alarm}: notification`).all.slice(before)
    await nextSecond()
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(kitchenWindow)
    const isOpen = ({ payload }: FlowMessage) => /^\d+:\d\d\s[AP]M\. Not over\. Armed by Anna /.test(payload)
    await until(() => sent().some(isOpen))
    panel.close(kitchenWindow)
    panel.disarm(1, { user: 'Ben' })
    await until(() => / Over \d+:\d\d\s[AP]M, disarmed by Ben\./.test(String(sent().at(-1)?.payload)))
    assert.deepEqual(
      [sent()[0]?.title, sent().at(-1)?.title],
      ['Burglary: Kitchen window', 'Over: Burglary, Kitchen window'],
    )
    assert.equal(new Set(sent().map(({ id }) => id)).size, 1)
    assert.deepEqual([sent()[0]?.rings, sent().at(-1)?.rings], [true, false])
  })

  it('report a panic alarm with the name of the user, and a flood, but never a duress alarm', async () => {
    const panel = examples.panel
    await nextSecond()
    panel.log({ type_id: 15, appointment: 'Dmitri', device_type: 'USER', zone: 4, zone_name: 'Dmitri' })
    panel.log({ type_id: 5, appointment: 'Chiara', device_type: 'USER', zone: 3, zone_name: 'Chiara' })
    await examples.harness.messages
      .from(`${alarm}: notification`)
      .first(({ title }) => title === 'Panic: Chiara')
    panel.log({
      type_id: 81,
      appointment: 'Utility room',
      device_type: 'ZONE',
      zone: 7,
      zone_name: 'Utility room',
    })
    await examples.waitForNotification(alarm, /, then Utility room .* Not over/)
    panel.log({ type_id: 31, appointment: 'Ben', device_type: 'USER', zone: 2, zone_name: 'Ben' })
    await examples.waitForNotification(alarm, /, then Utility room .* Over .* by Ben/)
    assert.equal(examples.notifications(alarm).filter((text) => text.includes('Dmitri')).length, 0)
  })

  it('can send a test notification without an alarm', async () => {
    await examples.press(alarm, 'try it')
    await examples.waitForNotification(alarm, /^This is how an alarm comes\.$/)
  })

  it('name the open windows in a partition that was armed', async () => {
    const panel = examples.panel
    panel.open(kitchenWindow)
    panel.open(bedroomWindow)
    panel.bypass(kitchenWindow, true)
    panel.bypass(bedroomWindow, true)
    assert.ok(panel.arm(1, 'HOME', { exitDelay: 0 }))
    assert.equal(
      await examples.waitForNotification(armed, /House is armed \(HOME\)/),
      'Our house, House is armed (HOME), but open: Kitchen window, Bedroom window',
    )
    panel.arm(2, 'AWAY', { exitDelay: 0 })
    assert.equal(
      await examples.waitForNotification(armed, /Workshop/),
      'Our house, Workshop is armed (AWAY), everything is closed',
    )
    await examples.press(armed, 'read open zones now')
    assert.equal(
      await examples.waitForNotification(armed, /now/),
      'Our house: open now: Kitchen window, Bedroom window',
    )
  })

  it('report low batteries and other troubles, and nothing else', async () => {
    const panel = examples.panel
    const count = panel.devices.length
    const [first] = examples.notifications(digest)
    assert.equal(first, `Our house, ${count} devices\nNo low battery, no trouble`)
    panel.lowBattery(panel.zone(bedroomWindow).id)
    panel.tamper(livingRoom)
    panel.tamper(hallway)
    panel.restoreTamper(hallway)
    panel.open(frontDoor)
    await examples.press(digest, 'every day at 8:00')
    assert.equal(
      await examples.waitForNotification(digest, /Batteries/),
      `Our house, ${count} devices\nBatteries to change: Bedroom window\nTroubles: Living room (cover open or moved)`,
    )
    // Nothing could be armed with these.
    panel.restoreTamper(livingRoom)
    panel.restoreBattery(panel.zone(bedroomWindow).id)
  })

  it('report a rising and a falling temperature, once each', async () => {
    const panel = examples.panel
    const { id } = panel.zone(livingRoom)
    const measured = async (beginning: string) => {
      const { messages } = examples.harness
      const from = `${trend}: every measurement`
      await messages.until(() => examples.texts(from).some((text) => text.startsWith(beginning)), beginning)
    }
    await measured('Living room: 20.5 °C, steady')
    panel.measure(id, 'temperature', 20.7)
    await measured('Living room: 20.7 °C, steady')
    panel.measure(id, 'temperature', 21.5)
    assert.match(
      await examples.waitForNotification(trend, /rising/),
      /^Living room: 21\.5 °C, rising \(20\.5 °C .+ ago\)$/,
    )
    panel.measure(id, 'temperature', 22)
    await measured('Living room: 22 °C, rising')
    panel.measure(id, 'temperature', 19.5)
    assert.match(
      await examples.waitForNotification(trend, /falling/),
      /^Living room: 19\.5 °C, falling \(20\.5 °C .+ ago\)$/,
    )
    assert.equal(examples.notifications(trend).length, 2)
  })

  it('report who came home, but not who disarmed in the morning', async () => {
    const panel = examples.panel
    panel.arm(1, 'HOME', { exitDelay: 0, user: 'Dmitri' })
    panel.disarm(1, { user: 'Dmitri' })
    panel.arm(1, 'AWAY', { exitDelay: 0, user: 'Dmitri' })
    panel.disarm(1, { user: 'Chiara' })
    const text = await examples.waitForNotification(home, /Chiara/)
    assert.match(text, /^Chiara came home, /)
    assert.match(text, clock)
    assert.equal(examples.notifications(home).filter((text) => text.includes('Dmitri')).length, 0)
    await examples.press(home, 'try it: Anna comes home')
    await examples.waitForNotification(home, /^Anna came home$/)
  })

  it('report lost events, because an alarm may be among them', async () => {
    examples.panel.clearEvents()
    examples.panel.addEvents(3)
    await examples.waitForNotification(alarm, /There may be an alarm among them/)
  })

  it('report alarms that were over at a restart in one quiet message, and nothing twice', async () => {
    const panel = examples.panel
    // A message in flight when Node-RED stops is sent again.
    await cursorsSaved(site.harness)
    await site.stop()
    const before = examples.notifications(alarm)
    const user = { appointment: 'Ben', device_type: 'USER', zone: 2, zone_name: 'Ben' }
    for (const type_id of [13, 31, 14, 31]) {
      await nextSecond()
      panel.log({ type_id, ...user })
    }
    site.start()
    const text = await examples.waitForNotification(alarm, /\n/)
    const line = String.raw`Over: Panic, Ben: .* Over .*, disarmed by Ben\..*`
    assert.match(text, new RegExp(`^${line}\n${line}$`))
    const { title, rings } = examples.harness.messages.from(`${alarm}: notification`).all.at(-1) ?? {}
    assert.deepEqual([title, rings], ['Already over', false])
    assert.deepEqual(examples.notifications(alarm).slice(before.length), [text])
  })
})
