import { routesCode, routesPath } from './admin-routes.ts'
import { adminUsersCode } from './admin-users.ts'
import { deploysInTurnCode } from './deploys-in-turn.ts'
import { logCode } from './log-by-node.ts'
import { NodeRedProcess } from './node-red-process.ts'
import { fillUserDirectory, linkPalette, removeDirectory, temporaryDirectory } from './user-directory.ts'

/** The settings of the Node-RED that test files share: its users, and the routes that tests ask. */
export const sharedCode = routesCode + adminUsersCode + logCode + deploysInTurnCode

/** The environment variable with the address that answers with the URL of the Node-RED of this test run. */
export const sharedVariable = 'KEYHOLDER_SHARED_NODE_RED'

/** A Node-RED with this palette and no flows, to which test files add their tabs. */
export class SharedNodeRed {
  readonly url: string
  readonly #process: NodeRedProcess
  readonly #userDir: string
  readonly #killAtExit: () => void

  private constructor(url: string, nodeRed: NodeRedProcess, userDir: string, killAtExit: () => void) {
    this.url = url
    this.#process = nodeRed
    this.#userDir = userDir
    this.#killAtExit = killAtExit
  }

  /** Starts it; close it after the tests. It ends with this process at the latest. */
  static async start(): Promise<SharedNodeRed> {
    const userDir = await temporaryDirectory()
    await linkPalette(userDir)
    await fillUserDirectory(userDir, { settings: { keyholderPanelPollFloor: 0.01 }, code: sharedCode })
    const nodeRed = new NodeRedProcess(userDir)
    const killAtExit = () => void nodeRed.kill()
    process.once('exit', killAtExit)
    try {
      // Before any flow is there.
      await nodeRed.get(routesPath)
      return new SharedNodeRed(await nodeRed.url, nodeRed, userDir, killAtExit)
    } catch (error) {
      process.removeListener('exit', killAtExit)
      await nodeRed.kill()
      await removeDirectory(userDir)
      throw error
    }
  }

  /**
   * Stops it.
   * @throws Error if it has ended before
   */
  async close(): Promise<void> {
    const wasRunning = this.#process.isRunning
    await this.#process.kill()
    process.removeListener('exit', this.#killAtExit)
    await removeDirectory(this.#userDir)
    if (!wasRunning)
      throw new Error(`The shared Node-RED ended during the tests. It printed:\n${this.#process.output}`)
  }
}
