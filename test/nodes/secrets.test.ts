import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { Simulator } from '../../src/simulator/simulator.ts'
import type { Flow } from '../support/flow.ts'
import { useLab } from '../support/lab.ts'

const state = { type: 'keyholder-state', partitions: [1] }
const nodes = { state, readings: { type: 'keyholder-readings' }, events: { type: 'keyholder-events' } }
const names = Object.keys(nodes)
const forEver = { times: Number.POSITIVE_INFINITY }

/** Everything that must not be seen: what was typed in, and the tokens that the service gives from now on. */
function canaries(simulator: Simulator): Set<string> {
  const { accounts } = simulator
  const secrets = new Set<string>()
  accounts.setPassword('canary-password-of-the-user')
  accounts.setUserCode('canary-code-0451')
  secrets.add(accounts.password).add(accounts.userCode)
  const note = <G extends { token: string } | string>(given: G): G => {
    if (typeof given === 'object') secrets.add(given.token)
    return given
  }
  const signIn = accounts.signIn.bind(accounts)
  const logIn = accounts.logIn.bind(accounts)
  accounts.signIn = (...known) => note(signIn(...known))
  accounts.logIn = (...known) => note(logIn(...known))
  return secrets
}

/** Fails if a secret is in anything that reached Catch, a status, an output or the log. */
function assertKept(secrets: Set<string>, flow: Flow): void {
  const seen = [
    flow.caught.all,
    flow.lights,
    flow.logged,
    flow.errors,
    names.map((name) => flow.out(name).all),
  ]
  const depth = {
    depth: Number.POSITIVE_INFINITY,
    showHidden: true,
    maxArrayLength: null,
    maxStringLength: null,
  }
  const text = inspect(seen, depth) + JSON.stringify([flow.caught.all, flow.errors])
  for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} was seen`)
}

/** How a service can fail once it is signed in to, with the worst that an answer may hold. */
const failures: [what: string, fail: (simulator: Simulator, secrets: string) => void][] = [
  [
    'refuses',
    (simulator, secrets) => everywhere(simulator, { status: 400, body: { error_message: secrets } }),
  ],
  [
    'forbids',
    (simulator, secrets) => everywhere(simulator, { status: 403, body: { error_message: secrets } }),
  ],
  ['breaks down', (simulator, secrets) => everywhere(simulator, { status: 500, body: secrets })],
  ['sends rubbish', (simulator, secrets) => everywhere(simulator, { status: 200, body: `<p>${secrets}` })],
  ['sends another shape', (simulator, secrets) => everywhere(simulator, { status: 200, body: { secrets } })],
  [
    'redirects',
    (simulator, secrets) => everywhere(simulator, { status: 302, headers: { Location: `/${secrets}` } }),
  ],
  [
    'never answers',
    (simulator) => {
      for (const one of operations) simulator.hang(one, Number.POSITIVE_INFINITY)
    },
  ],
  ['ends the session for ever', (simulator) => everywhere(simulator, { status: 440 })],
  ['goes away', (simulator) => void simulator.close()],
]

const operations = ['status', 'events', 'devices']

function everywhere(
  simulator: Simulator,
  answer: { status: number; body?: unknown; headers?: Record<string, string> },
) {
  for (const operation of operations) simulator.answerNext(operation, { ...answer, ...forEver })
}

describe('No password, user code or token is seen in Catch, status, output or log', () => {
  const lab = useLab()

  for (const [what, fail] of failures) {
    it(`when the service ${what}, and every error has our name and a code`, async () => {
      const simulator = await lab.simulator()
      const secrets = canaries(simulator)
      const flow = await lab.start(simulator, { account: { timeout: 0.5 }, nodes })
      for (const name of names) await flow.light(name).next(({ fill }) => fill === 'green')
      assert.equal(secrets.size, 4)
      fail(simulator, [...secrets].join(' '))
      for (const name of names) flow.input(name, { asked: name })
      await flow.caught.take(3, ({ asked }) => asked !== undefined)
      assert.ok(flow.errors.length >= 3)
      for (const error of flow.errors) {
        assert.ok(error instanceof Error && 'code' in error)
        assert.equal(error.name, 'KeyholderError')
        assert.deepEqual(
          Object.getOwnPropertyNames(error).filter(
            (own) => !['stack', 'message', 'code', 'status', 'reason'].includes(own),
          ),
          [],
        )
      }
      assertKept(secrets, flow)
    })
  }

  for (const [what, credentials] of [
    ['password', { password: 'canary-of-a-wrong-password' }],
    ['user code', { userCode: 'canary-of-a-wrong-code' }],
  ] as const) {
    it(`when the ${what} is wrong`, async () => {
      const simulator = await lab.simulator()
      const secrets = canaries(simulator)
      for (const wrong of Object.values(credentials)) secrets.add(wrong)
      const flow = await lab.start(simulator, { credentials, nodes })
      await flow.caught.next()
      for (const name of names) flow.input(name)
      await flow.caught.take(3)
      assertKept(secrets, flow)
    })
  }

  it('when it stands in a url that is refused', async () => {
    const simulator = await lab.simulator()
    const secrets = new Set(['canary-in-the-url'])
    const url = 'https://me:canary-in-the-url@alarm.example.com'
    const flow = await lab.start(simulator, { account: { url }, nodes })
    flow.input('state')
    await flow.caught.take(2)
    assertKept(secrets, flow)
  })
})
