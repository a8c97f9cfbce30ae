// `npm run screenshots`: takes the screenshots of the README and of docs/ from the running product. It needs an
// installed Chromium or Chrome, a redis-server in the path, and the network. Names of pictures select them.

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { accountNode, at, clusterNode, panelNode } from '../harness/browser/dialogs/config-nodes.js'
import { Editor } from '../harness/browser/editor.js'
import { watchedPage } from '../harness/browser/watched-page.js'
import { FakeClock } from '../harness/clock/fake-clock.js'
import { ClusterInstances } from '../harness/cluster/cluster-instances.js'
import { startEditorHarness } from '../harness/editor.js'
import { NodeRedProcess } from '../harness/node-red/node-red-process.js'
import { neededPalettes } from '../harness/node-red/npm.js'
import {
  fillUserDirectory,
  linkPalette,
  removeDirectory,
  temporaryDirectory,
} from '../harness/node-red/user-directory.js'
import { RedisServer } from '../harness/redis-server.js'
import { startSimulator } from '../src/simulator/simulator.js'
import { hours, sampleDay } from './sample-day.js'

const look = { nodeRed: '4.1', theme: 'light' }
const dayLength = hours * 60 * 60 * 1000
const entryDelay = 20_000
const readingsNode = {
  type: 'keyholder-readings',
  name: '',
  kinds: ['temperature', 'open'],
  emit: 'change',
  initial: true,
  temperatureDelta: 0.5,
  brightnessDelta: 0,
  wires: [[]],
}
const timezoneId = whereItIs(21)
// The texts of the nodes have the time of the machine.
process.env.TZ = timezoneId
const instanceView = { width: 600, height: 390 }
const wide = { viewport: { width: 1200, height: 760 } }
const root = new URL('../', import.meta.url)
const read = async (path) => JSON.parse(await readFile(new URL(path, root), 'utf8'))
const file = (name) => fileURLToPath(new URL(`docs/images/${name}.png`, root))

const harness = await startEditorHarness()
const simulator = await startSimulator()
const pictures = {
  editor: takeEditor,
  dialogs: takeDialogs,
  dashboard: takeDashboardAndConsole,
  cluster: takeCluster,
  rehearsal: takeRehearsal,
}
const selected = process.argv.slice(2)
try {
  for (const [name, take] of Object.entries(pictures))
    if (selected.length === 0 || selected.includes(name)) await take()
} finally {
  await Promise.all([harness.close(), simulator.close()])
}

/** Takes the demo flow, with the answers of its nodes in the debug sidebar. */
async function takeEditor() {
  const flows = await read('scripts/demo-flows.json')
  const editor = await harness.editor(look, { flows, ...wide })
  const { page } = editor
  const nodeRed = await harness.nodeRed(look)
  await page.locator('#red-ui-tab-debug-link-button').click()
  for (const asked of ['readings', 'state']) {
    const node = flows.find(({ type }) => type === `keyholder-${asked}`)
    const button = flows.find(({ type, wires }) => type === 'inject' && wires.flat().includes(node.id))
    await nodeRed.press(button.id)
    const answer = page.locator('.red-ui-debug-msg', { hasText: `node: ${asked}` })
    await answer.first().waitFor()
  }
  await page.locator('[data-palette-type="keyholder-health"]').scrollIntoViewIfNeeded()
  await page.mouse.move(0, 0)
  await page.locator('.red-ui-popover').waitFor({ state: 'hidden' })
  await page.screenshot({ path: file('editor') })
  await editor.close()
}

/** Takes the account after a successful check, and the devices that a node can select. */
async function takeDialogs() {
  const home = simulator.world.panel(simulator.serials[0])
  const devices = [home.zone(2).id, home.zone(4).id]
  const panel = { name: 'Home', serial: home.serial, credentials: { userCode: simulator.userCode } }
  const flows = [
    { id: 'tab', type: 'tab', label: 'Home' },
    accountNode('account', { name: 'Our account', ...at(simulator) }),
    panelNode('panel', panel),
    { ...readingsNode, id: 'readings', z: 'tab', panel: 'panel', devices, x: 120, y: 80 },
  ]
  const editor = await harness.editor(look, { flows, viewport: { width: 1200, height: 1000 } })
  const readings = await editor.open('readings')
  const panelDialog = await readings.edit('panel')
  const account = await panelDialog.edit('account')
  await account.tray.locator('#keyholder-account-check').click()
  await account.tray.locator('[data-step=panels].keyholder-done').waitFor()
  await account.tray.screenshot({ path: file('account') })
  await account.cancel()
  await panelDialog.cancel()
  await readings.tray.locator('#keyholder-devices-choose').click()
  await readings.tray.getByRole('treeitem').filter({ hasText: 'Kitchen window' }).first().waitFor()
  await readings.tray.screenshot({ path: file('readings') })
  await editor.close()
}

