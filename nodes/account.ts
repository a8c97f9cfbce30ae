import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Node, NodeAPI, NodeDef } from 'node-red'
import type { SharedAccess } from '../src/account/access.ts'
import type { Account } from '../src/account/account.ts'
import { systemClock } from '../src/clock.ts'
import type { Simulator } from '../src/simulator/simulator.ts'
import { guard } from './shared/guard.ts'
import { manifest } from './shared/manifest.ts'

interface AccountDef extends NodeDef {
  source?: string
  appId?: string
}

interface AccountCredentials {
  email: string
  password: string
}

/** An account as panels see it. */
export interface OpenAccount {
  account: Account
  /** Folder for what must survive a restart. */
  folder: string
  /** Serial and user code of the first demo panel, when the account is the demo. */
  demo: { serial: string; userCode: string } | undefined
}

/** The config node `keyholder-account`. */
export interface AccountNode extends Node<AccountCredentials> {
  /**
   * The account, made when it is first asked for, so that Node-RED starts as fast as without us.
   * @throws KeyholderError what is wrong with the settings
   */
  open(): Promise<OpenAccount>
}

/** A simulator in this process, and a folder that goes with it: its world does not outlive a restart either. */
interface Demo {
  simulator: Simulator
  folder: string
}

/** What outlives a redeploy: sign-ins and budgets, and the demo's world. */
const lasting = {
  shared: undefined as Promise<SharedAccess> | undefined,
  demos: new Map<string, Promise<Demo>>(),
}

export default function register(RED: NodeAPI): void {
  const userFolder = join(RED.settings.userDir ?? join(homedir(), '.node-red'), 'keyholder')

  function AccountNode(this: AccountNode, def: AccountDef): void {
    RED.nodes.createNode(this, def)
    let opened: Promise<OpenAccount> | undefined
    this.open = () => {
      // What was missing, such as a port for the demo, may be there the next time somebody asks.
      opened ??= open(this, def).catch((thrown) => {
        opened = undefined
        throw thrown
      })
      return opened
    }

    this.on('close', (removed: boolean, done: () => void) => {
      guard(
        this,
        async () => {
          const account = await opened?.then(
            ({ account }) => account,
            () => undefined,
          )
          if (account !== undefined) (await shared()).release(account)
          if (removed) await endDemo(this.id)
          done()
        },
        () => done(),
      )
    })
  }

  async function open(node: AccountNode, def: AccountDef): Promise<OpenAccount> {
    const isDemo = def.source === 'demo'
    if (!isDemo) await endDemo(node.id)
    const demo = isDemo ? await demoOf(node.id) : undefined
    const { accountSettings } = await import('../src/account/settings.ts')
    const settings = accountSettings(
      { ...def, ...(demo ? demoSettings(demo.simulator) : node.credentials) },
      { appId: lastingId(node.id), deviceInfo: await nameAndVersion() },
    )
    const { Account } = await import('../src/account/account.ts')
    const folder = demo?.folder ?? userFolder
    const surroundings = { clock: systemClock, folder, random: Math.random }
    const account = new Account(settings, await shared(), surroundings, (sentence) => node.warn(sentence))
    return { account, folder, demo: demo && firstPanel(demo.simulator) }
  }

  RED.nodes.registerType<AccountNode, AccountDef, Record<string, never>, AccountCredentials>(
    'keyholder-account',
    AccountNode,
    { credentials: { email: { type: 'text' }, password: { type: 'password' } } },
  )
}

async function shared(): Promise<SharedAccess> {
  lasting.shared ??= import('../src/account/access.ts').then(
    ({ SharedAccess }) => new SharedAccess(systemClock),
  )
  return lasting.shared
}

/** The demo of an account: one world, which goes on living while flows are redeployed. */
function demoOf(id: string): Promise<Demo> {
  const running = lasting.demos.get(id)
  if (running !== undefined) return running
  const starting = startDemo()
  lasting.demos.set(id, starting)
  starting.catch(() => lasting.demos.delete(id))
  return starting
}

async function startDemo(): Promise<Demo> {
  const { startSimulator } = await import('../src/simulator/simulator.ts')
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-demo-'))
  // At the very end: until then a panel may still be writing into it.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return { simulator: await startSimulator({ scenario: 'day' }), folder }
}

async function endDemo(id: string): Promise<void> {
  const running = lasting.demos.get(id)
  lasting.demos.delete(id)
  await (await running)?.simulator.close()
}

function demoSettings({ url, email, password }: Simulator) {
  return { url, email, password, api: 'user', apiVersion: '', caFile: '', appId: '' }
}

function firstPanel({ serials: [serial = ''], userCode }: Simulator) {
  return { serial, userCode }
}

/** What the service sign-in is told of us. */
async function nameAndVersion(): Promise<string> {
  const { name, version } = await manifest()
  return `${name} ${version}`
}

/** A UUID that stays the same for the same node, for flows that were not made by the editor. */
function lastingId(id: string): string {
  const hash = createHash('sha256').update(`keyholder ${id}`).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}
