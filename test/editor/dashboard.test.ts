import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ElementHandle, Locator, Page } from 'playwright-core'
import { type Contrast, contrasts } from '../../harness/browser/contrast.ts'
import { at } from '../../harness/browser/dialogs/config-nodes.ts'
import { looks } from '../../harness/browser/look.ts'
import { misfits } from '../../harness/browser/narrow-page.ts'
import { type WatchedPage, watchedPage } from '../../harness/browser/watched-page.ts'
import { until } from '../../harness/clock/until.ts'
import { harness } from '../../harness/mocha/browser.ts'
import type { NodeRedProcess } from '../../harness/node-red/node-red-process.ts'
import { neededPalettes } from '../../harness/node-red/npm.ts'
import type { FlowNode } from '../../harness/node-red/recorded-flow.ts'
import { hang, latency } from '../../src/simulator/faults/network-faults.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'

const longestInstallation = 240_000

const example = new URL('../../examples/Dashboard.json', import.meta.url)
/** Names as long as those of German houses. */
const longNames: Record<string, string> = {
  'Kitchen window': 'Küchenfenster links',
  'Bedroom window': 'Schlafzimmerfenster',
  'Living room': 'Wohnzimmer',
  'Utility room': 'Hauswirtschaftsraum',
  'Winter garden': 'Wintergarten',
}
const markup = '<img src=x onerror=alert(1)> & {{ 7 * 7 }}'

