import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** Maximum wait in milliseconds, enough for a busy machine. */
const longestWait = 30_000

/** A page in its own browser context, with a record of its errors. */
export interface WatchedPage {
  page: Page
  /** Script errors, console errors and requests to other machines; oldest first. */
  complaints: string[]
  close(): Promise<void>
}

/** Options of a page, in addition to Playwright's. */
export interface PageOptions extends BrowserContextOptions {
  /** Initial local storage, for example settings of Node-RED's editor. */
  stored?: Record<string, string>
}

/** Opens an empty page. The browser refuses requests to other machines, and they count as errors. */
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
