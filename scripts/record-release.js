// `node scripts/record-release.js <folder of the package> <folder> <port>`, after a build: lets a Node-RED with a version of this
// package live for a while, alone and, if the version has clusters, as an instance of one. Kills it, and keeps what it leaves: its
// flows, its files, what the broker keeps for Home Assistant, the contents of Redis, and the answers of the service. The newest
// version must load all of it: test/releases. Each version has a port of its own, and the one after it, because names of files and
// keys contain the address of the service. Needs `redis-server` and `mosquitto`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { until } from '../harness/clock/until.js'
import { retainedOf } from '../harness/home-assistant/broker-client.js'
import { Mosquitto } from '../harness/mosquitto.js'
import { RedisServer, withRedis } from '../harness/redis-server.js'
import { findProgram } from '../harness/server-program.js'
import { ApiClient } from '../harness/simulator/api-client.js'
import { startSimulator } from '../src/simulator/simulator.js'

const [packageFolder, target, port] = process.argv.slice(2)
const adminPort = Number(port) + 1
const admin = `http://127.0.0.1:${adminPort}`
const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))

/** The nodes of the examples of the version: they have the fields that its dialogs save. */
const examples = await Promise.all(
  (await readdir(join(packageFolder, 'examples'), { recursive: true }))
    .filter((name) => name.endsWith('.json'))
    .map(async (name) => ({
      name,
      nodes: JSON.parse(await readFile(join(packageFolder, 'examples', name), 'utf8')),
    })),
)
const exampleOf = (type) =>
  examples.flatMap(({ nodes }) => nodes).find((node) => node.type === `keyholder-${type}`)
const hasBypass = 'openZones' in exampleOf('command')
const hasClusters = version !== '0.1.0'

const place = { z: 'tab', x: 200, y: 100 }

function createFlows(simulator, broker, userDirectory, redis) {
  const node = (type, fields) => ({
    ...exampleOf(type),
    name: '',
    id: type,
    type: `keyholder-${type}`,
    ...fields,
  })
  const flow = (type, fields) => ({ ...node(type, { panel: 'panel', wires: [[]], ...fields }), ...place })
  const [serial, otherSerial] = simulator.serials
  const every = { stateEvery: 10, eventsEvery: 10, devicesEvery: 30 }
  const panel = (fields) => node('panel', { account: 'account', ...every, ...fields })
  const file = (id, name) => ({
    ...{ id, type: 'file', ...place, filename: join(userDirectory, name), filenameType: 'str' },
    ...{ appendNewline: true, overwriteFile: 'false', encoding: 'none', wires: [[]] },
  })
  const asText = (id, next) => ({
    ...{ id, type: 'json', ...place, property: 'payload', action: 'str', wires: [[next]] },
  })
  return [
    { id: 'tab', type: 'tab', label: `Saved by ${version}` },
    ...(redis
      ? [
          {
            id: 'cluster',
            type: 'keyholder-cluster',
            address: redis.address,
            clusterName: 'release',
            instance: 'first',
          },
        ]
      : []),
    node('account', {
      ...{ source: 'service', url: simulator.url, requestsPerMinute: 600 },
      ...(redis && { cluster: 'cluster' }),
    }),
    panel({ serial, allowCommands: true }),
    panel({ id: 'refused', serial: otherSerial, allowCommands: false }),
    flow('state'),
    flow('state', { id: 'refused state', panel: 'refused' }),
    flow('readings'),
    flow('events', { wires: [['event as text']] }),
    flow('health', { account: 'account' }),
    flow('command', {
      ...{ action: 'set_state', partition: 1, state: 'AWAY', wires: [['answer as text']] },
      ...(hasBypass && { openZones: 'bypass' }),
    }),
    flow('query', { account: '', operation: 'status' }),
    ...['incident', 'conditions', 'chain-test'].filter(exampleOf).map((type) => flow(type)),
    ...homeAssistantNodes(broker),
    asText('event as text', 'delivered'),
    file('delivered', 'delivered.jsonl'),
    { id: 'arm', type: 'inject', ...place, props: [], wires: [['command']] },
    asText('answer as text', 'answered'),
    file('answered', 'answered.jsonl'),
  ]
}

