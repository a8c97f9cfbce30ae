import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { noteStarted } from '../mocha/suite-record.ts'

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Paths of the browser on systems without such a command. */
const places = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Options that turn off the browser's own network requests and its window. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages can reach this machine only.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** No browser is installed; the message contains the remedy. */
export class NoChromium extends Error {
  override readonly name = 'NoChromium'
}

/**
 * Returns the executable of an installed Chromium or Chrome: the path in `CHROME_PATH`, otherwise the first one found.
 * @throws NoChromium if none is installed
 */
export async function chromiumPath(): Promise<string> {
  const { CHROME_PATH: named, PATH = '' } = process.env
  if (named) {
    if (await isExecutable(named)) return named
    throw new NoChromium(
      `CHROME_PATH is ${named}, which is not executable. Set it to the path of a Chromium or Chrome.`,
    )
  }
  const inPath = PATH.split(delimiter).flatMap((folder) => commands.map((command) => join(folder, command)))
  for (const path of [...inPath, ...places]) if (await isExecutable(path)) return path
  throw new NoChromium(
    'No Chromium or Chrome found. Install one (on Debian: apt-get install chromium), or set CHROME_PATH to its executable.',
  )
}

/**
 * Starts the installed browser without a window; close it after use.
 * @throws NoChromium if none is installed
 */
export async function openBrowser(): Promise<Browser> {
  noteStarted('browser')
  return chromium.launch({ executablePath: await chromiumPath(), args })
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
