import { isIP } from 'node:net'
import { counted } from '../../duration.ts'
import { asKeyholderError, checkService, closedError, KeyholderError } from '../../service/error.ts'
import type { FindingText } from '../../service/finding-texts.ts'

/** The reason why this side ended an attempt, if it did. */
export interface Ending {
  /** True if the caller left. */
  isClosed: boolean
  isOverdue: boolean
  /** The time limit of the attempt, in seconds. */
  timeout: number
}

const isUntrusted = /^(CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_|HOSTNAME_MISMATCH|ERR_TLS_CERT)/
const isNoTls = /^(ERR_TLS|ERR_SSL|EPROTO)/
// Wrong compression, or not HTTP at all.
const isUnreadable = /^(Z|HPE)_/

/** The texts for attempts that reached no server, by the code of the system; other codes have one text. */
const connectionTexts: Readonly<Record<string, FindingText>> = {
  ENOTFOUND: 'finding.hostUnknown',
  EAI_AGAIN: 'finding.hostUnknown',
  ECONNREFUSED: 'finding.connectionRefused',
  ECONNRESET: 'finding.connectionClosed',
  EPIPE: 'finding.connectionClosed',
}

const isOutOfDate = (code: string) => code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID'
const isOfAnotherHost = (code: string) =>
  code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH'

/**
 * Creates our own error for a failed attempt. Of the library's error it keeps only a code of capital letters.
 * @param host the host as in the url
 */
export function httpError(
  thrown: unknown,
  host: string,
  { isClosed, isOverdue, timeout }: Ending,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): KeyholderError {
  if (thrown instanceof KeyholderError) return thrown
  if (isClosed) return closedError()
  if (isOverdue)
    return new KeyholderError(
      'TIMEOUT',
      `${host} did not answer within ${counted(timeout, 'second')}. If this happens often, check the network, or increase "Timeout" in the alarm account node.`,
      {},
      { values: { host, seconds: timeout } },
    )
  if (isDefect(thrown)) return asKeyholderError(thrown)
  const { code = '' } = thrown as { code?: string }
  const word = /^[A-Z_]+$/.test(code) ? code : 'connection failed'
  const values = { host, word }
  if (isUntrusted.test(code)) {
    return new KeyholderError(
      'TLS',
      `The certificate of ${host} is not trusted (${word}). ${remedy(code)}`,
      {},
      { text: certificateText(code), values },
    )
  }
  if (isNoTls.test(code)) {
    return new KeyholderError(
      'TLS',
      `No secure connection to ${host} is possible (${word}). ${checkService} If it ends with a colon and a number, check the number too. If the service runs on this machine without TLS, enter http:// instead.`,
      {},
      { text: 'finding.noTls', values },
    )
  }
  if (isUnreadable.test(code)) {
    return new KeyholderError(
      'BAD_RESPONSE',
      `The answer of ${host} cannot be read (${word}). ${checkService}`,
    )
  }
  const tried = triedAddresses(thrown)
  return new KeyholderError(
    'NETWORK',
    `${host} cannot be reached (${[word, ...tried].join(', ')}). If this lasts, check the network, and "Service address" in the alarm account node.${proxyHint(environment)}`,
    {},
    { text: connectionTexts[code], values },
  )
}

/** Returns the addresses of a host that were tried in vain, if there were several. */
function triedAddresses(thrown: unknown): string[] {
  const { cause } = thrown as { cause?: unknown }
  const { errors = [] } = (thrown instanceof AggregateError ? thrown : (cause ?? {})) as {
    errors?: unknown[]
  }
  return errors.flatMap((error) => {
    const { address } = error as { address?: unknown }
    return typeof address === 'string' && isIP(address) > 0 ? [address] : []
  })
}

/** Returns a sentence for somebody whose other programs use a proxy: nobody finds out otherwise why only this one fails. */
function proxyHint(environment: Readonly<Record<string, string | undefined>>): string {
  const names = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy', 'HTTP_PROXY', 'http_proxy']
  return names.some((name) => environment[name])
    ? ' The nodes use no proxy, also if the environment names one: they need a direct way to the service.'
    : ''
}

/** Returns the error for a connection that the service closed without an answer. */
export function noAnswer(host: string): KeyholderError {
  const detail = { text: 'finding.connectionClosed', values: { host } } as const
  return new KeyholderError('NETWORK', 'The service closed the connection without an answer.', {}, detail)
}

/** Returns true for an exception of the engine itself; the library's errors and the system's have a code. */
function isDefect(thrown: unknown): boolean {
  const isOfEngine = [TypeError, RangeError, ReferenceError].some((kind) => thrown instanceof kind)
  return isOfEngine && !('code' in (thrown as Error))
}

function certificateText(code: string): FindingText {
  if (isOutOfDate(code)) return 'finding.certificateDate'
  return isOfAnotherHost(code) ? 'finding.certificateOther' : 'finding.certificateUntrusted'
}

function remedy(code: string): string {
  if (isOutOfDate(code)) {
    return 'Check the date and time of the machine that runs Node-RED. If they are right, ask your alarm provider to renew the certificate.'
  }
  if (isOfAnotherHost(code)) {
    return `The certificate is for another address. ${checkService}`
  }
  return `${checkService} If your alarm provider gave you a certificate file, enter its path in "CA certificate".`
}