/** The nodes of the example for Home Assistant, connected with a broker. */
function homeAssistantNodes(broker) {
  const { nodes } = examples.find(({ name }) => name === 'Home Assistant.json')
  return nodes
    .filter(({ type }) => /^mqtt|^function$|^keyholder-(?!account|panel)/.test(type))
    .map(({ d, ...node }) => ({
      ...node,
      ...('z' in node && { z: 'tab' }),
      ...('panel' in node && { panel: 'panel' }),
      ...('account' in node && { account: 'account' }),
      ...(node.type === 'mqtt-broker' && { broker: '127.0.0.1', port: broker.port }),
    }))
}

const credentialsOf = ({ email, password, userCode }) => ({
  account: { email, password },
  panel: { userCode },
  refused: { userCode: '0000' },
})

async function prepare(userDirectory) {
  const scope = join(userDirectory, 'node_modules', '@keyholder')
  await mkdir(scope, { recursive: true })
  await symlink(resolve(packageFolder), join(scope, 'node-red-alarm-panel'))
  const dependencies = { '@keyholder/node-red-alarm-panel': version }
  await writeFile(join(userDirectory, 'package.json'), JSON.stringify({ name: 'release', dependencies }))
  const settings = { flowFile: 'flows.json', credentialSecret: false, uiHost: '127.0.0.1', uiPort: adminPort }
  await writeFile(join(userDirectory, 'settings.js'), `module.exports = ${JSON.stringify(settings)}`)
}

