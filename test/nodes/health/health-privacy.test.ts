import assert from 'node:assert/strict'
import { testCertificate } from '../../../harness/certificates/test-certificate.ts'
import { createPart, type FlowPartOptions } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import type { Simulator, SimulatorOptions } from '../../../src/simulator/simulator.ts'

const type = 'keyholder-health'
const nodes = {
  health: { type, name: 'Canary node' },
  alone: { type, name: 'Canary node', panel: '' },
  state: { type: 'keyholder-state', partitions: [1] },
  events: { type: 'keyholder-events' },
  readings: { type: 'keyholder-readings' },
}

/** A way to fail: by its configuration, or by a service that fails after a successful start. */
interface Failing {
  code: string
  setup?: Partial<FlowPartOptions>
  options?: SimulatorOptions
  fail?: (simulator: Simulator) => void
}

const answers =
  (answer: { status: number; body?: unknown; headers?: Record<string, string> }) => (simulator: Simulator) =>
    simulator.respondOnce('status', { ...answer, times: Number.POSITIVE_INFINITY })

const failures: Record<string, Failing> = {
  'nothing fails': { code: '' },
  'the service is gone': { code: 'NETWORK', fail: (simulator) => void simulator.close() },
  'the service does not answer': {
    code: 'TIMEOUT',
    setup: { account: { timeout: 1 } },
    fail: (simulator) => simulator.hang('status', Number.POSITIVE_INFINITY),
  },
  'the service reports an internal error': {
    code: 'SERVER_ERROR',
    fail: answers({ status: 500, body: 'canary' }),
  },
  'an HTML page comes instead of data': {
    code: 'BAD_RESPONSE',
    fail: answers({ status: 200, body: '<p>canary' }),
  },
  'the service redirects': {
    code: 'BAD_RESPONSE',
    fail: answers({ status: 302, headers: { Location: 'https://canary.example.com' } }),
  },
  'the certificate is not trusted': { code: 'TLS', options: { tls: testCertificate } },
  'the certificate file is missing': { code: 'BAD_SETTING', setup: { account: { caFile: '/canary.pem' } } },
  'sessions expire at once': { code: 'SESSION_EXPIRED', fail: answers({ status: 440 }) },
  'the service asks for a pause': { code: 'RATE_LIMITED', fail: answers({ status: 429 }) },
  'sign-ins are blocked': { code: 'LOGIN_BLOCKED', fail: answers({ status: 420 }) },
  'the password is wrong': {
    code: 'BAD_CREDENTIALS',
    setup: { credentials: { password: 'canary-wrong-password' } },
  },
  'the user code is wrong': {
    code: 'WRONG_USER_CODE',
    setup: { credentials: { userCode: 'canary-wrong-code' } },
  },
  'the account does not have the serial': {
    code: 'BAD_SETTING',
    setup: { panel: { name: 'Canary villa', serial: 'CANARY' } },
  },
  'the panel is unreachable': { code: 'PANEL_OFFLINE', fail: answers({ status: 446 }) },
  'the version is too old': { code: 'UNSUPPORTED_VERSION', options: { versions: ['7.0'] } },
}

/**
 * Makes every answer of the service contain private data, and returns everything that must not be
 * published.
 */
function leakSecrets(simulator: Simulator): (string | RegExp)[] {
  const { accounts, world, url, serials } = simulator
  accounts.setPassword('canary-password')
  accounts.setUserCode('canary-code-0451')
  const texts = { label: 'Canary label', description: 'Canary', appointment: 'Canary', zone_name: 'Canary' }
  world.panel('A1B2C3').log({ type_id: 7001, ...texts })
  const device = {
    id: 1,
    name: 'Canary',
    subtype: 'Canary motion',
    warnings: [{ type: 'canary@example.com' }],
  }
  simulator.respondOnce('devices', { status: 200, body: [device], times: Number.POSITIVE_INFINITY })
  const { hostname, port } = new URL(url)
  return [
    /canary/i,
    /@/,
    hostname,
    `:${port}`,
    accounts.email,
    ...serials,
    'Home',
    'Summer house',
    'Front door',
  ]
}

describe('The payload of a health message contains no private data', () => {
  const harness = useFlowHarness()

  for (const [when, { code, setup = {}, options = {}, fail }] of Object.entries(failures)) {
    it(`if ${when}`, async () => {
      const simulator = await harness.startSimulator(options)
      const secrets = leakSecrets(simulator)
      const made = createPart(simulator, {
        panel: { name: 'Canary villa' },
        ...setup,
        account: { name: 'Canary account', ...setup.account },
        nodes,
      })
      const nodesWithAccount = made.nodes.map((node) =>
        node.type === type ? { ...node, account: made.account } : node,
      )
      const flow = await harness.startParts([{ ...made, nodes: nodesWithAccount }])
      if (fail !== undefined || code === '') {
        for (const name of ['state', 'events', 'readings']) {
          await flow.status(name).next(({ fill }) => fill === 'green')
        }
      }
      fail?.(simulator)
      if (code !== '') await flow.caught.next(({ error }) => error.code === code)
      for (const name of ['alone', 'health']) {
        flow.input(name, { payload: 'canary', isAsked: true })
      }
      // The nodes can already have sent a message about the first sign-in.
      await flow.output('alone').next(({ isAsked }) => isAsked)
      const { payload } = await flow.output('health').next(({ isAsked }) => isAsked)
      assert.equal(payload.lastError?.code ?? '', code)
      for (const message of [...flow.output('health').all, ...flow.output('alone').all]) {
        const text = JSON.stringify(message.payload)
        for (const secret of secrets) {
          assert.ok(
            typeof secret === 'string' ? !text.includes(secret) : !secret.test(text),
            `${secret} in ${text}`,
          )
        }
      }
    })
  }
})
