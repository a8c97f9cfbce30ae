import assert from 'node:assert/strict'
import { request } from 'node:https'
import { connect } from 'node:net'
import { testCertificate } from '../../../harness/certificates/test-certificate.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

/** Sends a request over https, trusting only the test certificate; returns status and body. */
function ask(simulator: Simulator, method: string, path: string, body = ''): Promise<[number, unknown]> {
  return new Promise((resolve, reject) => {
    const asking = request(simulator.url + path, { method, ca: testCertificate.cert }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve([response.statusCode ?? 0, JSON.parse(text)]))
    })
    asking.once('error', reject)
    asking.end(body)
  })
}

describe('the simulator with a certificate', () => {
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ tls: testCertificate })
  })

  after(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  it('speaks https on 127.0.0.1', async () => {
    assert.match(simulator.url, /^https:\/\/127\.0\.0\.1:\d+$/)
    const [status] = await ask(simulator, 'GET', '/rest_api/version')
    assert.equal(status, 200)
  })

  it('signs users in', async () => {
    const { email, password } = simulator
    const [status, body] = await ask(
      simulator,
      'POST',
      '/rest_api/14.0/auth',
      JSON.stringify({ email, password, app_id: 'app' }),
    )
    assert.equal(status, 200)
    assert.ok(typeof body === 'object' && body !== null && 'user_token' in body)
  })

  it('rejects plain HTTP and keeps running', async () => {
    await assert.rejects(fetch(simulator.url.replace('https', 'http')))
    assert.equal((await ask(simulator, 'GET', '/rest_api/version'))[0], 200)
  })

  it('closes at once, even with a client that never finishes the handshake', async () => {
    const other = await startSimulator({ tls: testCertificate })
    const { port } = new URL(other.url)
    const ended = new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.once('error', reject)
      socket.once('close', () => resolve())
      socket.once('connect', () => other.close().catch(reject))
      socket.resume()
    })
    await ended
    await other.close()
  })

  it('does not start with an invalid certificate or key', async () => {
    for (const tls of [
      { ...testCertificate, key: 'no key' },
      { ...testCertificate, cert: 'no certificate' },
    ]) {
      await assert.rejects(startSimulator({ tls }), {
        message: /^The certificate or its key is invalid: .*\.$/,
      })
    }
  })
})