// The page follows the device and not the editor's theme, and no Node-RED has a part in it. That the flow runs in each of them,
// test/compatibility shows.
for (const look of looks.filter(({ nodeRed, theme }) => nodeRed === '5.0' && theme === 'light')) {
  describe(`The dashboard example in Node-RED ${look.nodeRed}`, () => {
    let simulator: Simulator
    let watched: WatchedPage
    /** The page for the wall, and the one with the details. */
    let page: Page
    let details: WatchedPage
    let nodeRed: NodeRedProcess
    let flows: FlowNode[]

    before(async function () {
      this.timeout(longestInstallation)
      simulator = await startSimulator()
      flows = atSimulator(JSON.parse(await readFile(example, 'utf8')), simulator)
      const { browser, ...room } = await opened(neededPalettes(flows))
      nodeRed = room.nodeRed
      await nodeRed.deploy(flows)
      watched = await watchedPage(browser)
      page = watched.page
      await page.goto(new URL('dashboard/alarm-panel', await nodeRed.url).href)
      details = await watchedPage(browser)
      await details.page.goto(new URL('dashboard/alarm-details', await nodeRed.url).href)
      await partition(1).waitFor()
    })

    after(async () => {
      await details?.close()
      await watched?.close()
      await simulator?.close()
    })

    afterEach('the page reported no error', () =>
      assert.deepEqual([...watched.complaints.splice(0), ...details.complaints.splice(0)], []),
    )

    it('shows every partition, and follows an arming at the console page', async () => {
      const {
        page: console,
        complaints,
        close,
      } = await watchedPage(page.context().browser() ?? assert.fail())
      await console.goto(simulator.url)
      assert.deepEqual(await texts(partition(), 'h2'), ['House', 'Workshop', 'Garage'])
      await says(partition(2), 'Disarmed')
      const keypad = console.getByRole('group', { name: 'Workshop, keypad' })
      await keypad.getByRole('button', { name: 'Away' }).click()
      await says(partition(2), 'Arming', 'exit delay')
      await says(partition(1), 'Disarmed')
      await console.getByRole('button', { name: 'Intrusion' }).click()
      await says(partition(1), 'ALARM')
      await showPage()
      for (const name of ['House', 'Workshop']) {
        const keypad = console.getByRole('group', { name: `${name}, keypad` })
        await keypad.getByRole('button', { name: 'Disarm' }).click()
      }
      await says(partition(1), 'Disarmed')
      await says(partition(2), 'Disarmed')
      assert.deepEqual(complaints, [])
      await close()
    })

    it('arms by a button: shows that the command is running, then counts down the seconds between answers', async () => {
      // The command keeps running until the page has shown it, on slow machines too.
      const proceed = simulator.faults.start(hang(), { operation: 'process_status' })
      await key(2, 'Arm home').click()
      await says(partition(2), 'Being armed')
      proceed()
      await says(partition(2), 'Arming', 'exit delay')
      const recover = simulator.faults.start(latency(4000), { operation: 'status' })
      const { from, to } = await countdownBetweenAnswers()
      assert.ok(from <= 20 && to > 0, `${from} to ${to}`)
      recover()
      await partition(2).getByText('Being armed').waitFor({ state: 'detached' })
      assert.equal(requestsTo('set_state'), 1)
    })

    it('disarms only after a confirmation', async () => {
      const before = requestsTo('set_state')
      await key(2, 'Disarm').click()
      await says(partition(2), 'Disarm Workshop?')
      await key(2, 'No').click()
      assert.equal(requestsTo('set_state'), before)
      await key(2, 'Disarm').click()
      await key(2, 'Yes, disarm').click()
      await says(partition(2), 'Disarmed')
      assert.equal(requestsTo('set_state'), before + 1)
    })

    it('shows why arming is refused, and names the zone', async () => {
      const before = requestsTo('set_state')
      homePanel().open(2)
      await key(1, 'Arm away').click()
      const refused = partition(1).locator('.refused')
      await refused.waitFor()
      assert.equal(
        await refused.innerText(),
        'House (partition 1) is not ready to arm. Close or bypass: Kitchen window (zone 2).',
      )
      assert.equal(requestsTo('set_state'), before)
      homePanel().close(2)
      await refused.waitFor({ state: 'detached' })
      await key(1, 'Arm home').click()
      await says(partition(1), 'Arming')
      assert.equal(await refused.count(), 0)
      await key(1, 'Disarm').click()
      await key(1, 'Yes, disarm').click()
      await says(partition(1), 'Disarmed')
    })

    it('names the open zone before a press, and arms past it by a button that comes only after a refusal', async () => {
      const panel = homePanel()
      panel.open(2)
      await readNow('Zones')
      await says(partition(1), 'not ready to arm: Kitchen window')
      const anyway = key(1, 'Arm anyway (Kitchen window open)')
      assert.equal(await anyway.count(), 0)
      await key(1, 'Arm away').click()
      await anyway.waitFor()
      panel.close(2)
      await anyway.waitFor({ state: 'detached' })
      await says(partition(1), 'House', 'Disarmed', 'Arm away')
      panel.open(2)
      await says(partition(1), 'not ready to arm')
      await key(1, 'Arm away').click()
      const before = requestsTo('set_state')
      await anyway.dblclick()
      await says(partition(1), 'Arming')
      await says(partition(1), 'Bypassed: Kitchen window')
      await anyway.waitFor({ state: 'detached' })
      assert.equal(requestsTo('set_state'), before + 1)
      await key(1, 'Disarm').click()
      await key(1, 'Yes, disarm').click()
      await says(partition(1), 'House', 'Disarmed')
      panel.close(2)
      await says(partition(1), 'Disarmed', 'Arm away')
    })

    it('says what an alarm is and where, in words, also when it is over', async () => {
      const panel = homePanel()
      panel.arm(1, 'AWAY', { exitDelay: 0 })
      panel.open(2)
      await says(partition(1), 'ALARM, House', 'Burglary', 'Kitchen window')
      await says(page.getByRole('alert'), 'ALARM, House. Burglary: Kitchen window')
      const screen = page.viewportSize()
      const alarm = page.getByRole('dialog', { name: 'Alarm' })
      assert.deepEqual(await alarm.boundingBox(), { x: 0, y: 0, ...screen })
      assert.equal(await page.locator('.v-app-bar').isVisible(), false)
      panel.close(2)
      panel.disarm(1)
      await says(partition(1), 'Disarmed', 'Past alarm: Kitchen window')
      assert.doesNotMatch(await partition(1).innerText(), /BURGLER|_/)
    })

    it('shows a fire as its biggest word, with a flame and not with a bell', async () => {
      const panel = homePanel()
      const { device_number: fire } =
        panel.devices.find(({ zone_type }) => zone_type === 'FIRE') ?? assert.fail()
      panel.open(fire)
      await says(partition(1), 'ALARM, House', 'Fire')
      const [, place, past] = await texts(partition(1), '.says > p')
      assert.match(place ?? '', /^(?!Past alarm).+ \d/)
      assert.match(past ?? '', /^Past alarm: Kitchen window/)
      const words = partition(1).locator('.value')
      assert.equal(await words.innerText(), 'Fire')
      assert.match((await partition(1).locator('.sign').getAttribute('class')) ?? '', /mdi-fire/)
      const sizes = await partition(1)
        .locator('.says > *')
        .evaluateAll((all) =>
          all.map((one) => [one.className, Number.parseFloat(getComputedStyle(one).fontSize)] as const),
        )
      const biggest = Math.max(...sizes.map(([, size]) => size))
      assert.deepEqual(
        sizes.filter(([, size]) => size === biggest).map(([name]) => name),
        ['value'],
      )
      panel.close(fire)
      await says(partition(1), 'Disarmed')
    })

    it('shows the alarms of two partitions on one screen, one beside or below the other, and disarms each', async () => {
      const panel = homePanel()
      for (const id of [1, 2]) panel.arm(id, 'AWAY', { exitDelay: 0 })
      panel.open(2)
      panel.open(10)
      await says(partition(1), 'ALARM, House', 'Burglary', 'Kitchen window')
      await says(partition(2), 'ALARM, Workshop', 'Burglary', 'Workshop')
      assert.equal(await partition().count(), 2)
      const both = 'ALARM, House. Burglary: Kitchen window. ALARM, Workshop. Burglary: Workshop'
      await says(page.getByRole('alert'), both)
      for (const { scheme, width, height } of [
        { scheme: 'light', width: 1280, height: 900 },
        { scheme: 'dark', width: 1024, height: 768 },
        { scheme: 'dark', width: 390, height: 844 },
      ] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.setViewportSize({ width, height })
        const [one, other] = await Promise.all([1, 2].map((id) => partition(id).boundingBox()))
        assert.ok(one && other)
        assert.ok(one.x + one.width <= other.x || one.y + one.height <= other.y, `${width}: they overlap`)
        for (const button of await page.getByRole('dialog').getByRole('button').all()) {
          const box = (await button.boundingBox()) ?? assert.fail()
          assert.ok(box.y >= 0 && box.y + box.height <= height, `${await button.innerText()} at ${width}`)
        }
        assert.deepEqual(await unreadable(page.getByRole('dialog')), [])
      }
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: 1280, height: 900 })
      panel.close(10)
      for (const id of [2, 1]) {
        await key(id, 'Disarm').click()
        await key(id, 'Yes, disarm').click()
        await until(() => panel.partitions.some((one) => one.plan.id === id && one.state === 'DISARM'))
      }
      panel.close(2)
      // The panel forgets past alarms of a partition when it is armed.
      panel.arm(2, 'AWAY', { exitDelay: 0 })
      panel.disarm(2)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await says(partition(3), 'Garage', 'Disarmed')
    })

    it('moves the focus to Disarm in an alarm, keeps it on the alarm, and shows the page after Escape', async () => {
      const panel = homePanel()
      panel.arm(1, 'AWAY', { exitDelay: 0 })
      panel.open(2)
      await page.getByRole('dialog').waitFor()
      await focused('Disarm')
      assert.deepEqual(await tabOrder(3), ['Show the page', 'none', 'Disarm'])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await focused('Disarm')
      await page.keyboard.press('Enter')
      await focused('Yes, disarm')
      await page.keyboard.press('Escape')
      await focused('Disarm')
      panel.close(2)
      panel.disarm(1)
      await says(partition(1), 'Disarmed')
    })

    it('shows the running alarm with its zones in their order, and who disarmed, but no threat', async () => {
      const panel = homePanel()
      const alarm = group('Latest alarm')
      // Events have whole seconds, and an alarm in the second in which the one before ended is part of it.
      const second = () => Math.floor(panel.clock.now() / 1000)
      const ended = second()
      await until(() => second() > ended)
      panel.arm(1, 'AWAY', { exitDelay: 0, user: 'Alex' })
      panel.open(3)
      await showPage()
      await says(alarm, 'Burglary', 'not over yet')
      await says(alarm, 'Bedroom window')
      panel.open(2)
      panel.log({ type_id: 15, device_type: 'USER', zone: 3, partitions: [1], appointment: 'Robin' })
      await says(alarm, 'Kitchen window')
      assert.deepEqual(await texts(alarm.locator('li'), 'strong'), ['Bedroom window', 'Kitchen window'])
      await says(alarm, 'by Alex')
      panel.close(2)
      panel.close(3)
      await says(alarm, 'all restored, but not over yet')
      await readNow('Needs attention')
      await says(group('Needs attention').locator('tr').first(), 'alarm', 'Burglary: ')
      assert.equal(await page.locator('.state.calm').count(), 0, 'green during an alarm')
      await says(partition(2), 'Disarmed', 'An alarm is not over yet')
      panel.disarm(1, { user: 'Robin' })
      const old = alarm.locator('details')
      await says(old, 'Latest alarm: Burglary, Bedroom window')
      assert.equal(await old.getAttribute('open'), null)
      await old.locator('summary').click()
      await says(alarm, 'by Robin')
      await says(alarm, 'Burglary', 'over')
      assert.doesNotMatch(await alarm.innerText(), /duress|threat|undefined|null/i)
      assert.doesNotMatch(await group('Needs attention').innerText(), /duress|threat|Robin/i)
      await says(group('Events'), 'Cancel Alarm', 'Robin')
      assert.doesNotMatch(await group('Events').innerText(), /duress|threat/i)
      assert.equal(await alarm.locator('[data-incident]').count(), 1)
    })

    it('lists what needs attention, the newest first, until nothing does', async () => {
      const panel = homePanel()
      const attention = group('Needs attention')
      // The panel forgets past alarms when it is armed.
      panel.arm(1, 'AWAY', { exitDelay: 0 })
      panel.disarm(1)
      await readNow('Needs attention')
      await says(attention, 'Nothing needs attention.')
      panel.lowBattery(panel.zone(4).id)
      await readNow('Needs attention')
      await says(attention, 'Low battery: Living room')
      panel.open(2)
      await readNow('Needs attention')
      await says(attention.locator('[data-condition=open]'), 'Kitchen window has been open since')
      const kinds = await attention
        .locator('[data-condition]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-condition')))
      assert.deepEqual(kinds, ['open', 'battery'])
      await says(attention.locator('[data-condition=open]'), 'just now')
      await says(attention, '2 in the list, newest first')
      panel.close(2)
      panel.restoreBattery(panel.zone(4).id)
      await readNow('Needs attention')
      await says(attention, 'Nothing needs attention.')
    })

    it('shows which zones are open, bypassed or in trouble after Read now, in words', async () => {
      const panel = homePanel()
      panel.open(2)
      panel.bypass(3, true)
      panel.lowBattery(panel.zone(4).id)
      panel.tamper(5)
      await readNow('Zones')
      await says(zone(1), '1', 'Front door', 'closed')
      await says(zone(2), '2', 'Kitchen window', 'open')
      await says(zone(3), '3', 'Bedroom window', 'closed', 'bypassed')
      await says(zone(4), '4', 'Living room', '–', 'low battery')
      await says(zone(5), '5', 'Hallway', '–', 'cover open or moved')
      await says(group('Zones'), '1 of 5 open')
      panel.close(2)
      panel.restoreTamper(5)
      await readNow('Zones')
      await says(group('Zones'), '0 of 5 open')
    })

    it('shows the newest fifty events, the newest at the top', async () => {
      homePanel().addEvents(60)
      homePanel().log({
        type_id: 5,
        appointment: 'Chiara',
        device_type: 'USER',
        zone: 3,
        zone_name: 'Chiara',
      })
      const rows = group('Events').locator('tbody tr')
      await says(rows.first(), 'alarm', 'Panic', 'Chiara')
      assert.equal(await rows.count(), 50)
      await says(group('Events'), '50 events, newest first')
    })

    it('shows all zones without scrolling, and at the end of a longer list that it goes on', async () => {
      const list = (name: string) => group(name).locator('.list')
      const isCut = (element: Element) => element.scrollHeight > element.clientHeight
      assert.equal(await list('Zones').evaluate(isCut), false)
      assert.equal(await list('Events').evaluate(isCut), true)
      const shadows = await list('Events').evaluate(
        (element) => getComputedStyle(element).backgroundAttachment,
      )
      assert.equal(shadows, 'local, scroll')
    })

    it('names the service and its modules in words', async () => {
      homePanel().log({ type_id: 993, appointment: 'IPMP', device_type: 'IPMP', zone: null, zone_name: '' })
      await says(group('Events'), 'Broadband module has gone offline', 'the alarm service')
      assert.doesNotMatch(await group('Events').innerText(), /IPMP|BBA/)
    })

    it('shows the radio signal of every device in words, with the date of the survey', async () => {
      const rows = group('Radio signal').locator('tbody tr')
      await says(rows.filter({ hasText: 'Front door' }), 'strong', '3/14/2026')
      await says(rows.filter({ hasText: 'Utility room' }), 'poor', 'by repeater 1')
      await says(rows.filter({ hasText: 'siren 1' }), 'strong')
      assert.equal(await rows.count(), 15)
    })

    it('draws charts of the temperature and the light', async () => {
      const tooltip = group('°C').locator('.nrdb-ui-chart > div').last()
      // With one measurement of each detector, the chart has one point in time, in the middle.
      await group('°C').locator('canvas').hover()
      await says(tooltip, 'Living room', '20.5')
      await says(tooltip, 'Cellar', '12.5')
    })

    it('shows every name as text, not as HTML', async () => {
      const panel = homePanel()
      panel.zone(4).name = markup
      panel.log({ type_id: 13, appointment: markup, device_type: 'USER', zone: 2, zone_name: '' })
      await readNow('Zones')
      await says(zone(4), '4', markup)
      await says(group('Radio signal'), markup)
      await says(group('Events'), markup)
      panel.bypass(4, true)
      await readNow('Needs attention')
      await says(group('Needs attention'), markup, 'has been bypassed since')
      assert.equal(await page.locator('img[src="x"]').count(), 0)
      assert.equal(await details.page.locator('img[src="x"]').count(), 0)
      panel.bypass(4, false)
    })

    it('breaks no word and cuts nothing on a phone, in German and English', async () => {
      const panel = homePanel()
      const before = panel.devices.map((device) => [device, device.name] as const)
      for (const device of panel.devices) device.name = longNames[device.name] ?? device.name
      panel.open(2)
      panel.bypass(3, true)
      panel.tamper(5)
      for (const one of ['Alarm panel', 'Zones']) await readNow(one)
      for (const locale of ['de-DE', 'en-US']) {
        const phone = await watchedPage(page.context().browser() ?? assert.fail(), {
          ...{ locale, viewport: { width: 390, height: 844 } },
        })
        for (const path of ['alarm-panel', 'alarm-details']) {
          await phone.page.goto(new URL(`dashboard/${path}`, await nodeRed.url).href)
          await phone.page.getByText('Schlafzimmerfenster').first().waitFor()
          assert.deepEqual(await misfits(phone.page), { brokenWords: [], cut: [] }, `${path}, ${locale}`)
        }
        await phone.page.goto(new URL('dashboard/alarm-panel', await nodeRed.url).href)
        const card = phone.page.locator('[data-partition="1"]')
        await card.getByRole('button').first().click()
        const isGerman = locale === 'de-DE'
        await says(card.locator('.refused'), isGerman ? 'Nicht scharf. Offen:' : 'Close or bypass')
        assert.deepEqual(await crampedButtons(card), [], locale)
        panel.close(2)
        panel.arm(1, 'AWAY', { exitDelay: 0 })
        panel.open(1)
        const wall = phone.page.locator('.wall')
        await wall.locator('.mdi-timer-alert').waitFor()
        assert.deepEqual(await misfits(phone.page), { brokenWords: [], cut: [] }, `entry delay, ${locale}`)
        panel.open(2)
        await phone.page.getByRole('dialog').waitFor()
        assert.deepEqual(await misfits(phone.page), { brokenWords: [], cut: [] }, `alarm, ${locale}`)
        panel.close(1)
        panel.disarm(1)
        await wall.getByRole('button', { disabled: true }).first().waitFor()
        assert.deepEqual(phone.complaints, [])
        await phone.close()
      }
      for (const [device, name] of before) device.name = name
      panel.close(2)
      panel.bypass(3, false)
      panel.restoreTamper(5)
      await readNow('Zones')
      await says(zone(2), 'Kitchen window')
    })

    it('shows that the panel is offline, and that its state is out of date', async () => {
      homePanel().goOffline()
      await says(group('Alarm panel'), 'Offline')
      await says(page.locator('.wall'), 'Out of date, last read at')
      assert.equal(await page.locator('.old').count(), 1)
      const color = await partition(1).evaluate((card) => getComputedStyle(card).backgroundColor)
      assert.equal(color, 'rgb(92, 92, 102)')
      for (const button of await partition().getByRole('button').all()) assert.ok(await button.isDisabled())
      homePanel().goOnline()
      await page.locator('.stale').waitFor({ state: 'detached' })
      await partition(1).getByRole('button', { name: 'Arm home', exact: true }).click({ trial: true })
    })

    it('shows everything again after a reload, in the light or dark theme of the device, also on a phone', async () => {
      const background = () =>
        page.locator('.nrdb-app').evaluate((element) => getComputedStyle(element).backgroundColor)
      const light = await background()
      // The dashboard stores messages from the page; a stored one must not come back as a new one.
      const commands = requestsTo('set_state')
      const before = requestsTo('devices')
      for (const name of ['Alarm panel', 'Zones']) await readNow(name)
      while (requestsTo('devices') === before) await pause(20)
      for (const one of [page, details.page]) {
        await one.setViewportSize({ width: 390, height: 844 })
        await one.emulateMedia({ colorScheme: 'dark' })
        await one.reload()
      }
      await says(zone(1), '1', 'Front door')
      await says(partition(3), 'Garage', 'Disarmed')
      await says(group('Events'), 'alarm', 'Panic', 'Chiara')
      assert.notEqual(await background(), light)
      assert.equal(requestsTo('set_state'), commands)
      homePanel().arm(2, 'AWAY', { exitDelay: 0 })
      await says(partition(2), 'Armed')
      for (const one of [page, details.page]) {
        const root = one.locator(':root')
        assert.ok(await root.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth))
        const widgets = one.locator('.nrdb-ui-widget, .nrdb-ui-template')
        const scrolling = await widgets.evaluateAll((all) =>
          all.filter(
            (it) => /auto|scroll/.test(getComputedStyle(it).overflow) && it.scrollWidth > it.clientWidth,
          ),
        )
        assert.deepEqual(scrolling, [])
        assert.deepEqual(await unreadable(one.locator('.nrdb-ui-group').first()), [])
        assert.deepEqual(await lightScrollBars(one), [])
      }
    })

    describe('with a code for Disarm', () => {
      // Longer than usual, so that no time and no id contains it by chance.
      const code = '904672153'
      const told: string[] = []

      before(async () => {
        await nodeRed.deploy(
          flows.map((node) => {
            if (node.type !== 'tab') return node
            const variables = (node.env as { name: string }[]).map((one) =>
              one.name === 'ENTRY_DELAY' ? { ...one, value: '20' } : one,
            )
            return { ...node, env: variables, credentials: { DISARM_CODE: code } }
          }),
        )
        page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => told.push(`${payload}`)))
        await page.reload()
      })

      it('disarms with it and with no other, and shows it to nobody', async () => {
        const before = requestsTo('set_state')
        homePanel().arm(1, 'AWAY', { exitDelay: 0 })
        await says(partition(1), 'Armed')
        await enter('1111')
        await says(partition(1), 'Wrong code')
        assert.equal(requestsTo('set_state'), before)
        await enter(code)
        await says(partition(1), 'Disarmed')
        assert.equal(requestsTo('set_state'), before + 1)
        await page.reload()
        await says(partition(1), 'Disarmed')
        assert.ok(told.length > 0)
        assert.ok(!told.join().includes(code))
        assert.ok(!nodeRed.output.includes(code))
      })

      it('asks for it at once in an entry delay, counts down the seconds, and keeps what is typed when the alarm begins', async () => {
        const panel = homePanel()
        panel.arm(1, 'AWAY', { exitDelay: 0 })
        await says(partition(1), 'Armed')
        panel.open(1)
        await says(partition(1), 'Entry delay', 'at most')
        await focused('Code')
        assert.deepEqual(await unreadable(partition(1)), [])
        await page.keyboard.type('9046')
        panel.open(2)
        await page.getByRole('dialog').waitFor()
        await focused('Code')
        assert.equal(await page.getByLabel('Code').inputValue(), '9046')
        assert.deepEqual(await unreadable(page.getByRole('dialog')), [])
        panel.close(1)
        panel.close(2)
        await page.keyboard.type(code.slice(4))
        await page.keyboard.press('Enter')
        await says(partition(1), 'Disarmed')
      })

      it('can be used with the keyboard alone', async () => {
        const panel = homePanel()
        panel.arm(1, 'AWAY', { exitDelay: 0 })
        await says(partition(1), 'Armed')
        const buttons = await texts(page.locator('.wall'), 'button:enabled')
        assert.deepEqual(buttons.slice(0, 2), ['Arm home', 'Disarm'])
        assert.equal(buttons.at(-1), 'Read now')
        await key(1, 'Arm home').focus()
        assert.deepEqual(await tabOrder(buttons.length - 1), buttons.slice(1))
        await key(1, 'Disarm').focus()
        await page.keyboard.press('Enter')
        await focused('Code')
        await page.keyboard.type('12')
        await page.keyboard.press('Backspace')
        const pad = [...'123456789', 'Erase', '0', 'No', 'Yes, disarm']
        assert.deepEqual(await tabOrder(pad.length), pad)
        await page.keyboard.press('Shift+Tab')
        await page.keyboard.press('Shift+Tab')
        await focused('0')
        await page.keyboard.press('Space')
        // Digits of the keyboard count also while a key of the pad has the focus.
        await page.keyboard.type('42')
        await page.keyboard.press('Backspace')
        assert.equal(await page.getByLabel('Code').inputValue(), '104')
        await page.keyboard.press('Escape')
        await focused('Disarm')
        await page.keyboard.press('Enter')
        await focused('Code')
        assert.equal(await page.getByLabel('Code').inputValue(), '')
        await key(1, '9').click()
        await page.keyboard.type(code.slice(1))
        await page.keyboard.press('Enter')
        await says(partition(1), 'Disarmed')
      })

      it('stops to disarm after five wrong codes, also with the right one', async () => {
        const before = requestsTo('set_state')
        homePanel().arm(1, 'AWAY', { exitDelay: 0 })
        await says(partition(1), 'Armed')
        for (const wrong of ['1', '2', '3', '4', '5']) await enter(wrong)
        await says(partition(1), 'Wrong code')
        await enter(code)
        await says(partition(1), 'Too many wrong codes')
        assert.equal(requestsTo('set_state'), before)
      })

      async function enter(code: string): Promise<void> {
        await key(1, 'Disarm').click()
        for (const digit of code) await key(1, digit).click()
        await key(1, 'Yes, disarm').click()
      }
    })

    /** Starts a Node-RED with the palettes that the example needs; returns it with the browser of this run. */
    async function opened(palettes: string[]) {
      const room = await harness()
      return { browser: room.browser, nodeRed: await room.nodeRed(look, palettes) }
    }

    function homePanel() {
      return simulator.world.panel(simulator.serials[0] ?? '')
    }

    function group(name: string): Locator {
      const inside: Record<string, string> = {
        'Alarm panel': '.wall',
        'Latest alarm': '[data-incident], h3:has-text("No alarm yet")',
        'Needs attention': 'h3:has-text("Needs attention")',
        '°C': '.v-card-title:has-text("°C")',
      }
      const shown = name in inside && name !== '°C' ? page : details.page
      const has = shown.locator(inside[name] ?? `h3:has-text("${name}")`)
      return shown.locator('.nrdb-ui-group', { has: has.first() })
    }

    function partition(id?: number): Locator {
      return page.locator(id === undefined ? '[data-partition]' : `[data-partition="${id}"]`)
    }

    function key(id: number, name: string): Locator {
      return partition(id).getByRole('button', { name, exact: true })
    }

    async function showPage(): Promise<void> {
      await page.getByRole('button', { name: 'Show the page' }).click()
    }

    /** Waits until what has this name has the focus. */
    async function focused(name: string): Promise<void> {
      await page.waitForFunction((name) => {
        const at = document.activeElement
        return (at?.getAttribute('aria-label') ?? at?.textContent) === name
      }, name)
    }

    /** Returns the names of what gets the focus with the next presses of Tab. */
    async function tabOrder(presses: number): Promise<string[]> {
      const names: string[] = []
      while (names.length < presses) {
        await page.keyboard.press('Tab')
        names.push(
          await page.evaluate(() => {
            const at = document.activeElement
            return at === document.body ? 'none' : (at?.getAttribute('aria-label') ?? at?.textContent ?? '')
          }),
        )
      }
      return names
    }

    /** Waits until the workshop shows fewer seconds than before, without a new read of the state. */
    async function countdownBetweenAnswers(): Promise<{ from: number; to: number }> {
      const place = await group('Alarm panel').elementHandle()
      const seen = await page.evaluateHandle(() => ({ readAt: '', seconds: 0 }))
      // The check runs in the page on every frame: polling from outside is too slow on a busy machine.
      const found = await page.waitForFunction(
        ([place, seen]) => {
          const text = place?.innerText ?? ''
          const readAt = /Read at [\d:]+/.exec(text)?.[0] ?? ''
          const seconds = Number(/exit delay (\d+) s/.exec(text)?.[1])
          const before = { ...seen }
          Object.assign(seen, { readAt, seconds })
          return readAt === before.readAt && seconds < before.seconds && { from: before.seconds, to: seconds }
        },
        [place as ElementHandle<HTMLElement> | null, seen] as const,
      )
      return (await found.jsonValue()) || assert.fail()
    }

    function zone(number: number): Locator {
      return details.page.locator(`[data-zone="${number}"]`)
    }

    function requestsTo(operation: string): number {
      return simulator.requests.filter(({ path }) => path.endsWith(`/${operation}`)).length
    }

    async function readNow(name: string): Promise<void> {
      const place = name === 'Zones' ? group('Zones') : group('Alarm panel')
      await place.getByRole('button', { name: 'Read now' }).click()
    }
  })
}

