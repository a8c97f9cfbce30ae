import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { fileURLToPath } from 'node:url'
import { testCertificate } from '../../../harness/certificates/test-certificate.ts'
import { until } from '../../../harness/clock/until.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

/** A certificate with the key and hosts of the test certificate; it expired in 2021. */
const expired = {
  ...testCertificate,
  cert: readFileSync(fileURLToPath(new URL('./expired-certificate.pem', import.meta.url))),
}

describe('changing the certificate of the simulator', () => {
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

  /** Returns the status of a response, or the code of the error. */
  const ask = () =>
    new Promise<number | string>((resolve) => {
      const asking = get(`${simulator.url}/rest_api/version`, { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      asking.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })

  it('shows the new certificate on all later connections and closes idle ones', async () => {
    assert.equal(await ask(), 200)
    simulator.setCertificate(expired)
    // Wait until the idle connection is closed; a request on it would fail for that reason.
    await until(() => Object.keys(agent.freeSockets).length === 0)
    assert.equal(await ask(), 'CERT_HAS_EXPIRED')
    simulator.setCertificate(testCertificate)
    assert.equal(await ask(), 200)
  })

  it('refuses an invalid certificate and keeps the current one', async () => {
    assert.throws(() => simulator.setCertificate({ ...testCertificate, cert: 'none' }), {
      message: /is invalid/,
    })
    assert.equal(await ask(), 200)
  })

  it('fails without https', async () => {
    const plain = await startSimulator()
    assert.throws(() => plain.setCertificate(expired), { message: /without https/ })
    await plain.close()
  })
})
