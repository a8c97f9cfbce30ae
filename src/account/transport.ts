import { readFile } from 'node:fs/promises'
import got, { type Got } from 'got'
import { KeyholderError } from '../service/error.ts'
import type { Reply } from '../service/verdict.ts'

/** No answer of the service comes near this; what does is cut off before it fills the memory. */
const largestBody = 4 * 1024 * 1024

/** Milliseconds that our own deadline leaves to got's. */
const deadlineMargin = 500

/** One HTTP attempt. */
export interface Attempt {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  /** Sent as JSON. */
  body?: Readonly<Record<string, unknown>>
  signal: AbortSignal
}

/** How attempts are made. */
export interface TransportSettings {
  /** Seconds for one attempt from start to last byte. */
  timeout: number
  /** PEM file with a private certificate authority, or empty. */
  caFile: string
}

/**
 * Makes HTTP attempts: one call is one attempt, with no retry and no redirect behind anybody's back.
 *
 * got's own errors hold the request with its password and tokens, so none of them leaves this file.
 */
export class Transport {
  readonly #settings: TransportSettings
  #client: Promise<Got> | undefined

  constructor(settings: TransportSettings) {
    this.#settings = settings
  }

  /**
   * Makes one attempt and reads the answer, whatever its status.
   * @throws KeyholderError TIMEOUT, NETWORK, TLS, RESPONSE_TOO_LARGE, BAD_SETTING (caFile) or CLOSED (signal)
   */
  async attempt({ method, url, headers, body, signal }: Attempt): Promise<Reply> {
    const { timeout } = this.#settings
    const client = await this.#prepared()
    // Our own deadline, since got's does not end every answer (101, in version 14), and a signal for this attempt
    // alone, since got listens to it for longer than the attempt lasts.
    const deadline = AbortSignal.timeout(timeout * 1000 + deadlineMargin)
    const ending = AbortSignal.any([signal, deadline])
    try {
      const stream = client.stream(url, { method, headers, signal: ending, ...(body ? { json: body } : {}) })
      // An error after the end, such as a late abort, would be nobody's and end the process.
      stream.on('error', () => {})
      const chunks: Buffer[] = []
      let size = 0
      // Counted after decompression: a small bomb grows here and not in the memory.
      for await (const chunk of stream) {
        size += (chunk as Buffer).length
        if (size > largestBody) throw tooLarge()
        chunks.push(chunk as Buffer)
      }
      const { response } = stream
      if (response === undefined) throw new KeyholderError('NETWORK', 'The service closed the connection.')
      const retryAfter = response.headers['retry-after']
      return { status: response.statusCode, retryAfter, body: Buffer.concat(chunks).toString('utf8') }
    } catch (thrown) {
      throw ownError(thrown, { signal, deadline }, new URL(url).host, timeout)
    }
  }

  /** The client; a file that could not be read may be there the next time. */
  #prepared(): Promise<Got> {
    this.#client ??= this.#prepare().catch((thrown) => {
      this.#client = undefined
      throw thrown
    })
    return this.#client
  }

  async #prepare(): Promise<Got> {
    const { timeout, caFile } = this.#settings
    const ca = caFile === '' ? undefined : await certificateAuthority(caFile)
    return got.extend({
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      timeout: { request: timeout * 1000 },
      ...(ca === undefined ? {} : { https: { certificateAuthority: ca } }),
    })
  }
}

async function certificateAuthority(file: string): Promise<string> {
  const content = await readFile(file, 'utf8').catch(() => '')
  if (content.includes('-----BEGIN CERTIFICATE-----')) return content
  throw new KeyholderError(
    'BAD_SETTING',
    'caFile: the file cannot be read or is no PEM certificate. Give the path of a PEM file, or leave it empty.',
  )
}

function tooLarge(): KeyholderError {
  return new KeyholderError(
    'RESPONSE_TOO_LARGE',
    'The service sent more than 4 MB in one answer; it was cut off.',
  )
}

const certificateCodes = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/

/** What went wrong, in our own words; nothing of the library's error is kept. */
function ownError(
  thrown: unknown,
  { signal, deadline }: { signal: AbortSignal; deadline: AbortSignal },
  host: string,
  timeout: number,
): KeyholderError {
  if (thrown instanceof KeyholderError) return thrown
  const { name, code = '' } = thrown as { name?: string; code?: string }
  const word = /^[A-Z_]+$/.test(code) ? code : 'connection failed'
  if (signal.aborted) return new KeyholderError('CLOSED', 'The alarm panel account was closed during a call.')
  if (name === 'TimeoutError' || deadline.aborted) {
    return new KeyholderError('TIMEOUT', `${host} did not answer within ${timeout} seconds.`)
  }
  if (certificateCodes.test(code)) {
    return new KeyholderError(
      'TLS',
      `${host} has no certificate that is trusted (${word}). Check the url, or name the certificate authority in caFile.`,
    )
  }
  if (code.startsWith('Z_')) {
    return new KeyholderError(
      'BAD_RESPONSE',
      `The answer of ${host} was packed in a way that cannot be read (${word}).`,
    )
  }
  return new KeyholderError(
    'NETWORK',
    `${host} cannot be reached (${word}). Check the network and the account's url.`,
  )
}