/** Returns the example with an account of the simulator; zones are read only on request, everything else every second. */
function atSimulator(flows: readonly FlowNode[], simulator: Simulator): FlowNode[] {
  const { userCode, serials } = simulator
  const ofType: Record<string, object> = {
    'keyholder-account': { ...at(simulator), requestsPerMinute: 6000 },
    'keyholder-panel': {
      serial: serials[0],
      stateEvery: 1,
      eventsEvery: 1,
      devicesEvery: 3600,
      allowCommands: true,
      credentials: { userCode },
    },
  }
  return flows.map((node) => ({ ...node, ...ofType[node.type] }))
}

/** Waits until an element contains these words in order, with or without spaces between them. */
async function says(element: Locator, ...words: string[]): Promise<void> {
  const quoted = words.map((word) => word.replace(/[^\w\s]/g, '\\$&'))
  await element.filter({ hasText: new RegExp(quoted.join('\\s*')) }).waitFor()
}

function texts(elements: Locator, within: string): Promise<string[]> {
  return elements.locator(within).allInnerTexts()
}

/** Returns the buttons in an element whose words come closer to an edge than 6 pixels. */
function crampedButtons(element: Locator): Promise<string[]> {
  return element.getByRole('button').evaluateAll((buttons) =>
    buttons
      .filter((button) => {
        const words = document.createRange()
        words.selectNodeContents(button)
        const [inside, outside] = [words.getBoundingClientRect(), button.getBoundingClientRect()]
        return inside.left - outside.left < 6 || outside.right - inside.right < 6
      })
      .map((button) => button.textContent ?? ''),
  )
}

/** Returns the texts in an element that cannot be read well. */
async function unreadable(element: Locator): Promise<Contrast[]> {
  return (await contrasts(element)).filter(({ ratio }) => ratio < 4.5)
}

/** Returns the classes of what would have a light scroll bar on a dark page. */
function lightScrollBars(page: Page): Promise<string[]> {
  return page
    .locator(':root, .list, .wall')
    .evaluateAll((all) =>
      all.filter((it) => !getComputedStyle(it).colorScheme.includes('dark')).map((it) => it.className),
    )
}
