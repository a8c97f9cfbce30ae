import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Where installers put it on systems that have no such command. */
const places = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Nothing of the browser itself is to talk to anybody, and no window is drawn. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages reach this machine alone.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** There is no browser to test with; the message says what to do. */
export class NoChromium extends Error {
  override readonly name = 'NoChromium'
}

/**
 * The executable of an installed Chromium or Chrome: what `CHROME_PATH` names, else the first that is found.
 * @throws NoChromium when there is none
 */
export async function chromiumPath(): Promise<string> {
  const { CHROME_PATH: named, PATH = '' } = process.env
  if (named) {
    if (await isExecutable(named)) return named
    throw new NoChromium(`CHROME_PATH names ${named}, which cannot be run: let it name a Chromium or Chrome.`)
  }
  const inPath = PATH.split(delimiter).flatMap((folder) => commands.map((command) => join(folder, command)))
  for (const path of [...inPath, ...places]) if (await isExecutable(path)) return path
  throw new NoChromium(
    'No Chromium or Chrome is found: install one (on Debian: apt-get install chromium), or name its executable in CHROME_PATH.',
  )
}

/**
 * Starts the installed browser without a window; close it in the end.
 * @throws NoChromium when there is none
 */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await chromiumPath(), args })
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
