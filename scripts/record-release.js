// `node scripts/record-release.js <folder of the package> <folder> <port>`, after a build: lets a Node-RED with a version of this
// package live for a while, kills it, and keeps what it leaves: its flows, its files, and the list of the service. The newest
// version must load all of it: test/releases. Each version has a port of its own: the names of the files contain the address of
// the service.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { until } from '../harness/clock/until.js'
import { ApiClient } from '../harness/simulator/api-client.js'
import { startSimulator } from '../src/simulator/simulator.js'

const [packageFolder, target, port] = process.argv.slice(2)
const adminPort = Number(port) + 1
const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
const userDirectory = await mkdtemp(join(tmpdir(), 'keyholder-release-'))
const simulator = await startSimulator({ port: Number(port), scenario: 'day', speed: 60 })
const admin = `http://127.0.0.1:${adminPort}`
const read = (name) => readFile(join(userDirectory, name), 'utf8').catch(() => '')

const [serial, otherSerial] = simulator.serials
const tab = { z: 'tab' }
const names = [
  'account',
  'panel',
  'state',
  'readings',
  'events',
  'health',
  'command',
  'query',
  'incident',
  'conditions',
]
const newer = ['incident', 'conditions']
const types = version === '0.1.0' ? names.filter((name) => !newer.includes(name)) : names

/** The fields of each node that the dialog of its version saves. */
async function savedFields() {
  const examples = []
  for (const name of await readdir(join(packageFolder, 'examples'))) {
    examples.push(...JSON.parse(await readFile(join(packageFolder, 'examples', name), 'utf8')))
  }
  return Object.fromEntries(
    types.map((name) => [name, examples.find(({ type }) => type === `keyholder-${name}`) ?? {}]),
  )
}

async function createFlows() {
  const saved = await savedFields()
  const node = (name, fields) => ({
    ...saved[name],
    name: '',
    id: name,
    type: `keyholder-${name}`,
    ...fields,
  })
  const flow = (name, fields) =>
    node(name, { ...tab, x: 200, y: 100, panel: 'panel', wires: [[]], ...fields })
  const account = node('account', {
    source: 'service',
    url: simulator.url,
    requestsPerMinute: 600,
    z: undefined,
  })
  const panel = (fields) => ({
    ...node('panel', { account: 'account', stateEvery: 10, eventsEvery: 10, devicesEvery: 30, z: undefined }),
    ...fields,
  })
  return [
    { id: 'tab', type: 'tab', label: `Saved by ${version}` },
    account,
    panel({ serial, allowCommands: true }),
    panel({ id: 'refused', serial: otherSerial, allowCommands: false }),
    flow('state'),
    flow('state', { id: 'refused state', panel: 'refused' }),
    flow('readings'),
    flow('events', { wires: [['as text']] }),
    flow('health', { account: 'account' }),
    flow('command', { action: 'set_state', partition: 1, state: 'AWAY' }),
    flow('query', { account: '', operation: 'status' }),
    ...types.filter((name) => newer.includes(name)).map((name) => flow(name)),
    {
      id: 'as text',
      type: 'json',
      ...tab,
      x: 400,
      y: 100,
      property: 'payload',
      action: 'str',
      wires: [['delivered']],
    },
    {
      id: 'delivered',
      type: 'file',
      ...tab,
      x: 600,
      y: 100,
      filename: join(userDirectory, 'delivered.jsonl'),
      ...lines,
    },
  ]
}

const lines = {
  filenameType: 'str',
  appendNewline: true,
  overwriteFile: 'false',
  encoding: 'none',
  wires: [[]],
}

const credentials = {
  account: { email: simulator.email, password: simulator.password },
  panel: { userCode: simulator.userCode },
  refused: { userCode: '0000' },
}

async function prepare() {
  const scope = join(userDirectory, 'node_modules', '@keyholder')
  await mkdir(scope, { recursive: true })
  await symlink(resolve(packageFolder), join(scope, 'node-red-alarm-panel'))
  const dependencies = { '@keyholder/node-red-alarm-panel': version }
  await writeFile(join(userDirectory, 'package.json'), JSON.stringify({ name: 'release', dependencies }))
  const settings = { flowFile: 'flows.json', credentialSecret: false, uiHost: '127.0.0.1', uiPort: adminPort }
  await writeFile(join(userDirectory, 'settings.js'), `module.exports = ${JSON.stringify(settings)}`)
}

async function deploy(flows) {
  const withCredentials = flows.map((node) => ({ ...node, credentials: credentials[node.id] }))
  const response = await fetch(`${admin}/flows`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'node-red-api-version': 'v2' },
    body: JSON.stringify({ flows: withCredentials }),
  })
  if (!response.ok)
    throw new Error(`The flows were not accepted: ${response.status} ${await response.text()}`)
}

/** The answers of the service, in the form of a diagnostics file, which the simulator can replay. */
async function record() {
  const client = new ApiClient(simulator)
  await client.signIn()
  await client.logIn(serial)
  const answers = {}
  for (const name of [
    'panels',
    'panel_info',
    'feature_set',
    'status',
    'alarms',
    'alerts',
    'troubles',
    'devices',
    'locations',
    'events',
  ]) {
    const { status, body } = await client.get(name)
    if (status === 200) answers[name] = { answer: body }
  }
  return { format: 'keyholder-diagnostics-1', account: { type: 'user', apiVersion: '14.0' }, serial, answers }
}

let nodeRed
try {
  await prepare()
  const program = resolve('node_modules/node-red/red.js')
  nodeRed = spawn(process.execPath, [program, '--userDir', userDirectory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  nodeRed.stdout.on('data', (data) => {
    output += data
  })

  await until(() => output.includes('Started flows'), 'Node-RED to run')
  const flows = await createFlows()
  await deploy(flows)
  const has = async (name, text) => (await read(name)).includes(text)
  const delivered = async () => (await read('delivered.jsonl')).split('\n').length - 1
  // No delivery is under way, whose events would come again with a flag, and all that were delivered are in the file.
  const isSettled = async () => {
    const before = await delivered()
    await setTimeout(1000)
    return (
      before >= 12 &&
      before === (await delivered()) &&
      !(await has('keyholder/events-panel.json', '"intended"'))
    )
  }
  await untilAsync(isSettled)
  nodeRed.kill('SIGKILL')
  await once(nodeRed, 'exit')
  // Something happens while Node-RED is off.
  const told = await delivered()
  const { length } = (await record()).answers.events.answer
  await untilAsync(async () => (await record()).answers.events.answer.length >= length + 3)
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  await cp(join(userDirectory, 'keyholder'), join(target, 'keyholder'), { recursive: true })
  const write = (name, value) => writeFile(join(target, name), `${JSON.stringify(value, null, 1)}\n`)
  await write(
    'flows.json',
    flows.filter(({ id }) => !['as text', 'delivered'].includes(id)),
  )
  await write('credentials.json', credentials)
  await write('recording.json', await record())
  const all = (await read('delivered.jsonl')).trim().split('\n').slice(0, told)
  await write(
    'delivered.json',
    all.map((line) => JSON.parse(line)),
  )
  const files = await readdir(join(target, 'keyholder'))
  console.log(`${version}: ${told} events were delivered; files: ${files.join(', ')}`)
} finally {
  nodeRed?.kill('SIGKILL')
  await simulator.close()
  await rm(userDirectory, { recursive: true, force: true })
}

async function untilAsync(condition) {
  while (!(await condition())) await setTimeout(200)
}
