import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ElementHandle, Locator, Page } from 'playwright-core'
import { contrasts } from '../../harness/browser/contrast.ts'
import { at } from '../../harness/browser/dialogs/config-nodes.ts'
import { looks } from '../../harness/browser/look.ts'
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
const markup = '<img src=x onerror=alert(1)> & {{ 7 * 7 }}'

// The page follows the device and not the editor's theme.
for (const look of looks.filter(({ theme }) => theme === 'light')) {
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
      await partition(1).getByRole('button', { name: 'Show the page' }).click()
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
      await key(1, 'Arm home').click()
      await says(partition(1), 'Arming')
      assert.equal(await refused.count(), 0)
      await key(1, 'Disarm').click()
      await key(1, 'Yes, disarm').click()
      await says(partition(1), 'Disarmed')
    })

    it('says what an alarm is and where, in words, also when it is over', async () => {
      const panel = homePanel()
      panel.arm(1, 'AWAY', { exitDelay: 0 })
      panel.open(2)
      await says(partition(1), 'ALARM', 'Burglary: Kitchen window')
      await says(page.getByRole('alert'), 'ALARM, House. Burglary: Kitchen window')
      const screen = page.viewportSize()
      assert.deepEqual(await partition(1).boundingBox(), { x: 0, y: 0, ...screen })
      assert.equal(await page.locator('.v-app-bar').isVisible(), false)
      panel.close(2)
      panel.disarm(1)
      await says(partition(1), 'Disarmed', 'Past alarm: Kitchen window')
      assert.doesNotMatch(await partition(1).innerText(), /BURGLER|_/)
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
      await partition(1).getByRole('button', { name: 'Show the page' }).click()
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
      await says(attention.locator('[data-condition=open]'), 'Kitchen window is open since')
      const kinds = await attention
        .locator('[data-condition]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-condition')))
      assert.deepEqual(kinds, ['open', 'battery'])
      await says(attention.locator('[data-condition=open]'), 'now')
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
      await says(zone(1), '1', 'Front door', 'closed', 'none')
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
      await says(group('Needs attention'), markup, 'is bypassed since')
      assert.equal(await page.locator('img[src="x"]').count(), 0)
      assert.equal(await details.page.locator('img[src="x"]').count(), 0)
      panel.bypass(4, false)
    })

    it('shows that the panel is offline, and that its state is out of date', async () => {
      homePanel().goOffline()
      await says(group('Alarm panel'), 'Offline')
      await says(partition(1), 'Out of date, last read at')
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
        const texts = await contrasts(one.locator('.nrdb-ui-group').first())
        assert.deepEqual(
          texts.filter(({ ratio }) => ratio < 4.5),
          [],
        )
      }
    })

    describe('with a code for Disarm', () => {
      // Longer than usual, so that no time and no id contains it by chance.
      const code = '904672153'
      const told: string[] = []

      before(async () => {
        await nodeRed.deploy(
          flows.map((node) => (node.type === 'tab' ? { ...node, credentials: { DISARM_CODE: code } } : node)),
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
