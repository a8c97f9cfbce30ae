import { asKeyholderError, KeyholderError } from '../../service/error.ts'
import type { ErrorDetail } from '../../service/finding-texts.ts'
import { badField, type ClusterField, clusterLabels } from '../cluster-settings.ts'

const isUntrusted = /^(CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_|HOSTNAME_MISMATCH|ERR_TLS_CERT)/
const isNoTls = /^(ERR_TLS|ERR_SSL|EPROTO)/

/** Refusals that last until somebody changes a setting: their sign, the field, the remedy, and the text of the dialog. */
const refusals: readonly (readonly [RegExp, ClusterField, string, ErrorDetail['text']])[] = [
  [
    /^WRONGPASS\b|invalid password|without any password configured/,
    'password',
    'the server does not accept user name and password. Correct them',
    'cluster.finding.passwordRejected',
  ],
  [
    /^DENIED\b/,
    'password',
    'the server has no password, so it lets only programs of its own machine in. Set a password there, and enter it',
    'cluster.finding.passwordMissing',
  ],
  [/^NOAUTH\b/, 'password', 'the server requires a password. Enter it', 'cluster.finding.passwordMissing'],
  [
    // That of a command in a script begins with other words before Redis 7.
    /^NOPERM|ACL failure|user executing the script can't/,
    'username',
    'the server does not let this user do what is needed. The check in the dialog of the cluster node shows a command that allows it',
    'cluster.finding.rights',
  ],
  [
    /DB index|SELECT is not allowed/,
    'address',
    'the server does not have a database with this number',
    'cluster.finding.noDatabase',
  ],
]

/** The first words of refusals that pass by themselves, such as those of a server that is starting. */
const passing = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS|OOM|BUSY)\b/

/**
 * Creates our own error for a failure of the connection to the shared state, or for a refusal of the server. Of the
 * library's error, which contains the command with the password, it keeps only a word in capital letters.
 */
export function redisError(thrown: unknown): KeyholderError {
  if (thrown instanceof KeyholderError) return thrown
  const { name = '', message = '', code = '' } = thrown as { name?: string; message?: string; code?: string }
  if (name === 'ReplyError') return refusal(message)
  if (isUntrusted.test(code)) {
    const sentence = `The certificate of the cluster's server is not trusted (${code}). Check "${clusterLabels.address}" in the cluster node, and date and time of this machine. For a private certificate authority, fill in "${clusterLabels.caFile}".`
    return new KeyholderError(
      'TLS',
      sentence,
      {},
      { text: 'cluster.finding.certificate', values: { word: code } },
    )
  }
  if (isNoTls.test(code)) {
    const sentence = `No secure connection to the cluster's server is possible (${code}). Check host and port in "${clusterLabels.address}" in the cluster node.`
    return new KeyholderError('TLS', sentence, {}, { text: 'cluster.finding.noTls', values: { word: code } })
  }
  const isOfEngine = [TypeError, RangeError, ReferenceError].some((kind) => thrown instanceof kind)
  // Errors of the library and of the system have a code or are plain.
  if (isOfEngine && code === '') return asKeyholderError(thrown)
  return away(/^[A-Z_]+$/.test(code) ? code : 'connection failed')
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
  const refused = message.replace(/^ERR Error running script .*: -(?=[A-Z]+ )/, '')
  for (const [sign, field, why, text] of refusals)
    if (sign.test(refused)) return badField(field, why, { text })
  const [word] = passing.exec(refused) ?? []
  return word === undefined ? asKeyholderError(new Error(`Redis: ${message}`)) : away(word)
}
