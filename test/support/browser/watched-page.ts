import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** How long what a test waits for may take on a busy machine, in milliseconds. */
const longestWait = 30_000

/** A page in a context of its own, of which every complaint is noted. */
export interface WatchedPage {
  page: Page
  /** Errors of the page's scripts, errors on its console, and what it asked of other machines; oldest first. */
  complaints: string[]
  close(): Promise<void>
}

/** How a page is opened, beside Playwright's own options. */
export interface PageOptions extends BrowserContextOptions {
  /** What its local storage holds from the start, for example settings of Node-RED's editor. */
  stored?: Record<string, string>
}

/** Opens an empty page; whatever it asks of another machine is a complaint, and is refused by the browser. */
export async function watchedPage(
  browser: Browser,
  { stored = {}, ...options }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  context.setDefaultTimeout(longestWait)
  const complaints: string[] = []
  const entries = JSON.stringify(Object.entries(stored))
  await context.addInitScript(`for (const [key, value] of ${entries}) localStorage.setItem(key, value)`)
  const page = await context.newPage()
  page.on('request', (request) => {
    if (isElsewhere(new URL(request.url()))) complaints.push(`asked ${request.url()}`)
  })
  page.on('pageerror', (error) => complaints.push(String(error.stack ?? error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`)
  })
  return { page, complaints, close: () => context.close() }
}

function isElsewhere({ protocol, hostname }: URL): boolean {
  return /^(https?|wss?):$/.test(protocol) && hostname !== '127.0.0.1' && hostname !== 'localhost'
}
