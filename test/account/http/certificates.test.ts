import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createSecureServer, type Server } from 'node:https'
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issuedFiles, serverOptions } from '../../../harness/certificates/issued-certificates.ts'
import { certificateFiles } from '../../../harness/certificates/test-certificate.ts'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { HttpClient } from '../../../src/account/http/http-client.ts'
import type { Reply } from '../../../src/service/classify-error.ts'
import type { KeyholderError } from '../../../src/service/error.ts'

describe('An untrusted certificate', () => {
  let servers: NetServer[]
  let sockets: Socket[]
  let folder: string
  /** The received bytes of a request, after decryption. */
  let received: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-ca-'))
  })
  after(() => rm(folder, { recursive: true }))

  beforeEach(() => {
    received = ''
    sockets = []
    servers = []
  })
  afterEach(() => {
    for (const server of servers) server.close()
    for (const socket of sockets) socket.destroy()
  })

  async function listening(one: NetServer): Promise<string> {
    servers.push(one)
    one.on('connection', (socket: Socket) => sockets.push(socket))
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
    return `https://127.0.0.1:${(one.address() as AddressInfo).port}`
  }

  /** Starts a server that uses the certificate in the file and records every byte that it can read. */
  function serve(file: string): Promise<string> {
    const secure: Server = createSecureServer(serverOptions(file), (_, response) => response.end('{}'))
    secure.on('secureConnection', (socket) => socket.on('data', (data) => (received += data)))
    secure.on('tlsClientError', () => {})
    return listening(secure)
  }

  function signIn(url: string, caFile = ''): Promise<Reply> {
    return signInWith(new HttpClient({ timeout: 5, caFile }, new FakeClock()), url)
  }

  function signInWith(transport: HttpClient, url: string): Promise<Reply> {
    const headers = { 'User-Token': 'canary-token' }
    const body = { password: 'canary-password' }
    const { signal } = new AbortController()
    return transport.fetch({ method: 'POST', url: `${url}/auth`, headers, body, signal })
  }

  async function refusal(attempt: Promise<unknown>, code: string): Promise<string> {
    const thrown = await attempt.then(
      () => assert.fail('it should have been refused'),
      (error: KeyholderError) => error,
    )
    assert.equal(thrown.code, code, thrown.message)
    assert.equal(received, '', 'nothing of a request arrived')
    return thrown.message
  }

  it('stops a sign-in if its authority is unknown or it is self-signed', async () => {
    const remedy = /enter its path in "CA certificate"/
    assert.match(await refusal(signIn(await serve(issuedFiles.issued)), 'TLS'), remedy)
    assert.match(await refusal(signIn(await serve(certificateFiles.cert)), 'TLS'), remedy)
  })

  it('stops a sign-in if its authority differs from the one in caFile', async () => {
    const url = await serve(issuedFiles.issued)
    assert.match(await refusal(signIn(url, certificateFiles.cert), 'TLS'), /in "CA certificate"/)
  })

  it('stops a sign-in if it has expired or is not valid yet', async () => {
    const remedy = /Check the date and time of the machine/
    assert.match(
      await refusal(signIn(await serve(issuedFiles.expired), issuedFiles.authority), 'TLS'),
      remedy,
    )
    assert.match(await refusal(signIn(await serve(issuedFiles.notYet), issuedFiles.authority), 'TLS'), remedy)
  })

  it('stops a sign-in if it belongs to another host', async () => {
    const url = await serve(issuedFiles.elsewhere)
    assert.match(
      await refusal(signIn(url, issuedFiles.authority), 'TLS'),
      /is for another address. Check "Service address" in the alarm account node/,
    )
  })

  it('stops a sign-in even if the environment turns off certificate verification', async () => {
    const url = await serve(issuedFiles.issued)
    await withEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, async () => {
      await refusal(signIn(url), 'TLS')
      await refusal(signIn(url, certificateFiles.cert), 'TLS')
    })
  })

  it('stops a sign-in even if another account of the process has an open connection that trusts it', async () => {
    const url = await serve(issuedFiles.issued)
    assert.equal((await signIn(url, issuedFiles.authority)).status, 200)
    received = ''
    await refusal(signIn(url), 'TLS')
    await refusal(signIn(url, certificateFiles.cert), 'TLS')
  })

  describe('The certificate authority in caFile', () => {
    it('makes the certificates that it issued trusted', async () => {
      const url = await serve(issuedFiles.issued)
      assert.equal((await signIn(url, issuedFiles.authority)).status, 200)
      assert.match(received, /canary-password/)
    })

    it('can be the certificate of the service itself', async () => {
      const url = await serve(certificateFiles.cert)
      assert.equal((await signIn(url, certificateFiles.cert)).status, 200)
    })

    it('is requested by an error, and nothing is sent, if caFile is missing, a folder, a key or garbage', async () => {
      const url = await serve(issuedFiles.issued)
      const garbage = join(folder, 'garbage.pem')
      await writeFile(garbage, '-----BEGIN CERTIFICATE-----\nno base64\n-----END CERTIFICATE-----\n')
      for (const file of [join(folder, 'missing.pem'), folder, certificateFiles.key, garbage]) {
        assert.match(
          await refusal(signIn(url, file), 'BAD_SETTING'),
          /^CA certificate: .+Enter the path of a PEM file/,
        )
      }
      assert.equal(sockets.length, 0)
    })

    it('is read again until it is readable, and then kept until the next deploy', async () => {
      const url = await serve(issuedFiles.issued)
      const caFile = join(folder, 'late.pem')
      const transport = new HttpClient({ timeout: 5, caFile }, new FakeClock())
      await refusal(signInWith(transport, url), 'BAD_SETTING')
      await writeFile(caFile, serverOptions(issuedFiles.authority).cert)
      assert.equal((await signInWith(transport, url)).status, 200)
      await writeFile(caFile, serverOptions(certificateFiles.cert).cert)
      assert.equal((await signInWith(transport, url)).status, 200)
      // The next deploy creates a new HTTP client.
      received = ''
      await refusal(signIn(url, caFile), 'TLS')
    })
  })

  describe('A port that does not speak TLS', () => {
    it('receives nothing of a request if it answers with plain HTTP', async () => {
      const url = await plain((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
      assert.match(
        await refusal(signIn(url), 'TLS'),
        /Check "Service address" in the alarm account node\. If it ends with a colon and a number, check the number/,
      )
    })

    it('receives nothing of a request if it refuses the handshake', async () => {
      // The unencrypted alert "handshake failure".
      const url = await plain((socket) => socket.write(Buffer.from([21, 3, 3, 0, 2, 2, 40])))
      assert.match(await refusal(signIn(url), 'TLS'), /No secure connection to .* is possible/)
    })

    it('receives nothing of a request if it closes or resets the connection during the handshake', async () => {
      assert.match(
        await refusal(signIn(await plain((socket) => socket.end())), 'NETWORK'),
        /check the network/,
      )
      await refusal(signIn(await plain((socket) => socket.resetAndDestroy())), 'NETWORK')
    })

    it('receives nothing of a request if it never answers the handshake', async () => {
      const clock = new FakeClock()
      const url = await plain(() => clock.advance(5000))
      const transport = new HttpClient({ timeout: 5, caFile: '' }, clock)
      assert.match(await refusal(signInWith(transport, url), 'TIMEOUT'), /within 5 seconds/)
    })

    /**
     * Starts a plain TCP server that records everything except TLS handshakes, and everything that
     * contains a secret.
     */
    function plain(answer: (socket: Socket) => void): Promise<string> {
      return listening(
        createServer((socket) => {
          socket.on('error', () => {})
          socket.once('data', () => answer(socket))
          socket.on('data', (data) => {
            const isHandshake = data[0] === 22 || data[0] === 21
            if (!isHandshake || data.includes('canary')) received += data
          })
        }),
      )
    }
  })
})

/** Runs `work` with other environment variables, and restores them. */
async function withEnvironment(
  variables: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<void> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  try {
    await work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