async function post(path, body = {}) {
  const headers = { 'content-type': 'application/json', 'node-red-api-version': 'v2' }
  const response = await fetch(`${admin}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
}

/** The answers of the service, in the form of a diagnostics file, which the simulator can replay. */
async function record(simulator) {
  const client = new ApiClient(simulator)
  const [serial] = simulator.serials
  await client.signIn()
  await client.logIn(serial)
  const answers = {}
  const names = ['panels', 'panel_info', 'feature_set', 'status', 'alarms', 'alerts', 'troubles', 'devices']
  for (const name of [...names, 'locations', 'events']) {
    const { status, body } = await client.get(name)
    if (status === 200) answers[name] = { answer: body }
  }
  return { format: 'keyholder-diagnostics-1', account: { type: 'user', apiVersion: '14.0' }, serial, answers }
}

/** The contents of a Redis as the commands that restore them; each character stands for a byte. */
async function dump(server) {
  const readers = {
    string: ['SET', 'get'],
    hash: ['HSET', 'hgetall'],
    list: ['RPUSH', 'lrange', '0', '-1'],
    set: ['SADD', 'smembers'],
    zset: ['ZADD', 'zrange', '0', '-1', 'WITHSCORES'],
  }
  return withRedis(server, async (client) => {
    const commands = []
    for (const key of (await client.keys('*')).toSorted()) {
      const [command, reader, ...range] = readers[await client.type(key)]
      const answer = await client.callBuffer(reader, key, ...range)
      const isTable = !Array.isArray(answer) && !Buffer.isBuffer(answer)
      const parts = isTable ? Object.entries(answer).flat() : [answer].flat()
      const read = parts.map((part) => Buffer.from(part).toString('latin1'))
      const values = command === 'ZADD' ? read.map((_, index) => read[index ^ 1]) : read
      commands.push([command, key, ...values])
      const left = await client.pttl(key)
      if (left > 0) commands.push(['PEXPIRE', key, `${left}`])
    }
    return commands
  })
}

/** Lets a Node-RED live and kills it; then more events happen, which it has not delivered. */
async function live(broker, folder, redis) {
  const simulator = await startSimulator({ port: Number(port), scenario: 'calm' })
  const userDirectory = await mkdtemp(join(tmpdir(), 'keyholder-release-'))
  const home = simulator.world.panel(simulator.serials[0])
  const read = (name) => readFile(join(userDirectory, name), 'utf8').catch(() => '')
  const delivered = async () => (await read('delivered.jsonl')).trim().split('\n').filter(Boolean)
  home.addEvents(5)
  let nodeRed
  try {
    await prepare(userDirectory)
    const program = resolve('node_modules/node-red/red.js')
    const stdio = ['ignore', 'pipe', 'inherit']
    nodeRed = spawn(process.execPath, [program, '--userDir', userDirectory], { stdio })
    let output = ''
    nodeRed.stdout.on('data', (data) => {
      output += data
    })
    await until(() => output.includes('Started flows'), 'Node-RED to run')
    const flows = createFlows(simulator, broker, userDirectory, redis)
    const credentials = credentialsOf(simulator)
    await post('flows', { flows: flows.map((node) => ({ ...node, credentials: credentials[node.id] })) })

    await untilAsync(() => simulator.requests.some(({ path }) => path.endsWith('/events')))
    // The node has its position then.
    await setTimeout(5000)
    for (let time = 0; time < 6; time += 1) {
      home.arm(2, 'AWAY', { exitDelay: 0 })
      home.disarm(2)
    }
    if (hasBypass) {
      home.open(2)
      await post('inject/arm')
      await untilAsync(async () => (await read('answered.jsonl')).includes('"bypassed":[{'))
    }
    // No delivery is under way, whose events would come again with a flag, and all that were delivered are in the file.
    await untilAsync(async () => {
      const before = (await delivered()).length
      await setTimeout(15_000)
      return before >= 12 && before === (await delivered()).length
    })
    nodeRed.kill('SIGKILL')
    await once(nodeRed, 'exit')
    for (const zone of [1, 2, 3]) home.log({ type_id: 60, zone })

    await mkdir(folder, { recursive: true })
    const write = (name, value) =>
      writeFile(join(folder, `${name}.json`), `${JSON.stringify(value, null, 1)}\n`)
    await write(
      'flows',
      flows.filter(({ type }) => /^tab$|^keyholder/.test(type)),
    )
    await write('credentials', credentials)
    await write('recording', await record(simulator))
    await write(
      'delivered',
      (await delivered()).map((line) => JSON.parse(line)),
    )
    if (redis) await write('redis', await dump(redis))
    else {
      await write('announcements', Object.fromEntries([...(await retainedOf(broker.port))].toSorted()))
      await keepFiles(join(userDirectory, 'keyholder'), join(folder, 'keyholder'))
    }
    console.log(`${version}: ${(await delivered()).length} events were delivered; ${await readdir(folder)}`)
  } finally {
    nodeRed?.kill('SIGKILL')
    await simulator.close()
    await rm(userDirectory, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Copies text files as from another machine, because on this one their ages would follow its monotonic clock. */
async function keepFiles(from, to) {
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  await mkdir(to)
  for (const name of await readdir(from)) {
    const text = await readFile(join(from, name), 'utf8')
    await writeFile(join(to, name), text.replaceAll(boot, '8a52f6ce-1f0b-4c27-9d7e-5b6f0c3d2a91'))
  }
}

async function untilAsync(condition) {
  const latest = Date.now() + 180_000
  while (!(await condition())) {
    if (Date.now() > latest) throw new Error(`Not reached: ${condition}`)
    await setTimeout(200)
  }
}

const broker = new Mosquitto(process.env.MOSQUITTO || findProgram('mosquitto'))
const redis = new RedisServer(process.env.REDIS_SERVER || findProgram('redis-server'))
try {
  await rm(target, { recursive: true, force: true })
  await broker.start()
  await live(broker, target)
  if (hasClusters) {
    await redis.start()
    await live(broker, join(target, 'cluster'), redis)
  }
} finally {
  await broker.stop()
  await redis.stop()
}