/** Takes the report of a rehearsed burglary: the example with a phone that answers after half a second. */
async function takeRehearsal() {
  const phone = createServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end(), 500))
  })
  await once(phone.listen(0, '127.0.0.1'), 'listening')
  const { port } = phone.address()
  const flows = (await read('examples/Alarm to the phone.json')).map((node) =>
    node.name === 'ntfy' ? { ...node, d: false, url: `http://127.0.0.1:${port}/` } : node,
  )
  const editor = await harness.editor(look, { flows, viewport: { width: 1200, height: 1000 } })
  const incident = flows.find(({ type }) => type === 'keyholder-incident')
  await editor.hasStatus(incident.id, /./)
  const dialog = await (await editor.open(incident.id)).edit('panel')
  await dialog.unfold()
  const part = dialog.form.locator('#keyholder-panel-rehearsal')
  await part.locator('select').selectOption('burglary-window')
  await part.getByRole('button', { name: 'Start', exact: true }).click()
  await part.getByRole('button', { name: 'Start now' }).click()
  const link = part.getByText('Show the report')
  await link.waitFor({ timeout: 180_000 })
  const [report] = await Promise.all([editor.page.context().waitForEvent('page'), link.click()])
  await report.setViewportSize({ width: 760, height: 400 })
  await report.screenshot({ path: file('rehearsal'), fullPage: true })
  phone.close()
  await editor.close()
}

/** Takes a house on the evening of a day, on the dashboard and on the console of the simulator. */
async function takeDashboardAndConsole() {
  const flows = await read('examples/Dashboard.json')
  const nodeRed = await harness.nodeRed(look, neededPalettes(flows))
  const clock = new FakeClock(Date.now() - dayLength)
  const home = await startSimulator({ clock })
  const nodes = flows.map((node) => ({ ...node, ...often(home)[node.type] }))
  const tab = nodes.find(({ type }) => type === 'tab')
  // The countdown and the keys for the code.
  tab.env = tab.env.map((one) =>
    one.name === 'ENTRY_DELAY' ? { ...one, value: `${entryDelay / 1000}` } : one,
  )
  tab.credentials = { DISARM_CODE: '1234' }
  const conditions = 'keyholder-conditions'
  await nodeRed.deploy(nodes.filter(({ type }) => type !== conditions))
  const page = async (url, options) => {
    const { page } = await watchedPage(harness.browser, { timezoneId, ...options })
    await page.goto(url)
    return page
  }
  const dashboard = new URL('dashboard/alarm-panel', await nodeRed.url).href
  const desktop = await page(dashboard, { viewport: { width: 1200, height: 920 } })
  await desktop.locator('[data-partition]').first().waitFor()
  for (const happens of sampleDay(home.world.panel(home.serials[0]))) {
    happens()
    await polled(home)
    clock.advance(dayLength / hours)
  }
  // Of the conditions that are there when it starts, it knows the begin from the events; the day is over in a minute.
  const unchanged = nodes.map(({ credentials, ...node }) => node)
  await nodeRed.deploy(unchanged, 'nodes')
  await desktop.locator('[data-condition=open]').waitFor()
  await polled(home)
  await desktop.screenshot({ path: file('dashboard') })
  await desktop.emulateMedia({ colorScheme: 'dark' })
  await takeAtRest(desktop, 'dashboard-dark')
  const phone = { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true, colorScheme: 'dark' }
  const onPhone = await page(dashboard, phone)
  await onPhone.locator('[data-partition]').first().waitFor()
  await takeAtRest(onPhone, 'dashboard-phone')
  const console = await page(home.url, wide)
  await console.locator('#zones li').first().waitFor()
  await console.screenshot({ path: file('console') })
  const house = home.world.panel(home.serials[0])
  house.close(2)
  house.arm(1, 'AWAY', { user: 'Anna', exitDelay: 0 })
  house.open(1)
  await onPhone.locator('[data-partition]').getByText('at most').first().waitFor()
  await takeAtRest(onPhone, 'dashboard-delay')
  clock.advance(entryDelay)
  await onPhone.getByRole('dialog', { name: 'Alarm' }).locator('.where', { hasText: 'Front door' }).waitFor()
  await takeAtRest(onPhone, 'dashboard-alarm')
  await home.close()
}

/** Takes a page of the dashboard when its colors and places no longer change. */
async function takeAtRest(page, name) {
  await page.waitForFunction('!document.getAnimations().some((one) => one instanceof CSSTransition)')
  await page.screenshot({ path: file(name) })
}

