import { join } from 'node:path'
import type { Node, NodeAPI } from 'node-red'
import { KeyholderError } from '../../src/service/error.ts'
import { isVariable, labelOf, passwordPlaceholder, type RawSettings, text } from '../../src/settings.ts'
import { configNode } from './config-nodes.ts'
import { DestinationFile, type KnownDestination } from './destination-file.ts'
import { dataFolder } from './open-account.ts'

/** The secret of a kind of config node, and what its settings say about where it is sent. */
export interface SecretKind {
  /** The name of the secret in the credentials. */
  readonly field: string
  /** The name of the field in an error. */
  readonly label: string
  /** The text before the name of the field in a dialog, if it is that of another node. */
  readonly place: string
  /** Returns where the secret is sent; undefined if the settings do not say, or say it wrongly. */
  destinationOf(settings: RawSettings): string | undefined
  /** Returns a destination for people. */
  describe(destination: string): string
}

/** The password of an account, which is sent to the origin of its address: scheme, server and port. */
export const ofAccount: SecretKind = {
  field: 'password',
  label: labelOf('password'),
  place: '',
  destinationOf: ({ url }) => originOf(url),
  describe: (destination) => destination,
}

/** The user code of a panel, which is sent wherever the password of its account may be sent. */
export function ofPanel(RED: NodeAPI): SecretKind {
  const accountOf = (id: unknown) => configNode(RED, 'keyholder-account', id)
  return {
    field: 'userCode',
    label: labelOf('userCode'),
    place: '',
    destinationOf: (settings) =>
      templateOf(accountOf(settings.account)) ?? (text(settings, 'account') || undefined),
    describe: (destination) => {
      const account = accountOf(destination)
      return account?.name || originOf(account?.deployed.url) || destination
    },
  }
}

/** A config node whose credentials have a secret. */
export type SecretNode = Node<object> & { readonly deployed: RawSettings }

/**
 * Returns where the secret of a deployed config node was stored for; where its settings send it if that is not known, or if
 * its value is that of an environment variable, which is bound to nothing.
 */
export async function storedFor(
  RED: NodeAPI,
  node: SecretNode,
  kind: SecretKind,
): Promise<string | undefined> {
  const secret = secretOf(RED, node, kind)
  const bound = secret && boundTo(secret, await fileOf(RED).of(node.id), kind)
  return bound ?? kind.destinationOf(node.deployed)
}

/**
 * Refuses to use the secret of a config node if its settings send it elsewhere than where it was stored for. Node-RED keeps the
 * credentials of a node whose settings are replaced, by an import or in the flow file; so one changed address would get
 * them.
 * @throws KeyholderError BAD_SETTING
 */
export async function refuseElsewhere(RED: NodeAPI, node: SecretNode, kind: SecretKind): Promise<void> {
  const secret = secretOf(RED, node, kind)
  const destination = kind.destinationOf(node.deployed)
  if (secret === undefined || destination === undefined) return
  const file = fileOf(RED)
  const bound = boundTo(secret, await file.of(node.id), kind)
  if (bound !== undefined && bound !== destination) throw storedElsewhere(kind, bound)
  await file.note(node.id, { destination, entry: secret.entered?.entry })
}

/** Forgets where the secret of a config node was stored for, because the node was deleted. Never rejects. */
export function forgetDestination(RED: NodeAPI, { id }: Node): Promise<void> {
  return fileOf(RED).forget(id)
}

/**
 * Returns the error for a secret that would be sent elsewhere than where it was stored for.
 * @param field the name of what is stored, if it is not the secret itself
 */
export function storedElsewhere(kind: SecretKind, destination: string, field = kind.field): KeyholderError {
  const what = { password: 'password', userCode: 'user code' }[field] ?? 'value'
  const label = field === kind.field ? kind.label : labelOf(field)
  const where = kind.describe(destination)
  return new KeyholderError(
    'BAD_SETTING',
    `${label}: this ${what} was stored for ${where}: enter it again if it may be sent elsewhere now, and deploy. Until then nothing is sent.`,
    {},
    { text: 'finding.storedElsewhere', fields: [kind.place + field], values: { address: where } },
  )
}

/** Returns the scheme, server and port of an address; undefined if it is none. */
export function originOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined
}

/** A secret that was entered in a dialog, with the settings that the dialog had then. */
interface EnteredSecret {
  settings: RawSettings
  /** Another one for each time that the secret is entered. */
  entry: string
}

interface StoredSecret {
  entered: EnteredSecret | undefined
}

/** Returns the secret of a config node; undefined if it has none, or one of an environment variable. */
function secretOf(RED: NodeAPI, node: SecretNode, { field }: SecretKind): StoredSecret | undefined {
  const { [field]: secret, storedFor: note }: RawSettings = { ...node.credentials }
  const { [field]: stored }: RawSettings = { ...RED.nodes.getCredentials(templateOf(node) ?? node.id) }
  if (typeof secret !== 'string' || ['', passwordPlaceholder].includes(secret) || isVariable(stored))
    return undefined
  return { entered: enteredIn(note, secret) }
}

/**
 * Returns what a dialog has noted when the secret was entered. The note repeats the secret: an imported flow can bring
 * credentials, but a note for another address only from somebody who knows the secret.
 */
function enteredIn(note: unknown, expected: string): EnteredSecret | undefined {
  if (typeof note !== 'string') return undefined
  try {
    const { secret, entry, ...settings } = { ...JSON.parse(note) }
    return secret === expected ? { settings, entry: String(entry) } : undefined
  } catch {
    return undefined
  }
}

function boundTo(
  { entered }: StoredSecret,
  known: KnownDestination | undefined,
  { destinationOf }: SecretKind,
): string | undefined {
  if (entered === undefined) return known?.destination
  const { settings, entry } = entered
  // The dialog does not know the value of a variable, but that the secret was entered for it.
  const destination = Object.values(settings).some(isVariable) ? undefined : destinationOf(settings)
  return destination ?? (entry === known?.entry ? known.destination : undefined)
}

/** Returns the ID under which Node-RED has the credentials of a node inside a subflow: the one in the template. */
function templateOf(node: object | undefined): string | undefined {
  return (node as { _alias?: string } | undefined)?._alias
}

const files = new Map<string, DestinationFile>()

function fileOf(RED: NodeAPI): DestinationFile {
  const path = join(dataFolder(RED), 'stored-for.json')
  const file = files.get(path) ?? new DestinationFile(path)
  files.set(path, file)
  return file
}
