import { type ErrorCode, errorCodeRows, errorCodes } from './error-codes.ts'

/**
 * The texts with which the dialogs show an error in the language of the editor, each with the settings that it is
 * about, the first one first to correct. The keys are those of `nodes/account/locales`; those that begin with
 * `cluster.` are in `cluster.json`, and so are the fields.
 *
 * Only errors that a check in a dialog can meet have one. All others are shown with their English sentence.
 */
const ownTexts = {
  // About the setting that the error names.
  'finding.missing': [],
  'finding.variableUnset': [],
  'finding.variableUndeployed': [],
  'finding.notStored': [],
  'finding.storedElsewhere': [],
  'finding.otherAuthority': [],
  // The same words as in the form.
  'invalid.url': ['url'],
  'invalid.urlParts': ['url'],
  'invalid.urlPlain': ['url'],
  'invalid.timeZone': ['timeZone'],
  'invalid.requestsPerMinute': ['requestsPerMinute'],
  'invalid.requestsPerDay': ['requestsPerDay'],
  'invalid.timeout': ['timeout'],
  'invalid.locale': ['locale'],
  'invalid.apiVersion': ['apiVersion'],
  'finding.caFile': ['caFile'],
  'finding.unusableFile': [],
  'finding.differentClusters': ['cluster'],
  'finding.clusterUndeployed': ['cluster'],
  'finding.codeLength': ['userCode'],
  // About the connection.
  'finding.hostUnknown': ['url'],
  'finding.connectionRefused': ['url'],
  'finding.connectionClosed': ['url'],
  'finding.noTls': ['url'],
  'finding.certificateDate': [],
  'finding.certificateOther': ['url'],
  'finding.certificateUntrusted': ['url'],
  'finding.noService': ['url'],
  // About the answers of a service.
  'finding.noPanel': [],
  'finding.noOperation': [],
  'finding.signInRefused': ['password', 'email', 'url'],
  'finding.signInForbidden': ['api', 'url'],
  'finding.signInsBlocked': [],
  'finding.tooManySignIns': [],
  'finding.tooManyDevices': [],
  'finding.tooManySessions': [],
  'finding.restarted': [],
  'finding.appIdRefused': ['appId'],
  'finding.panelRefused': ['userCode', 'serial'],
  'finding.userCodeRejected': ['userCode'],
  'finding.serialUnknown': ['serial'],
  // About the setting that the error names.
  'finding.tooShort': [],
  'finding.tooLong': [],
  'finding.serialPending': [],
  'finding.armingUnreported': [],
  'finding.languageUnknown': ['locale'],
  // About the cluster and its server.
  'cluster.invalid.address': ['cluster.address'],
  'cluster.invalid.clusterName': ['cluster.clusterName'],
  'cluster.finding.credentialsInAddress': ['cluster.address'],
  'cluster.finding.unprotected': ['cluster.address'],
  'cluster.finding.noPackage': [],
  'cluster.finding.unreachable': ['cluster.address'],
  'cluster.finding.certificate': ['cluster.address', 'cluster.caFile'],
  'cluster.finding.noTls': ['cluster.address'],
  'cluster.finding.passwordMissing': ['cluster.password'],
  'cluster.finding.passwordRejected': ['cluster.password', 'cluster.username'],
  'cluster.finding.noDatabase': ['cluster.address'],
  'cluster.finding.oldServer': ['cluster.address'],
  'cluster.finding.evicting': [],
  'cluster.finding.rights': ['cluster.username'],
  'cluster.finding.otherFormat': ['cluster.clusterName'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The key of a text with which the dialogs show an error. */
export type FindingText = keyof typeof ownTexts | `finding.${ErrorCode}`

/** The texts about all errors of a code that have no text of their own. */
const textsOfCodes: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  errorCodes.flatMap((code) => {
    const { fields } = errorCodeRows[code]
    return fields === null ? [] : [[`finding.${code}`, fields]]
  }),
)

/** The settings that each text is about. */
export const findingTexts: Readonly<Partial<Record<FindingText, readonly string[]>>> = {
  ...ownTexts,
  ...textsOfCodes,
}

/** Returns true if a key is one of such a text. */
export function isFindingText(key: string): key is FindingText {
  return Object.hasOwn(findingTexts, key)
}

/** The parts that a dialog needs to say an error in the language of the editor; nothing of it is secret. */
export interface ErrorDetail {
  /** The text; without one, that of the error's code applies, if it has one. */
  text?: FindingText | undefined
  /** The settings that the error is about, if the text alone does not tell. */
  fields?: readonly string[]
  /** The values that the text contains. A number of `seconds` is a duration. */
  values?: Readonly<Record<string, string | number>>
  /** True if a file could not even be read. */
  isUnreadable?: boolean
  /** True if a web page arrived instead of data. */
  isPage?: boolean
  /** The seconds during which the account sends nothing. */
  pause?: number
}
