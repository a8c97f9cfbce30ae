import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { fileURLToPath } from 'node:url'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'
import { testCertificate } from '../../support/test-certificate.ts'
import { until } from '../../support/until.ts'

/** Of the same key as the test certificate, for the same hosts, and of no use since 2021. */
const expired = {
  ...testCertificate,
  cert: readFileSync(fileURLToPath(new URL('./expired-certificate.pem', import.meta.url))),
}

describe('a simulator that is told to present another certificate', () => {
  let simulator: Simulator
  let agent: Agent

  beforeEach(async () => {
    simulator = await startSimulator({ tls: testCertificate })
    agent = new Agent({ keepAlive: true, ca: [testCertificate.cert, expired.cert] })
  })

  afterEach(async () => {
    agent.destroy()
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  /** The status of an answer, or the code of the error. */
  const ask = () =>
    new Promise<number | string>((resolve) => {
      const asking = get(`${simulator.url}/rest_api/version`, { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      asking.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })

  it('shows it to whoever connects from now on, with a connection kept alive before too', async () => {
    assert.equal(await ask(), 200)
    simulator.setCertificate(expired)
    // The connection that was kept alive is closed; a request that had taken it before it knew would fail with that.
    await until(() => Object.keys(agent.freeSockets).length === 0)
    assert.equal(await ask(), 'CERT_HAS_EXPIRED')
    simulator.setCertificate(testCertificate)
    assert.equal(await ask(), 200)
  })

  it('refuses what is none and goes on with the one it has', async () => {
    assert.throws(() => simulator.setCertificate({ ...testCertificate, cert: 'none' }), {
      message: /are of no use/,
    })
    assert.equal(await ask(), 200)
  })

  it('refuses without https', async () => {
    const plain = await startSimulator()
    assert.throws(() => plain.setCertificate(expired), { message: /no https/ })
    await plain.close()
  })
})