/** Takes two instances of a cluster with the same flow, side by side. */
async function takeCluster() {
  const server = new RedisServer('redis-server')
  await server.start()
  // A server that knows nothing of a cluster would let the instances wait for 72 seconds.
  const first = new ClusterInstances(server)
  await first.add('handshake')
  await first.close()
  const shown = { state: 'armed home', readings: 'all closed', events: 'Anna' }
  const taken = []
  const instances = []
  try {
    for (const name of ['pi-one', 'pi-two']) instances.push(await startInstance(name, server.address))
    const home = simulator.world.panel(simulator.serials[0])
    home.arm(1, 'HOME', { user: 'Anna', exitDelay: 0 })
    for (const { name, nodeRed } of instances) {
      const editor = await Editor.open(harness.browser, await nodeRed.url, look, {
        viewport: instanceView,
      })
      // Without palette and sidebar.
      await editor.page.keyboard.press('Control+p')
      await editor.page.keyboard.press('Control+Space')
      for (const id of ['state', 'readings', 'events'])
        await editor.hasStatus(id, name === 'pi-one' ? shown[id] : 'standby: pi-one')
      await editor.page.locator('.red-ui-palette-closed.red-ui-sidebar-closed').waitFor({ state: 'attached' })
      await editor.page.waitForFunction("!document.getAnimations().length && !$(':animated').length")
      taken.push((await editor.page.screenshot()).toString('base64'))
      await editor.close()
    }
  } finally {
    for (const { nodeRed, userDir } of instances) {
      await nodeRed.kill()
      await removeDirectory(userDir)
    }
    await server.stop()
  }
  const { page } = await watchedPage(harness.browser, {
    viewport: { width: 2 * instanceView.width + 16, height: instanceView.height },
  })
  const images = taken.map((one) => `<img src="data:image/png;base64,${one}" style="flex: 1; min-width: 0">`)
  await page.setContent(`<body style="margin: 0; display: flex; gap: 16px">${images.join('')}</body>`)
  await page.screenshot({ path: file('cluster') })
}

/** Starts an instance of the cluster, and resolves when its flow runs. */
async function startInstance(name, address) {
  const userDir = await temporaryDirectory()
  await linkPalette(userDir)
  const panel = { name: 'Home', serial: simulator.serials[0], stateEvery: 1, eventsEvery: 1, devicesEvery: 1 }
  const { credentials, ...account } = at(simulator)
  const nodes = ['state', 'readings', 'events'].map((id, index) => ({
    ...(id === 'readings' ? readingsNode : { type: `keyholder-${id}`, first: 'deliver' }),
    ...{ id, z: 'tab', panel: 'panel', x: 130, y: 60 + 80 * index, wires: [['debug']] },
  }))
  const debug = { id: 'debug', type: 'debug', z: 'tab', name: 'messages', x: 440, y: 140, wires: [] }
  await fillUserDirectory(userDir, {
    flows: [
      { id: 'tab', type: 'tab', label: 'Home' },
      clusterNode('cluster', { address, clusterName: 'test', instance: name }),
      accountNode('account', { ...account, cluster: 'cluster' }),
      panelNode('panel', panel),
      ...nodes,
      debug,
    ],
    credentials: { account: credentials, panel: { userCode: simulator.userCode } },
    settings: {
      editorTheme: { tours: false, palette: { catalogues: [] }, header: { title: name } },
      keyholderPanelPollFloor: 1,
    },
  })
  const nodeRed = new NodeRedProcess(userDir)
  await nodeRed.url
  return { name, nodeRed, userDir }
}

/** Returns a time zone in which it is this hour now, so that the day always ends in the evening. */
function whereItIs(hour) {
  const ahead = ((hour - new Date().getUTCHours() + 34) % 24) - 10
  // These zone names have the opposite sign.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

/** Changes the example so that it uses this house, with polls every second. */
function often(home) {
  const polls = { stateEvery: 1, eventsEvery: 1, devicesEvery: 1 }
  return {
    'keyholder-account': { ...at(home), requestsPerMinute: 6000 },
    'keyholder-panel': {
      serial: home.serials[0],
      allowCommands: true,
      credentials: { userCode: home.userCode },
      ...polls,
    },
  }
}

/** Waits until everything was polled again; twice, because a request in progress may have older data. */
async function polled({ requests }) {
  for (const operation of ['status', 'events', 'devices', 'status', 'events', 'devices']) {
    const asked = () => requests.filter(({ path }) => path.endsWith(`/${operation}`)).length
    for (const before = asked(); asked() === before; ) await after(50)
  }
}
