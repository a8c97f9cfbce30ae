import { asKeyholderError, KeyholderError } from '../../service/error.ts'
import { badField, clusterLabels } from '../cluster-settings.ts'

const isUntrusted = /^(CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_|HOSTNAME_MISMATCH|ERR_TLS_CERT)/
const isNoTls = /^(ERR_TLS|ERR_SSL|EPROTO)/

/** A refusal for want of a right; one of a command in a script begins with other words before Redis 7. */
const isNotAllowed = /^NOPERM|ACL failure|user executing the script can't/

/** The first words of refusals that pass by themselves, such as those of a server that is starting. */
const passing = [
  'LOADING',
  'READONLY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'MISCONF',
  'NOREPLICAS',
  'OOM',
  'BUSY',
]

/**
 * Creates our own error for a failure of the connection to the shared state, or for a refusal of the server. Of the
 * library's error, which contains the command with the password, it keeps only a word in capital letters.
 */
export function redisError(thrown: unknown): KeyholderError {
  if (thrown instanceof KeyholderError) return thrown
  const { name = '', message = '', code = '' } = thrown as { name?: string; message?: string; code?: string }
  if (name === 'ReplyError') return refusal(message)
  if (isUntrusted.test(code)) {
    return new KeyholderError(
      'TLS',
      `The certificate of the cluster's server is not trusted (${code}). Check "${clusterLabels.address}" in the cluster node, and date and time of this machine. For a private certificate authority, fill in "${clusterLabels.caFile}".`,
      {},
      { text: 'cluster.finding.certificate', values: { word: code } },
    )
  }
  if (isNoTls.test(code)) {
    return new KeyholderError(
      'TLS',
      `No secure connection to the cluster's server is possible (${code}). Check host and port in "${clusterLabels.address}" in the cluster node.`,
      {},
      { text: 'cluster.finding.noTls', values: { word: code } },
    )
  }
  if (isDefect(thrown)) return asKeyholderError(thrown)
  return away(/^[A-Z_]+$/.test(code) ? code : 'connection failed')
}

/** Returns true for an exception of the engine itself; those of the library and of the system have a code or are plain. */
function isDefect(thrown: unknown): boolean {
  const isOfEngine = [TypeError, RangeError, ReferenceError].some((kind) => thrown instanceof kind)
  return isOfEngine && !('code' in (thrown as Error))
}

/**
 * Returns the error for a shared state that does not answer.
 * @param why a word or a clause for the parentheses
 */
export function away(why: string): KeyholderError {
  return new KeyholderError(
    'SHARED_STATE_AWAY',
    `The shared state of the cluster cannot be reached (${why}). Check Redis and the network, and "${clusterLabels.address}" in the cluster node.`,
    {},
    // A word in capital letters is the same in all languages.
    /^[A-Z_]+$/.test(why) ? { text: 'cluster.finding.unreachable', values: { word: why } } : {},
  )
}

/** Returns the error for a refusal: its first word is the kind. */
export function refusal(message: string): KeyholderError {
  // That of a command in a script follows a preface before Redis 7.
  const [word = ''] = message.replace(/^ERR Error running script .*: -(?=[A-Z]+ )/, '').split(' ')
  if (word === 'WRONGPASS' || /invalid password|without any password configured/.test(message)) {
    return badField('password', 'the server does not accept user name and password. Correct them', {
      text: 'cluster.finding.passwordRejected',
    })
  }
  if (word === 'DENIED') {
    return badField(
      'password',
      'the server has no password, so it lets only programs of its own machine in. Set a password there, and enter it',
      { text: 'cluster.finding.passwordMissing' },
    )
  }
  if (word === 'NOAUTH') {
    return badField('password', 'the server requires a password. Enter it', {
      text: 'cluster.finding.passwordMissing',
    })
  }
  if (isNotAllowed.test(message)) {
    return badField(
      'username',
      'the server does not let this user do what is needed. The check in the dialog of the cluster node shows a command that allows it',
      { text: 'cluster.finding.rights' },
    )
  }
  if (/DB index|SELECT is not allowed/.test(message)) {
    return badField('address', 'the server does not have a database with this number', {
      text: 'cluster.finding.noDatabase',
    })
  }
  if (passing.includes(word)) return away(word)
  return asKeyholderError(new Error(`Redis: ${message}`))
}
